//! A scripted model. It needs no network, and checks each request like a provider.

pub mod approval;
pub mod chunks;
pub mod planner;
pub mod streaming;
pub mod weather;

use crate::provider_rules::{self, Rejection};
use serde_json::{Value, json};

/// The description of the scripted model, which the examples print.
pub const INTRODUCTION: &str = "a scripted model, built into this example; set OPENAI_BASE_URL (and OPENAI_API_KEY, OPENAI_MODEL) for a real one";

/// A model that replies by a script.
pub struct Scripted {
    script: fn(&[&str]) -> Value,
}

impl Scripted {
    /// Creates a model from a script. The script takes the contents of the tool messages since the last user message,
    /// and returns an assistant message in the format of a server.
    #[must_use]
    pub fn new(script: fn(&[&str]) -> Value) -> Self {
        Scripted { script }
    }

    /// The reply to a request.
    ///
    /// # Errors
    ///
    /// The request breaks a rule; the error has the message of a provider.
    pub fn answer(&self, request: &Value) -> Result<Value, Rejection> {
        provider_rules::check(request)?;
        let messages = request["messages"].as_array().map_or(&[][..], Vec::as_slice);
        let last_user = messages.iter().rposition(|message| message["role"] == "user").unwrap_or(0);
        let results: Vec<&str> = messages[last_user..]
            .iter()
            .filter(|message| message["role"] == "tool")
            .filter_map(|message| message["content"].as_str())
            .collect();
        Ok((self.script)(&results))
    }
}

/// An assistant message with these calls, in the format of OpenAI.
#[must_use]
pub fn assistant_calls(calls: &[(&str, &str, Value)]) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, name, arguments)| {
            json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments.to_string() } })
        })
        .collect();
    json!({ "role": "assistant", "content": null, "tool_calls": calls, "refusal": null, "annotations": [] })
}
