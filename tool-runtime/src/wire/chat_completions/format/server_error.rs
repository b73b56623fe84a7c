//! Errors that servers send instead of a reply or a chunk, or within a chunk, in any of their formats.

use super::event::ReadChunk;
use crate::message::StreamError;
use crate::wire::error::server_message;
use serde_json::Value;

impl ReadChunk {
    /// The error that the server sends instead of a chunk, or within one.
    pub(super) fn take_error(&mut self) -> Option<StreamError> {
        let error = self.error.take();
        if is_error(&error) {
            // If it is a number or `true`, its text is in another field.
            let text =
                server_message(&error).or_else(|| self.other_texts().find_map(|text| server_message(&text)));
            return Some(server_error(text, error));
        }
        if self.object == "error" {
            return self.take_possible_error();
        }
        // OpenRouter sends the error in the choice: <https://openrouter.ai/docs/api/errors>.
        let mut choices = self.choices.iter_mut().flatten();
        let error = choices.find_map(|choice| Some(choice.error.take()).filter(is_error))?;
        Some(server_error(server_message(&error), error))
    }

    /// A status that is an error if no reply follows.
    pub(super) fn take_possible_error(&mut self) -> Option<StreamError> {
        let status = self.base_resp.get_mut("status_msg").map(Value::take).filter(is_error);
        let error = self.other_texts().next().or(status)?;
        Some(server_error(server_message(&error), error))
    }

    fn other_texts(&mut self) -> impl Iterator<Item = Value> {
        let texts = [&mut self.message, &mut self.msg, &mut self.error_message].map(Value::take);
        let texts = texts.into_iter().filter(Value::is_string);
        texts.chain([self.detail.take(), self.errors.take()]).filter(is_error)
    }
}

/// Whether the value reports an error: some servers send a zero or empty value with each chunk.
fn is_error(error: &Value) -> bool {
    match error {
        Value::Null => false,
        Value::Bool(is_error) => *is_error,
        Value::Number(code) => code.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(fields) => fields.values().any(is_error),
    }
}

fn server_error(text: Option<String>, error: Value) -> StreamError {
    let text = text.filter(|text| !text.is_empty());
    StreamError::Server { message: text.unwrap_or_else(|| error.to_string()), error }
}
