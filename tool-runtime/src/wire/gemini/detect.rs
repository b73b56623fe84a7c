//! Detection of the Gemini API.

use crate::wire::detect::{Excerpt, has_array};

pub(super) fn recognizes(excerpt: Excerpt<'_>) -> bool {
    match excerpt {
        Excerpt::Request(body) => body["contents"].is_array(),
        // A content with results may have the role `function`.
        Excerpt::Content(content) => content["parts"].is_array(),
        Excerpt::Fields(fields) => has_array(fields, "candidates") || has_array(fields, "parts"),
        _ => false,
    }
}
