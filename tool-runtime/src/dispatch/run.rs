//! The run of one call: decoding and coercion of its arguments, and isolation of its panics.

use super::work::{CallResult, Running, Work, not_started, panicked};
use crate::arguments::ArgumentsError;
use crate::coerce::CoercionOptions;
use crate::invocation::NotStarted;
use crate::message::ToolCall;
use crate::outcome::{CallError, Coercions, Outcome};
use crate::panics::{self, CatchPanic};
use crate::registry::Registry;
use std::sync::{Arc, OnceLock};

impl Registry {
    /// Runs a tool of this registry. A panic is an error of the call.
    ///
    /// The rare paths are boxed to keep this future small: the future of a batch contains and copies one for each call.
    pub(super) async fn run(&self, work: &Work<'_>, outcome: &mut Outcome) -> CallResult {
        let result = match panics::catch_panic(|| self.begin(work)) {
            Ok(Ok(started)) if !self.has_steps(work) => return work.complete(started).await,
            Ok(Ok(started)) => CatchPanic::new(Box::pin(self.go_through_steps(work, started, outcome))).await,
            Ok(Err(hindrance)) => CatchPanic::new(Box::pin(self.run_mended(work, hindrance, outcome))).await,
            Err(source) => Err(source),
        };
        result.unwrap_or_else(|source| Err(panicked(work.tool, source).into()))
    }

    fn begin<'a>(&'a self, work: &'a Work<'a>) -> Result<Running<'a>, Hindrance> {
        if self.coercion_options(work.tool).null_is_absent && work.arguments.contains("null") {
            return Err(Hindrance::Nulls);
        }
        self.start(work).map_err(|why| match why {
            NotStarted::Refused(refusal) => Hindrance::Refused(refusal),
            why @ NotStarted::MissingState(_) => Hindrance::Lasting(why),
        })
    }

    #[cold]
    async fn run_mended(&self, work: &Work<'_>, hindrance: Hindrance, outcome: &mut Outcome) -> CallResult {
        let place = Place::default();
        let (work, started) = self.begin_mended(work, hindrance, &place)?;
        outcome.coercions = place.mended.get().map(|mended| Arc::clone(&mended.coercions));
        if self.has_steps(&work) {
            self.go_through_steps(&work, started, outcome).await
        } else {
            work.complete(started).await
        }
    }

    /// Replaces arguments that are not JSON with the coerced ones, for the history.
    pub(crate) fn write_as_understood(&self, call: &mut ToolCall) {
        if !self.is_lenient() || call.is_truncated || call.has_an_object() {
            return;
        }
        let tool = self.entry(&call.name);
        let mended = tool.and_then(|tool| tool.coerce(&call.arguments, self.coercion_options(tool)));
        if let Some(mended) = mended {
            call.set_arguments(mended.arguments);
        }
    }

    /// Starts a call, with coerced arguments if necessary.
    pub(super) fn begin_as_meant<'a>(
        &'a self,
        work: &'a Work<'a>,
        place: &'a Place,
    ) -> Result<(Work<'a>, Running<'a>), Box<CallError>> {
        match self.begin(work) {
            Ok(started) => Ok((*work, started)),
            Err(hindrance) => self.begin_mended(work, hindrance, place),
        }
    }

    /// Starts a call with invalid arguments, if they can be coerced.
    fn begin_mended<'a>(
        &'a self,
        work: &Work<'a>,
        hindrance: Hindrance,
        place: &'a Place,
    ) -> Result<(Work<'a>, Running<'a>), Box<CallError>> {
        let (tool, options) = (work.tool, self.coercion_options(work.tool));
        let (arguments, refusal) = match hindrance {
            Hindrance::Lasting(why) => return Err(not_started(tool, why).into()),
            // A null for an omitted argument may also be a valid value, so it is removed before the arguments are
            // decoded.
            Hindrance::Nulls => {
                let without = tool.coerce(work.arguments, CoercionOptions { lenient: false, ..options });
                let without = place.without_nulls.get_or_init(|| {
                    without.map_or_else(|| work.arguments.to_owned(), |mended| mended.arguments)
                });
                let work = Work { arguments: without, ..*work };
                match self.start(&work) {
                    Ok(started) => return Ok((work, started)),
                    Err(NotStarted::Refused(refusal)) => (&**without, refusal),
                    Err(why) => return Err(not_started(tool, why).into()),
                }
            }
            Hindrance::Refused(refusal) => (work.arguments, refusal),
        };
        let Some(mended) = tool.coerce(arguments, options) else {
            return Err(not_started(tool, NotStarted::Refused(refusal)).into());
        };
        let mended = place.mended.get_or_init(|| Understood {
            arguments: mended.arguments,
            coercions: Arc::new(mended.coercions),
        });
        // The remaining errors refer to the coerced arguments.
        let work = Work { arguments: &mended.arguments, ..*work };
        let started = self.start(&work).map_err(|why| not_started(tool, why))?;
        Ok((work, started))
    }
}

/// Owns the rewritten arguments while the tool borrows from them.
#[derive(Default)]
pub(super) struct Place {
    without_nulls: OnceLock<String>,
    mended: OnceLock<Understood>,
}

struct Understood {
    arguments: String,
    coercions: Coercions,
}

/// The reason why a call cannot start without coercion.
enum Hindrance {
    /// The arguments contain nulls, which a strict schema requires for omitted arguments.
    Nulls,
    /// The arguments are invalid; coercion may help.
    Refused(Box<ArgumentsError>),
    /// Coercion does not help.
    Lasting(NotStarted),
}
