//! Detection of the Converse API.

use crate::wire::detect::Excerpt;

pub(super) fn recognizes(excerpt: Excerpt<'_>) -> bool {
    match excerpt {
        Excerpt::Part(part) => {
            const FIELDS: [&str; 5] = ["text", "toolUse", "toolResult", "reasoningContent", "cachePoint"];
            !part["type"].is_string() && FIELDS.iter().any(|field| !part[*field].is_null())
        }
        Excerpt::Fields(fields) => fields.get("output").is_some_and(|output| output.get("message").is_some()),
        _ => false,
    }
}
