//! Warnings about replies, for the operator of the program.

use super::unparsed_calls::begins_call;
use crate::message::{AssistantMessage, Completeness};
use std::fmt;

/// A warning about a valid reply that indicates a wrong setting.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplyWarning {
    /// The text is a tool call in the format of the model's template, such as `<tool_call>`, which the server did not
    /// parse. vLLM needs `--enable-auto-tool-choice` and a `--tool-call-parser`, llama.cpp needs `--jinja`.
    #[non_exhaustive]
    UnparsedCalls {
        /// The marker at the start of the call.
        words: &'static str,
    },
    /// The reply was truncated, for example at its token limit: the end of the text may be missing, and truncated calls
    /// do not run.
    Truncated,
    /// The stream of the reply ended without a `finish_reason` and without `[DONE]`. The connection may have failed,
    /// and the end of the reply may be missing; some servers send neither.
    NoFinishReason,
    /// The reply has neither text nor calls. A reasoning model may have reached its token limit.
    Empty,
}

impl ReplyWarning {
    pub(super) fn of(reply: &AssistantMessage) -> Vec<Self> {
        let mut warnings = Vec::new();
        match reply.completeness() {
            Completeness::Truncated if reply.refusal().is_none() => warnings.push(ReplyWarning::Truncated),
            Completeness::Unconfirmed => warnings.push(ReplyWarning::NoFinishReason),
            // The provider continues the reply.
            Completeness::Paused => return warnings,
            Completeness::Truncated | Completeness::Unknown | Completeness::Complete => {}
        }
        if !reply.tool_calls.is_empty() {
            return warnings;
        }
        let text = reply.text();
        if let Some(words) = begins_call(text) {
            warnings.push(ReplyWarning::UnparsedCalls { words });
        }
        if text.trim().is_empty() && reply.refusal().is_none() {
            warnings.push(ReplyWarning::Empty);
        }
        warnings
    }
}

impl fmt::Display for ReplyWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplyWarning::UnparsedCalls { words } => write!(
                f,
                "the reply has a tool call in its text ({words}) that the server did not parse: enable the tool call parser \
                 of the server (vLLM: --enable-auto-tool-choice and --tool-call-parser, llama.cpp: --jinja)"
            ),
            ReplyWarning::Truncated => {
                f.write_str("the reply was truncated; if it reached the token limit, raise the limit")
            }
            ReplyWarning::NoFinishReason => f.write_str(
                "the stream of the reply ended without a finish reason and without [DONE]: its end may be missing",
            ),
            ReplyWarning::Empty => f.write_str("the reply is empty"),
        }
    }
}
