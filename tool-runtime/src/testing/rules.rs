//! The rules by which providers reject requests.

#[cfg(feature = "anthropic")]
mod anthropic;
mod chat_completions;
#[cfg(feature = "gemini")]
mod gemini;
#[cfg(feature = "ollama")]
mod ollama;
mod response_format;
#[cfg(feature = "responses")]
mod responses;

use crate::wire::Wire;
use serde_json::Value;
use std::error::Error;
use std::fmt;

/// The reason why a provider would reject a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RejectedError {
    /// The error message of the provider.
    pub message: String,
    /// The invalid part of the request, in the words of the provider: for example `messages.[2].role`. Empty if the
    /// message names it.
    pub param: String,
}

/// Checks the body of a request by the rules of the providers that accept the format of this wire: the pairing of calls
/// and results, empty contents, unknown fields, names of tools, and response formats.
///
/// For [`ChatCompletions`](crate::wire::ChatCompletions), the rules are those that its providers have in common. A wire that
/// wraps another one has the rules of that wire, if it returns its name. The fields of the program, such as `model`, are not
/// checked.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::testing::check_request;
/// use tool_runtime::wire::ChatCompletions;
///
/// let orphan = json!({"role": "tool", "tool_call_id": "call_1", "content": "sunny"});
/// let body = json!({"messages": [{"role": "user", "content": "Beijing?"}, orphan]});
/// let rejected = check_request(&ChatCompletions::new(), &body).expect_err("there is no call");
/// assert!(rejected.message.contains("messages with role 'tool' must be a response"));
/// ```
///
/// A [`Request`](crate::conversation::Request) has valid messages, so a test of an invalid request writes the messages
/// itself: `wire.write(&RequestParts::new(&messages))`, and `serde_json::to_value` of the body.
///
/// # Errors
///
/// The request breaks a rule; the error has the message of a provider for the first one.
pub fn check_request(wire: &dyn Wire, body: &Value) -> Result<(), RejectedError> {
    match wire.name() {
        "chat_completions" => chat_completions::check(wire, body),
        #[cfg(feature = "anthropic")]
        "anthropic" => anthropic::check(body),
        #[cfg(feature = "responses")]
        "responses" => responses::check(body),
        #[cfg(feature = "gemini")]
        "gemini" => gemini::check(body),
        #[cfg(feature = "ollama")]
        "ollama" => ollama::check(body),
        name => reject(
            "",
            format!(
                "there are no rules for the wire `{name}`: a wire that wraps another one returns its name"
            ),
        ),
    }
}

fn reject<T>(param: impl Into<String>, message: impl Into<String>) -> Result<T, RejectedError> {
    Err(RejectedError { message: message.into(), param: param.into() })
}

/// The elements of an array; none if it is not one.
fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The first field of an object that is not among these.
fn unknown_field<'a>(object: &'a Value, known: &[&str]) -> Option<&'a str> {
    object.as_object()?.keys().map(String::as_str).find(|field| !known.contains(field))
}

impl fmt::Display for RejectedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.param {
            "" => write!(f, "the request is rejected: {}", self.message),
            param => write!(f, "the request is rejected: {} (param: {param})", self.message),
        }
    }
}

impl Error for RejectedError {}
