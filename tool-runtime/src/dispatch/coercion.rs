//! Calls whose arguments are coerced before they run.

use super::run::CallResult;
use crate::coerce::CoercionOptions;
use crate::message::ToolCall;
use crate::outcome::{CallError, Coercions};
use crate::panics::catch_panic;
use crate::registry::Registry;
use crate::tool::Call;
use std::sync::Arc;

/// The coerced arguments of a call.
pub(super) struct CoercedArgs {
    pub(super) arguments: String,
    /// `None` if only nulls were removed.
    pub(super) coercions: Option<Coercions>,
}

impl Registry {
    #[cold]
    pub(super) async fn run_coerced(&self, call: &Call<'_>, coerced: CoercedArgs) -> CallResult {
        let CoercedArgs { arguments, coercions } = coerced;
        // The remaining errors refer to the coerced arguments.
        let call = &Call { arguments: &arguments, ..*call };
        let started = call.start_or_validate()?;
        if let Some(coercions) = coercions {
            call.record.set_coercions(coercions);
        }
        self.run_until_cancelled(call, started).await
    }

    /// Coerces the arguments of a call that could not start with this error.
    #[cold]
    pub(super) fn coerce(
        &self,
        call: &Call<'_>,
        error: Option<Box<CallError>>,
    ) -> Result<CoercedArgs, Box<CallError>> {
        let options = self.coercion_options(call.tool);
        let mut without_nulls = None;
        let error = if let Some(error) = error {
            error
        } else {
            let coerced = call.tool.coerce(call.arguments, CoercionOptions { lenient: false, ..options });
            let arguments = coerced.map_or_else(|| call.arguments.to_owned(), |coerced| coerced.arguments);
            let Err(error) = (Call { arguments: &arguments, ..*call }).validate() else {
                return Ok(CoercedArgs { arguments, coercions: None });
            };
            without_nulls = Some(arguments);
            error
        };
        if !error.is_about_arguments() {
            return Err(error);
        }
        let arguments = without_nulls.as_deref().unwrap_or(call.arguments);
        let Some(coerced) = call.tool.coerce(arguments, options) else { return Err(error) };
        Ok(CoercedArgs { arguments: coerced.arguments, coercions: Some(Arc::new(coerced.coercions)) })
    }

    /// The coerced arguments of a call that would start; `None` if it would start with those of the model.
    pub(super) fn arguments_to_start(&self, call: &Call<'_>) -> Result<Option<CoercedArgs>, Box<CallError>> {
        let validated = catch_panic(|| {
            let Err(error) = self.start(call).map(drop) else { return Ok(None) };
            let coerced = self.coerce(call, error)?;
            let call = Call { arguments: &coerced.arguments, ..*call };
            call.check_keys()?;
            call.validate()?;
            Ok(Some(coerced))
        });
        validated.unwrap_or_else(|source| Err(call.panicked(source).into()))
    }

    /// Replaces arguments that are not JSON with the coerced ones, for the history.
    pub(crate) fn store_coerced_arguments(&self, call: &mut ToolCall) {
        if !self.is_lenient() || call.is_truncated || call.has_an_object() {
            return;
        }
        let tool = self.tool(&call.name);
        let coerced = tool.and_then(|tool| tool.coerce(&call.arguments, self.coercion_options(tool)));
        if let Some(coerced) = coerced {
            call.set_arguments(coerced.arguments);
        }
    }
}
