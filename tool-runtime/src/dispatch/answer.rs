//! The answer to one call, whatever it comes to.

use super::Dispatch;
use super::work::{Approval, Work};
use crate::context::Progress;
use crate::message::{Artifact, ERROR, ToolCall, ToolMessage};
use crate::outcome::CallError;
use crate::output::cut;
use crate::registry::{Entry, Registry};
use std::future::Future;
#[cfg(feature = "tracing")]
use tracing::Instrument as _;

/// What holds for one call of a dispatch.
pub(crate) struct CallTerms<'a> {
    pub(crate) approval: Approval,
    /// Where the caller wants to see how far it is.
    pub(crate) progress: Option<&'a Progress>,
    /// Why it is not run, by the name of its tool.
    pub(crate) refused: Option<fn(String) -> CallError>,
}

impl CallTerms<'_> {
    pub(crate) const NONE: Self = CallTerms { approval: Approval::None, progress: None, refused: None };
}

impl Registry {
    /// The answer to one call of a reply.
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

    /// Writes the answer into the message where it stays: to move messages through the futures of a batch costs more than
    /// to make them. Not an `async fn`, which keeps what it is given twice.
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
            let outcome = answer.outcome.get_or_insert_default();
            let result = match self.tool_to_run(index, call, terms) {
                Ok(tool) => {
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
                        answer.artifact = output.artifact.map(Artifact::new);
                    })
                }
                Err(error) => Err(error),
            };
            if let Err(error) = result {
                answer.content = self.shown(format!("{ERROR}{error}"), ERROR).into();
                outcome.failed(error);
            }
            outcome.duration = dispatch.started.elapsed();
            #[cfg(feature = "tracing")]
            self.record(&recorded, answer);
        };
        #[cfg(feature = "tracing")]
        let answering = answering.instrument(span);
        answering
    }

    /// The tool that is to be run.
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
        if call.is_cut_off {
            return Err(CallError::Truncated { tool: tool.name.to_string() }.into());
        }
        Ok(tool)
    }

    /// The limit of calls in one batch, where the call with this index is over it.
    pub(super) fn exceeded_by(&self, index: usize) -> Option<usize> {
        self.limits().max_calls_per_batch.filter(|&limit| index >= limit)
    }

    /// As much of a text as the model is shown. Its prefix is shown whole.
    #[inline]
    pub(super) fn shown(&self, text: String, prefix: &str) -> String {
        let Some(most) = self.limits().max_output_bytes else { return text };
        match cut(&text[prefix.len()..], most.saturating_sub(prefix.len())) {
            Some(cut) => [prefix, &cut].concat(),
            None => text,
        }
    }
}
