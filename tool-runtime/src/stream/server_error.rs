//! The errors that servers send in the place of a chunk, or beside one, in the many shapes that they have.

use super::StreamError;
use super::wire_chunk::WireChunk;
use crate::message::error_text;
use serde_json::Value;

impl WireChunk {
    /// The error that the server sends in the place of a chunk, or beside it.
    pub(super) fn take_error(&mut self) -> Option<StreamError> {
        let error = self.error.take();
        if is_said(&error) {
            // Where it is a number or `true`, its text is beside it.
            let text = error_text(&error).or_else(|| self.beside().find_map(|beside| error_text(&beside)));
            return Some(server_error(text, error));
        }
        if self.object == "error" {
            return self.take_doubt();
        }
        // OpenRouter has it in the choice: <https://openrouter.ai/docs/api/errors>.
        let mut choices = self.choices.iter_mut().flatten();
        let error = choices.find_map(|choice| Some(choice.error.take()).filter(is_said))?;
        Some(server_error(error_text(&error), error))
    }

    /// What is an error if nothing comes behind it, and may be the state of the server otherwise.
    pub(super) fn take_doubt(&mut self) -> Option<StreamError> {
        let status = self.base_resp.get_mut("status_msg").map(Value::take).filter(is_said);
        let error = self.beside().next().or(status)?;
        Some(server_error(error_text(&error), error))
    }

    fn beside(&mut self) -> impl Iterator<Item = Value> {
        let texts = [&mut self.message, &mut self.msg, &mut self.error_message].map(Value::take);
        let texts = texts.into_iter().filter(Value::is_string);
        texts.chain([self.detail.take(), self.errors.take()]).filter(is_said)
    }
}

/// Whether there is anything in it: some servers write the zero of each field with each chunk.
fn is_said(error: &Value) -> bool {
    match error {
        Value::Null => false,
        Value::Bool(is_error) => *is_error,
        Value::Number(code) => code.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(fields) => fields.values().any(is_said),
    }
}

fn server_error(text: Option<String>, error: Value) -> StreamError {
    let text = text.filter(|text| !text.is_empty());
    StreamError::Server { message: text.unwrap_or_else(|| error.to_string()), error }
}
