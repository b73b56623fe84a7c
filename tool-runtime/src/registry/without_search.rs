//! The methods of a search, without the feature `search`.

use super::Registry;
use crate::contained_call::ContainedCall;
use crate::message::ToolCall;
use crate::outcome::UnknownToolError;
use crate::output::ToolFailure;
use crate::schema::ToolSchema;
use crate::tool::{Batch, IncomingCall};

#[allow(clippy::unused_self, reason = "the methods with the feature need the registry")]
impl Registry {
    pub(crate) fn deferred_schemas(&self) -> &[ToolSchema] {
        &[]
    }

    pub(crate) fn contained_call(&self, _: &ToolCall) -> ContainedCall {
        ContainedCall
    }

    pub(crate) fn is_deferred(&self, _: &str) -> bool {
        false
    }

    #[cold]
    pub(crate) fn unknown_name(&self, batch: &Batch<'_>, position: usize, name: &str) -> UnknownToolError {
        self.unknown_name_without_search(position, name, batch.context().allowed())
    }

    pub(crate) fn with_search_hint(&self, _: &IncomingCall<'_>, failure: ToolFailure) -> ToolFailure {
        failure
    }
}
