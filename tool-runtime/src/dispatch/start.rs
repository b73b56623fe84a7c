//! The start of a call: its arguments are validated, coerced if necessary, and decoded.

use crate::coerce::CoercionOptions;
use crate::message::ToolCall;
use crate::outcome::CallError;
use crate::output::{FunctionError, ToolOutput};
use crate::panics::{CatchPanic, catch_panic};
use crate::registry::Registry;
use crate::tool::Call;

/// A tool with decoded arguments, which has not begun.
pub(super) type Started<'a> = CatchPanic<'a, Result<ToolOutput, FunctionError>>;

impl Registry {
    /// Starts a call. `None` if middleware or a blocking thread starts it later, with arguments that they own: the arguments
    /// are valid then. A decoder of the program may panic.
    pub(super) fn start<'a>(&self, call: &'a Call<'a>) -> Result<Option<Started<'a>>, Box<CallError>> {
        let started = catch_panic(|| self.start_coerced(call));
        started.unwrap_or_else(|source| Err(call.panicked(source).into()))
    }

    fn start_coerced<'a>(&self, call: &'a Call<'a>) -> Result<Option<Started<'a>>, Box<CallError>> {
        let options = self.coercion_options(call.incoming.call);
        // Removed before the arguments are decoded, since a null for an absent argument may also be a valid value.
        if options.null_is_absent && call.incoming.arguments().contains("null") {
            let only_nulls = CoercionOptions { lenient: false, ..options };
            if let Some(coerced) = call.tool.coerce(call.incoming.arguments(), only_nulls) {
                call.incoming.record.set_without_nulls(coerced.arguments);
            }
        }
        let error = match self.start_as_is(call) {
            Err(error) if error.is_about_arguments() => error,
            started => return started,
        };
        let Some(coerced) = call.tool.coerce(call.incoming.arguments(), options) else { return Err(error) };
        // Errors that remain refer to the coerced arguments.
        call.incoming.record.set_coerced(coerced.arguments);
        let started = self.start_as_is(call)?;
        call.incoming.record.set_coercions(coerced.coercions);
        Ok(started)
    }

    fn start_as_is<'a>(&self, call: &'a Call<'a>) -> Result<Option<Started<'a>>, Box<CallError>> {
        call.check_keys()?;
        if call.tool.options.blocking || self.has_middleware() {
            call.validate().map(|()| None)
        } else {
            call.start().map(|started| Some(CatchPanic::new(started)))
        }
    }

    /// Replaces arguments that are not JSON with the coerced ones, for the history.
    pub(crate) fn store_coerced_arguments(&self, call: &mut ToolCall) {
        if !self.is_lenient() || call.is_truncated || call.has_an_object() {
            return;
        }
        let tool = self.tool(&call.name);
        let coerced = tool.and_then(|tool| tool.coerce(&call.arguments, self.coercion_options(call)));
        if let Some(coerced) = coerced {
            call.set_arguments(coerced.arguments);
        }
    }
}
