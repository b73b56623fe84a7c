//! Detection of Ollama's own API.

use crate::wire::detect::Excerpt;
use serde_json::Value;

pub(super) fn recognizes(excerpt: Excerpt<'_>) -> bool {
    match excerpt {
        Excerpt::CallsOrResult(message) => {
            let calls = message["tool_calls"].as_array().into_iter().flatten();
            let mut object_calls = calls.filter(|call| call["function"]["arguments"].is_object()).peekable();
            if object_calls.peek().is_none() {
                return message["tool_name"].is_string();
            }
            // Some servers of Chat Completions, such as llama.cpp, also send and take arguments that are objects. So a call
            // with both an object and an id decides nothing: the result after it does.
            object_calls.all(|call| call["id"].is_null())
        }
        Excerpt::Message(message) => message["images"].is_array() || message["thinking"].is_string(),
        Excerpt::Response(fields) => {
            fields.get("message").is_some_and(Value::is_object)
                && fields.get("done").is_some_and(Value::is_boolean)
        }
        _ => false,
    }
}
