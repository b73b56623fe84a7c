//! The methods of a search, without the feature `search`.

use super::Registry;
use crate::inner_call::InnerCall;
use crate::message::ToolCall;
use crate::outcome::UnknownToolError;
use crate::output::ToolFailure;
use crate::schema::ToolSchema;
use crate::tool::{Batch, RegisteredTool};

#[allow(clippy::unused_self, reason = "the methods with the feature need the registry")]
impl Registry {
    pub(crate) fn deferred_schemas(&self) -> &[ToolSchema] {
        &[]
    }

    pub(crate) fn inner_call(&self, _: &ToolCall) -> InnerCall {
        InnerCall::default()
    }

    pub(crate) fn is_in(&self, tool: &RegisteredTool, allowed: &[String]) -> bool {
        tool.is_in(allowed)
    }

    pub(crate) fn with_search_tools(&self, names: Vec<String>) -> Vec<String> {
        names
    }

    #[cold]
    pub(crate) fn unknown_tool_of_call(&self, _: &Batch<'_>, name: &str) -> UnknownToolError {
        self.unknown_tool(name)
    }

    pub(crate) fn with_search_hint(&self, _: &Batch<'_>, _: &ToolCall, failure: ToolFailure) -> ToolFailure {
        failure
    }
}
