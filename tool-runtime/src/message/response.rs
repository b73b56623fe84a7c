//! The parts of a response around a reply: the choice, the response with its choices, or an error instead of them.

use super::wire::WireMessage;
use serde::Deserialize;
use serde_json::Value;

/// One of the `choices` of a response.
#[derive(Deserialize)]
#[serde(expecting = "a choice")]
pub(super) struct WireChoice {
    pub(super) message: WireMessage,
    /// `done_reason` is its name in Ollama's own API.
    #[serde(default, alias = "done_reason")]
    pub(super) finish_reason: Option<String>,
}

impl WireMessage {
    /// The choice, if this is a choice, or the first choice, if this is a response; `None` if this is a message.
    pub(super) fn take_choice(&mut self) -> Result<Option<WireChoice>, String> {
        if !self.is_no_message() {
            return match self.other.get("error").and_then(error_text) {
                Some(error) if self.is_silent() => Err(format!("expected a reply, got an error: {error}")),
                _ => Ok(None),
            };
        }
        let mut choice = Value::Object(std::mem::take(&mut self.other));
        if response_error(&choice).is_none() {
            if let Some(first) = choice.pointer_mut("/choices/0") {
                choice = first.take();
            }
        }
        if let Some(error) = response_error(&choice) {
            return Err(format!("expected a reply, got an error: {error}"));
        }
        if choice["message"].is_object() {
            return serde_json::from_value(choice).map(Some).map_err(|error| error.to_string());
        }
        let beginning: String = choice.to_string().chars().take(200).collect();
        Err(format!("expected a reply, or a response with one in its `choices`, got {beginning}"))
    }
}

/// The text of the error, in any of the formats in which servers send errors.
fn response_error(response: &Value) -> Option<String> {
    let alone = || response.get("message").or_else(|| response.get("detail"))?.as_str().map(str::to_owned);
    response.get("error").and_then(error_text).or_else(alone)
}

/// The text of the value of `error`, if it is an error.
pub(crate) fn error_text(error: &Value) -> Option<String> {
    match error {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Object(fields) => {
            let message = fields.get("message").and_then(Value::as_str);
            Some(message.map_or_else(|| error.to_string(), str::to_owned))
        }
        _ => None,
    }
}
