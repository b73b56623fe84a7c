//! A model that follows a script: it needs no network, and checks each request as a provider would.

pub mod approval;
pub mod chunks;
pub mod planner;
pub mod streaming;
pub mod weather;

use crate::provider_rules::{self, Refusal};
use serde_json::{Value, json};

/// What a program prints that runs on a script.
pub const INTRODUCTION: &str = "a scripted model, built into this example; set OPENAI_BASE_URL (and OPENAI_API_KEY, OPENAI_MODEL) for a real one";

/// A script: from the answers that the tools gave to the last user message, what the model says next.
pub struct Scripted {
    script: fn(&[&str]) -> Value,
}

impl Scripted {
    /// A model that follows this script. It is called with the contents of the tool messages since the last
    /// user message, and returns an assistant message as a server would send it.
    #[must_use]
    pub fn new(script: fn(&[&str]) -> Value) -> Self {
        Scripted { script }
    }

    /// The reply to a request.
    ///
    /// # Errors
    ///
    /// A rule that the request breaks, in a provider's words.
    pub fn answer(&self, request: &Value) -> Result<Value, Refusal> {
        provider_rules::check(request)?;
        let messages = request["messages"].as_array().map_or(&[][..], Vec::as_slice);
        let last_user = messages.iter().rposition(|message| message["role"] == "user").unwrap_or(0);
        let answers: Vec<&str> = messages[last_user..]
            .iter()
            .filter(|message| message["role"] == "tool")
            .filter_map(|message| message["content"].as_str())
            .collect();
        Ok((self.script)(&answers))
    }
}

/// An assistant message that asks for these calls, as OpenAI sends it.
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
