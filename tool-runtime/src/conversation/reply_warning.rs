//! What looks wrong in a reply, for whoever runs the program.

use super::calls_in_text::begins_call;
use crate::message::{AssistantMessage, Echo};
use std::fmt;

/// Something in a reply that a server takes, and that still is a sign of a wrong setting.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplyWarning {
    /// The text is a tool call in the words of the model's template, such as `<tool_call>`: the server does not parse
    /// them. vLLM needs `--enable-auto-tool-choice` and a `--tool-call-parser`, llama.cpp needs `--jinja`.
    #[non_exhaustive]
    CallsInText {
        /// The words that it begins with.
        words: &'static str,
    },
    /// The reply has reasoning beside its calls, which [`Echo::Minimal`] drops; DeepSeek, Kimi and Gemini 3 refuse the
    /// next request for it while they think. [`Echo::Reasoning`] keeps it.
    ReasoningDropped,
    /// The reply ended before the model was done, at its limit of length for example: the answer may lack its end, and
    /// calls that were cut off are not run.
    CutShort,
    /// The reply was streamed, and its stream ended without a `finish_reason` and without `[DONE]`: the connection may
    /// have been cut, and the answer may lack its end. Some servers say neither.
    NoFinishReason,
    /// The reply neither says nor calls anything; that of a model which thinks may have reached its limit of length.
    Empty,
}

impl ReplyWarning {
    pub(super) fn of(reply: &AssistantMessage, echo: Echo) -> Vec<Self> {
        let mut warnings = Vec::new();
        if reply.is_cut_short() {
            warnings.push(ReplyWarning::CutShort);
        }
        if reply.ended_unsaid {
            warnings.push(ReplyWarning::NoFinishReason);
        }
        if !reply.tool_calls.is_empty() {
            if echo == Echo::Minimal && reply.has_reasoning() {
                warnings.push(ReplyWarning::ReasoningDropped);
            }
            return warnings;
        }
        let text = reply.text();
        if let Some(words) = begins_call(text) {
            warnings.push(ReplyWarning::CallsInText { words });
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
            ReplyWarning::CallsInText { words } => write!(
                f,
                "the reply has a tool call in its text ({words}), where the server should have parsed it: switch on its \
                 parser of tool calls (vLLM: --enable-auto-tool-choice and --tool-call-parser, llama.cpp: --jinja)"
            ),
            ReplyWarning::ReasoningDropped => f.write_str(
                "the reply has reasoning beside its calls, which is not sent back; if the server refuses the next request, \
                 use `.echo(Echo::Reasoning)`",
            ),
            ReplyWarning::CutShort => {
                f.write_str("the reply was cut short; if that is for its length, allow it more tokens")
            }
            ReplyWarning::NoFinishReason => f.write_str(
                "the stream of the reply ended without a finish reason and without [DONE]: its end may be missing",
            ),
            ReplyWarning::Empty => f.write_str("the reply is empty"),
        }
    }
}
