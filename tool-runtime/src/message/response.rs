//! What stands around a reply: the choice that it is the message of, the response with its choices, or an error in the
//! place of these.

use super::wire::WireMessage;
use serde::Deserialize;
use serde_json::Value;

/// One of the `choices` of a response.
#[derive(Deserialize)]
#[serde(expecting = "a choice")]
pub(super) struct WireChoice {
    pub(super) message: WireMessage,
    /// Ollama's own API has another name for it.
    #[serde(default, alias = "done_reason")]
    pub(super) finish_reason: Option<String>,
}

impl WireMessage {
    /// The choice that this is, or the first of the response that it is, where it is no message.
    pub(super) fn take_choice(&mut self) -> Result<Option<WireChoice>, String> {
        if !self.is_no_message() {
            return match self.other.get("error").and_then(error_text) {
                Some(error) if self.is_silent() => Err(format!("expected a reply, got an error: {error}")),
                _ => Ok(None),
            };
        }
        let mut choice = Value::Object(std::mem::take(&mut self.other));
        if told_error(&choice).is_none() {
            if let Some(first) = choice.pointer_mut("/choices/0") {
                choice = first.take();
            }
        }
        if let Some(error) = told_error(&choice) {
            return Err(format!("expected a reply, got an error: {error}"));
        }
        if choice["message"].is_object() {
            return serde_json::from_value(choice).map(Some).map_err(|error| error.to_string());
        }
        let beginning: String = choice.to_string().chars().take(200).collect();
        Err(format!("expected a reply, or a response with one in its `choices`, got {beginning}"))
    }
}

/// The text of an error, in any of the shapes in which servers send one.
fn told_error(response: &Value) -> Option<String> {
    let alone = || response.get("message").or_else(|| response.get("detail"))?.as_str().map(str::to_owned);
    response.get("error").and_then(error_text).or_else(alone)
}

/// The text of what stands under `error`, if it is one.
pub(crate) fn error_text(error: &Value) -> Option<String> {
    match error {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Object(fields) => {
            let told = fields.get("message").and_then(Value::as_str);
            Some(told.map_or_else(|| error.to_string(), str::to_owned))
        }
        _ => None,
    }
}
