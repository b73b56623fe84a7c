//! One call run: its arguments read, and mended if need be; its panic caught.

use super::work::{Running, Work, not_started};
use crate::arguments::Refusal;
use crate::invocation::NotStarted;
use crate::mend::{Mended, Mending};
use crate::outcome::{CallError, Outcome};
use crate::output::ToolOutput;
use crate::panics;
use crate::registry::Registry;
use std::sync::Arc;

impl Registry {
    /// Runs a tool of this registry, and says what it came to, whatever it does.
    pub(super) async fn run(&self, work: &Work<'_>, outcome: &mut Outcome) -> Result<ToolOutput, CallError> {
        match panics::caught(self.run_uncaught(work, outcome)).await {
            Ok(result) => result,
            Err(source) => Err(CallError::Panicked { tool: work.tool.name.to_string(), source }),
        }
    }

    async fn run_uncaught(&self, work: &Work<'_>, outcome: &mut Outcome) -> Result<ToolOutput, CallError> {
        let started = match self.begin(work) {
            Ok(started) => started,
            // Boxed, since few calls come here.
            Err(hindrance) => return Box::pin(self.run_mended(work, hindrance, outcome)).await,
        };
        self.finish(work, started, outcome).await
    }

    async fn finish(
        &self,
        work: &Work<'_>,
        started: Running<'_>,
        outcome: &mut Outcome,
    ) -> Result<ToolOutput, CallError> {
        if self.has_steps(work) {
            // Boxed, since it is much the larger future, and not every call needs it.
            Box::pin(self.go_through_steps(work, started, outcome)).await
        } else {
            work.complete(started).await
        }
    }

    fn begin<'a>(&'a self, work: &'a Work<'a>) -> Result<Running<'a>, Hindrance> {
        if self.mending().null_is_absent && work.arguments.contains("null") {
            return Err(Hindrance::Nulls);
        }
        self.start(work).map_err(|why| match why {
            NotStarted::Refused(refusal) => Hindrance::Refused(refusal),
            why => Hindrance::Lasting(why),
        })
    }

    /// Runs a call whose arguments do not do as they are, if they can be mended.
    #[cold]
    async fn run_mended(
        &self,
        work: &Work<'_>,
        hindrance: Hindrance,
        outcome: &mut Outcome,
    ) -> Result<ToolOutput, CallError> {
        let mending = self.mending();
        let mended = match hindrance {
            Hindrance::Lasting(why) => return Err(not_started(work.tool, why)),
            // A null that stands for what is left out may be a value as well: it goes before the arguments are read.
            Hindrance::Nulls => {
                let without = work.tool.mend(work.arguments, Mending { slips: false, ..mending });
                let without = without.unwrap_or_else(|| Mended::as_written(work.arguments));
                let work = Work { arguments: &without.arguments, ..*work };
                match self.start(&work) {
                    Ok(started) => return self.finish(&work, started, outcome).await,
                    Err(NotStarted::Refused(refusal)) => {
                        work.tool.mend(&without.arguments, mending).ok_or(NotStarted::Refused(refusal))
                    }
                    Err(why) => Err(why),
                }
            }
            Hindrance::Refused(refusal) => {
                work.tool.mend(work.arguments, mending).ok_or(NotStarted::Refused(refusal))
            }
        };
        // What is still wrong is told of the arguments as they were understood.
        let mended = mended.map_err(|why| not_started(work.tool, why))?;
        let work = Work { arguments: &mended.arguments, ..*work };
        let started = self.start(&work).map_err(|why| not_started(work.tool, why))?;
        outcome.repairs = Some(Arc::new(mended.repairs));
        self.finish(&work, started, outcome).await
    }
}

/// Why a call cannot start as it is.
enum Hindrance {
    /// There are nulls, which a strict schema asks for in place of what is left out.
    Nulls,
    /// The arguments were refused, and may be mended.
    Refused(Box<Refusal>),
    Lasting(NotStarted),
}
