//! Detection of the Interactions API.

use crate::wire::detect::{Excerpt, has_array};
use serde_json::Value;

pub(super) fn recognizes(excerpt: Excerpt<'_>) -> bool {
    match excerpt {
        Excerpt::Request(body) => {
            let mut steps = body["input"].as_array().into_iter().flatten();
            let has_step = steps.any(|step| step["type"].as_str().is_some_and(is_step));
            has_step || body["system_instruction"].is_string() && !body["input"].is_null()
        }
        Excerpt::Fields(fields) => {
            has_array(fields, "steps") || fields.get("type").and_then(Value::as_str).is_some_and(is_step)
        }
        Excerpt::ElementType(kind) => is_step(kind),
        _ => false,
    }
}

fn is_step(kind: &str) -> bool {
    matches!(kind, "user_input" | "model_output" | "thought" | "function_result")
}
