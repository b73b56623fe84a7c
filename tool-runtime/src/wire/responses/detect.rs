//! Detection of the Responses API.

use crate::wire::detect::{Excerpt, has_array};
use serde_json::Value;

pub(super) fn recognizes(excerpt: Excerpt<'_>) -> bool {
    match excerpt {
        // The array `contents` of the Gemini API decides before any other field.
        Excerpt::Request(body) => !body["input"].is_null() && !body["contents"].is_array(),
        Excerpt::Part(part) => matches!(part["type"].as_str(), Some("input_image" | "input_file")),
        Excerpt::PartType(kind) => {
            matches!(kind, "function_call" | "function_call_output" | "output_text" | "input_text")
        }
        Excerpt::Fields(fields) => {
            let kind = fields.get("type").and_then(Value::as_str);
            has_array(fields, "output") || kind.is_some_and(|kind| kind.starts_with("function_call"))
        }
        Excerpt::ElementType(kind) => {
            matches!(kind, "message" | "reasoning" | "item_reference" | "tool_search_output")
                || kind.ends_with("_call")
                || kind.ends_with("_call_output")
        }
        _ => false,
    }
}
