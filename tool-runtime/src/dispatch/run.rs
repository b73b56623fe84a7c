//! One call run: its arguments read, and mended if need be; its panic caught.

use super::work::{CallResult, Running, Work, not_started, panicked};
use crate::arguments::ArgumentsError;
use crate::coerce::CoercionOptions;
use crate::invocation::NotStarted;
use crate::message::ToolCall;
use crate::outcome::{CallError, Coercions, Outcome};
use crate::panics::{self, Held};
use crate::registry::Registry;
use std::sync::{Arc, OnceLock};

impl Registry {
    /// Runs a tool of this registry, and says what it came to, whatever it does.
    ///
    /// What not every call needs is boxed: the future of a batch has this one for each of its calls, and copies it.
    pub(super) async fn run(&self, work: &Work<'_>, outcome: &mut Outcome) -> CallResult {
        let result = match panics::guarded(|| self.begin(work)) {
            Ok(Ok(started)) if !self.has_steps(work) => return work.complete(started).await,
            Ok(Ok(started)) => Held::new(Box::pin(self.go_through_steps(work, started, outcome))).await,
            Ok(Err(hindrance)) => Held::new(Box::pin(self.run_mended(work, hindrance, outcome))).await,
            Err(source) => Err(source),
        };
        result.unwrap_or_else(|source| Err(panicked(work.tool, source).into()))
    }

    fn begin<'a>(&'a self, work: &'a Work<'a>) -> Result<Running<'a>, Hindrance> {
        if self.coercion_options().null_is_absent && work.arguments.contains("null") {
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

    /// Gives a call the arguments as they are understood, where what the model wrote is not JSON: the history has
    /// those.
    pub(crate) fn write_as_understood(&self, call: &mut ToolCall) {
        if !self.coercion_options().lenient || call.is_cut_off || call.has_an_object() {
            return;
        }
        let tool = self.entry(&call.name);
        if let Some(mended) = tool.and_then(|tool| tool.coerce(&call.arguments, self.coercion_options())) {
            call.set_arguments(mended.arguments);
        }
    }

    /// Begins a call with the arguments that its tool will get: mended, if need be.
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

    /// Begins a call whose arguments do not do as they are, if they can be mended.
    fn begin_mended<'a>(
        &'a self,
        work: &Work<'a>,
        hindrance: Hindrance,
        place: &'a Place,
    ) -> Result<(Work<'a>, Running<'a>), Box<CallError>> {
        let (tool, options) = (work.tool, self.coercion_options());
        let (arguments, refusal) = match hindrance {
            Hindrance::Lasting(why) => return Err(not_started(tool, why).into()),
            // A null that stands for what is left out may be a value as well: it goes before the arguments are read.
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
        // What is still wrong is told of the arguments as they were understood.
        let work = Work { arguments: &mended.arguments, ..*work };
        let started = self.start(&work).map_err(|why| not_started(tool, why))?;
        Ok((work, started))
    }
}

/// Where arguments are kept that were written anew, while the tool reads them.
#[derive(Default)]
pub(super) struct Place {
    without_nulls: OnceLock<String>,
    mended: OnceLock<Understood>,
}

struct Understood {
    arguments: String,
    coercions: Coercions,
}

/// Why a call cannot start as it is.
enum Hindrance {
    /// There are nulls, which a strict schema asks for in place of what is left out.
    Nulls,
    /// The arguments were refused, and may be mended.
    Refused(Box<ArgumentsError>),
    Lasting(NotStarted),
}
