//! Detection of Chat Completions.

use crate::wire::detect::{Excerpt, has_array};

pub(super) fn recognizes(excerpt: Excerpt<'_>) -> bool {
    match excerpt {
        // Ollama's API has the same fields: its arguments are objects, and its results name their tool.
        Excerpt::CallsOrResult(message) => {
            let mut calls = message["tool_calls"].as_array().into_iter().flatten();
            !message["tool_name"].is_string() && !calls.any(|call| call["function"]["arguments"].is_object())
        }
        Excerpt::Part(part) => matches!(part["type"].as_str(), Some("image_url" | "input_audio" | "file")),
        Excerpt::Response(fields) => has_array(fields, "choices"),
        _ => false,
    }
}
