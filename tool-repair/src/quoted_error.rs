//! The error messages of providers for requests with invalid messages.

mod anthropic;
mod bedrock;
mod chat_completions;
mod gemini;
mod responses;

use tool_runtime::history::Violation;
use tool_runtime::wire::Wire;

/// An error message of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuotedError {
    /// The name of the provider.
    pub by: &'static str,
    /// The message, word for word. An index in it is that of the validated message. Messages of Bedrock have `N` in place of an
    /// index, and those of Anthropic and of the Responses API have no path.
    pub text: String,
}

/// The error message of a provider of this wire for a request with this violation; if it has none, that of a provider of Chat
/// Completions. `None` if no message is known.
///
/// ```
/// use tool_runtime::wire::ChatCompletions;
/// use tool_runtime::{AssistantMessage, ToolCall, history};
/// use tool_runtime_repair::quoted_error;
///
/// let calls = vec![ToolCall::new("call_1", "now", "{}")];
/// let messages = [AssistantMessage::from_tool_calls(calls).into()];
/// let error = history::validate(&messages).expect_err("the call has no tool message");
/// let quoted = quoted_error(&error[0], &ChatCompletions::new()).expect("providers reject it");
/// assert_eq!(quoted.by, "OpenAI");
/// assert!(quoted.text.contains("must be followed by tool messages"));
/// ```
#[must_use]
pub fn quoted_error(violation: &Violation, wire: &dyn Wire) -> Option<QuotedError> {
    let quoted = match wire.name() {
        "anthropic" => anthropic::quoted_error(violation),
        "bedrock" => bedrock::quoted_error(violation),
        "gemini" => gemini::quoted_error(violation),
        "responses" => responses::quoted_error(violation),
        _ => None,
    };
    quoted.or_else(|| chat_completions::quoted_error(violation))
}
