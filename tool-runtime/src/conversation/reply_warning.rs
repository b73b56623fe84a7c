//! Warnings about replies, for the operator of the program.

use crate::message::{AssistantMessage, Completeness};
use crate::outcome::LogWriter;
use crate::wire::PrefixChange;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use tool_runtime_schema::unparsed_calls::begins_call;

/// A warning about a valid reply, or about its request, that indicates a wrong setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReplyWarning {
    /// The text has a tool call in the format of the model's template, such as `<tool_call>`, which the server did not parse, or
    /// the finish reason reports calls and there are none. vLLM needs `--enable-auto-tool-choice` and a `--tool-call-parser`,
    /// llama.cpp needs `--jinja`.
    #[non_exhaustive]
    UnparsedCalls {
        /// The marker at the start of the call, or the finish reason that reports calls.
        words: Cow<'static, str>,
    },
    /// The provider discarded a call of the model, since it was malformed: Gemini's `MALFORMED_FUNCTION_CALL`. A run asks again,
    /// within its limits.
    #[non_exhaustive]
    MalformedCall {
        /// The message of the provider; empty if it sent none.
        message: String,
    },
    /// The reply was truncated, for example at its token limit: the end of the text may be missing, and truncated calls
    /// do not run.
    Truncated,
    /// The stream of the reply ended without a `finish_reason` and without `[DONE]`. The connection may have failed,
    /// and the end of the reply may be missing; some servers send neither.
    NoFinishReason,
    /// The reply has neither text nor calls. A reasoning model may have reached its token limit.
    Empty,
    /// The request forced a tool call, and the reply does not have it. Some servers ignore the tool choice.
    #[non_exhaustive]
    ForcedToolNotCalled {
        /// The tool; `None` if any tool was required.
        tool: Option<String>,
    },
    /// The request cannot have the tool choice that [`map_request`](crate::session::Run::map_request) set, since it has no
    /// such tool. The model decided itself.
    #[non_exhaustive]
    IgnoredToolChoice {
        /// The tool; `None` if any tool was required.
        tool: Option<String>,
    },
    /// An answer was rejected: it does not have the type of the run ([`Run::answer_as`](crate::session::Run::answer_as)), or
    /// its reply has other calls. The run asks again, within its limits.
    #[non_exhaustive]
    InvalidAnswer {
        /// The reason, as the model receives it.
        reason: String,
    },
    /// The run has a limit of tokens, and the response does not report the tokens that it took.
    UnknownUsage,
    /// The request invalidates what the provider's prompt cache has of the request before it
    /// ([`Run::check_cache_prefix`](crate::session::Run::check_cache_prefix)).
    #[non_exhaustive]
    CachePrefixChanged {
        /// The first change.
        change: PrefixChange,
    },
}

impl ReplyWarning {
    pub(crate) fn from_reply(reply: &AssistantMessage) -> Vec<Self> {
        if let Some(message) = reply.malformed_call() {
            return vec![ReplyWarning::MalformedCall { message: message.to_owned() }];
        }
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
        if let Some(words) = begins_call(text).or_else(|| reply.missing_calls()) {
            warnings.push(ReplyWarning::UnparsedCalls { words: words.into() });
        }
        if text.trim().is_empty() && reply.refusal().is_none() {
            warnings.push(ReplyWarning::Empty);
        }
        warnings
    }
}

impl fmt::Display for ReplyWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut LogWriter(f);
        match self {
            ReplyWarning::UnparsedCalls { words } => write!(
                f,
                "the reply has a tool call that the server did not parse ({words}): enable the tool call parser \
                 of the server (vLLM: --enable-auto-tool-choice and --tool-call-parser, llama.cpp: --jinja)"
            ),
            ReplyWarning::MalformedCall { message } if message.is_empty() => {
                f.write_str("the provider discarded a malformed call of the model")
            }
            ReplyWarning::MalformedCall { message } => {
                write!(f, "the provider discarded a malformed call of the model: {message}")
            }
            ReplyWarning::Truncated => {
                f.write_str("the reply was truncated; if it reached the token limit, raise the limit")
            }
            ReplyWarning::NoFinishReason => f.write_str(
                "the stream of the reply ended without a finish reason and without [DONE]: its end may be missing",
            ),
            ReplyWarning::Empty => f.write_str("the reply is empty"),
            ReplyWarning::ForcedToolNotCalled { tool: Some(tool) } => {
                write!(f, "the reply does not call the tool `{tool}`, which the request required")
            }
            ReplyWarning::ForcedToolNotCalled { tool: None } => {
                f.write_str("the reply calls no tool, although the request required a call")
            }
            ReplyWarning::IgnoredToolChoice { tool: Some(tool) } => {
                write!(f, "the tool choice is ignored: the request has no tool `{tool}`")
            }
            ReplyWarning::IgnoredToolChoice { tool: None } => {
                f.write_str("the tool choice is ignored: the request has no tools")
            }
            ReplyWarning::InvalidAnswer { reason } => write!(f, "the answer is rejected: {reason}"),
            ReplyWarning::CachePrefixChanged { change } => {
                write!(f, "the prompt cache of the request before is lost: {change}")
            }
            ReplyWarning::UnknownUsage => f.write_str(
                "the limit of tokens has no effect: the response does not report the tokens that it took",
            ),
        }
    }
}
