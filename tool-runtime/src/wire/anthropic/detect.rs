//! Detection of the Messages API.

use crate::wire::detect::Excerpt;
use serde_json::Value;

pub(super) fn recognizes(excerpt: Excerpt<'_>) -> bool {
    match excerpt {
        Excerpt::RequestOfMessages(body) => {
            // The memory tool and others that Anthropic defines have a version in their type, and no schema.
            let is_versioned = |kind: &str| {
                let (name, version) = kind.rsplit_once('_').unwrap_or_default();
                !name.is_empty() && version.len() == 8 && version.bytes().all(|byte| byte.is_ascii_digit())
            };
            let has_schema = |tool: &Value| {
                tool["input_schema"].is_object() || tool["type"].as_str().is_some_and(is_versioned)
            };
            !body["system"].is_null() || body["tools"].as_array().into_iter().flatten().any(has_schema)
        }
        Excerpt::Part(part) => match part["type"].as_str() {
            Some("image" | "document") => part["source"].is_object(),
            // Mistral has thinking with a list of parts.
            Some("thinking") => part["thinking"].is_string(),
            Some(kind) => kind.ends_with("tool_use") || kind.ends_with("tool_result"),
            None => false,
        },
        Excerpt::PartType(kind) => {
            matches!(
                kind,
                "tool_use" | "tool_result" | "server_tool_use" | "redacted_thinking" | "tool_addition"
            )
        }
        Excerpt::Fields(fields) => {
            fields.get("type").is_some_and(|kind| kind == "message") && fields.contains_key("stop_reason")
        }
        _ => false,
    }
}
