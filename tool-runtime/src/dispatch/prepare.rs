//! The arguments of a call: validated, coerced if necessary, and decoded.

use crate::coerce::CoercionOptions;
use crate::message::ToolCall;
use crate::outcome::CallError;
use crate::output::{FunctionError, ToolOutput};
use crate::panics::{CatchPanic, catch_panic};
use crate::registry::Registry;
use crate::tool::Call;

/// A tool with decoded arguments, which has not begun.
pub(super) type PreparedTool<'a> = CatchPanic<'a, Result<ToolOutput, FunctionError>>;

impl Registry {
    /// Validates the arguments of a call, and decodes them. `None` if middleware or a blocking thread decodes them later,
    /// since these own their arguments. A decoder of the program may panic.
    pub(super) fn prepare<'a>(&self, call: &'a Call<'a>) -> Result<Option<PreparedTool<'a>>, Box<CallError>> {
        let prepared = catch_panic(|| self.prepare_coerced(call));
        prepared.unwrap_or_else(|source| Err(call.panicked(source).into()))
    }

    fn prepare_coerced<'a>(&self, call: &'a Call<'a>) -> Result<Option<PreparedTool<'a>>, Box<CallError>> {
        let options = self.coercion_options(call.incoming.call);
        // Removed before the arguments are decoded, since a null for an absent argument may also be a valid value.
        if options.null_is_absent && call.incoming.arguments().contains("null") {
            let only_nulls = CoercionOptions { lenient: false, ..options };
            if let Some(coerced) = call.tool.coerce(call.incoming.arguments(), only_nulls) {
                call.incoming.record.set_without_nulls(coerced.arguments);
            }
        }
        let error = match self.decode_or_validate(call) {
            Err(error) if error.is_about_arguments() => error,
            prepared => return prepared,
        };
        let Some(coerced) = call.tool.coerce(call.incoming.arguments(), options) else { return Err(error) };
        // Errors that remain refer to the coerced arguments.
        call.incoming.record.set_coerced(coerced.arguments);
        let prepared = self.decode_or_validate(call)?;
        call.incoming.record.set_coercions(coerced.coercions.iter().map(ToString::to_string).collect());
        Ok(prepared)
    }

    /// Like `prepare`, with the arguments of a hook, which are not coerced.
    pub(super) fn prepare_with<'a>(
        &self,
        call: &'a Call<'a>,
        arguments: String,
    ) -> Result<Option<PreparedTool<'a>>, CallError> {
        call.incoming.record.set_run_with(arguments);
        let prepared = catch_panic(|| self.decode_or_validate(call));
        match prepared.unwrap_or_else(|source| Err(call.panicked(source).into())) {
            Err(source) if source.is_about_arguments() => {
                Err(CallError::InvalidReplacement { tool: call.tool.name.to_string(), source })
            }
            prepared => prepared.map_err(|error| *error),
        }
    }

    fn decode_or_validate<'a>(&self, call: &'a Call<'a>) -> Result<Option<PreparedTool<'a>>, Box<CallError>> {
        call.check_keys()?;
        if call.tool.options.blocking || self.has_middleware() {
            call.validate().map(|()| None)
        } else {
            call.decode().map(|tool| Some(CatchPanic::new(tool)))
        }
    }

    /// Replaces arguments that are not JSON with the coerced ones, for the history.
    pub(crate) fn store_coerced_arguments(&self, call: &mut ToolCall) {
        if !self.is_lenient() || call.is_truncated || call.has_an_object() {
            return;
        }
        if let Some(arguments) = self.coerced_arguments(call) {
            call.set_arguments(arguments);
        }
    }

    /// The arguments of a call after coercion; `None` if nothing is coerced.
    pub(crate) fn coerced_arguments(&self, call: &ToolCall) -> Option<String> {
        let coerced = self.entry(&call.name)?.coerce(&call.arguments, self.coercion_options(call))?;
        Some(coerced.arguments)
    }
}
