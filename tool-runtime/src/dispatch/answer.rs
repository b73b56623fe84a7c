//! The tool message of one call.

use super::Dispatch;
use super::work::{Approval, Work};
use crate::context::Progress;
use crate::message::{Artifact, ERROR, ToolCall, ToolMessage};
use crate::outcome::CallError;
use crate::output::cut;
use crate::registry::{Entry, Registry};
use std::borrow::Cow;
use std::future::Future;
#[cfg(feature = "tracing")]
use tracing::Instrument as _;

/// The conditions of one call of a dispatch.
pub(crate) struct CallTerms<'a> {
    pub(crate) approval: Approval,
    /// The caller's progress, if it observes the call.
    pub(crate) progress: Option<&'a Progress>,
    /// The reason not to run the call: creates the error from the name of the tool.
    pub(crate) refused: Option<fn(String) -> CallError>,
}

impl CallTerms<'_> {
    pub(crate) const NONE: Self = CallTerms { approval: Approval::None, progress: None, refused: None };
}

impl Registry {
    /// Runs one call of a reply and returns its tool message.
    pub(crate) async fn answer(
        &self,
        index: usize,
        call: &ToolCall,
        terms: &CallTerms<'_>,
        dispatch: &Dispatch<'_>,
    ) -> ToolMessage {
        let mut answer = ToolMessage::blank(&call.id);
        self.answer_into(index, call, terms, dispatch, &mut answer).await;
        answer
    }

    /// Writes the result into the message in place, since moving a message through the futures of a batch takes longer
    /// than creating it. Not an `async fn`, which would store its arguments twice.
    pub(super) fn answer_into<'a>(
        &'a self,
        index: usize,
        call: &'a ToolCall,
        terms: &'a CallTerms<'a>,
        dispatch: &'a Dispatch<'a>,
        answer: &'a mut ToolMessage,
    ) -> impl Future<Output = ()> + Send + 'a {
        #[cfg(feature = "tracing")]
        let span = self.span(call);
        #[cfg(feature = "tracing")]
        let recorded = span.clone();
        let answering = async move {
            let outcome = answer.process.outcome.get_or_insert_default();
            let result = match self.tool_to_run(index, call, terms) {
                Ok(tool) => {
                    // The old name is empty. `clone_from` takes 30 instructions more.
                    #[allow(clippy::assigning_clones, reason = "it moves a budget")]
                    {
                        answer.tool = tool.name.clone();
                    }
                    let own_progress = Progress::default();
                    let progress = terms.progress.unwrap_or(&own_progress);
                    let approval = terms.approval;
                    let work = Work {
                        approval,
                        ..Work::new(tool, &call.id, &call.arguments, dispatch.batch, progress)
                    };
                    let result = self.run(&work, outcome).await;
                    outcome.has_begun = progress.has_begun();
                    result.map(|output| {
                        answer.content = self.shown(output.text, "").into();
                        answer.process.artifact = output.artifact.map(Artifact::new);
                    })
                }
                Err(error) => Err(error),
            };
            if let Err(error) = result {
                answer.content = self.shown(format!("{ERROR}{error}"), ERROR).into();
                answer.error_kind = Some(Cow::Borrowed(error.kind()));
                if answer.tool.is_empty() {
                    answer.tool = Cow::Owned(call.name.clone());
                }
                outcome.set_error(error);
            }
            outcome.duration = dispatch.started.elapsed();
            #[cfg(feature = "tracing")]
            self.record(&recorded, answer);
        };
        #[cfg(feature = "tracing")]
        let answering = answering.instrument(span);
        answering
    }

    /// The tool to run, or the reason why the call does not run.
    fn tool_to_run(
        &self,
        index: usize,
        call: &ToolCall,
        terms: &CallTerms<'_>,
    ) -> Result<&Entry, Box<CallError>> {
        if let Some(limit) = self.exceeded_by(index) {
            return Err(CallError::TooManyCalls { limit }.into());
        }
        let Some(tool) = self.entry(&call.name) else {
            return Err(CallError::UnknownTool(self.unknown_tool(&call.name)).into());
        };
        if let Some(refused) = terms.refused {
            return Err(refused(tool.name.to_string()).into());
        }
        if call.is_truncated {
            return Err(CallError::Truncated { tool: tool.name.to_string() }.into());
        }
        Ok(tool)
    }

    /// The limit of calls in one batch, if this index exceeds it.
    pub(super) fn exceeded_by(&self, index: usize) -> Option<usize> {
        self.limits().max_calls_per_batch.filter(|&limit| index >= limit)
    }

    /// Truncates a text to the limit of the registry. Its prefix is always kept.
    #[inline]
    pub(super) fn shown(&self, text: String, prefix: &str) -> String {
        let Some(most) = self.limits().max_output_bytes else { return text };
        match cut(&text[prefix.len()..], most.saturating_sub(prefix.len())) {
            Some(cut) => [prefix, &cut].concat(),
            None => text,
        }
    }
}
