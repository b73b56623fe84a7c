//! Amazon's Converse API, whose histories are recognised; there is no wire for it:
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html>.

use super::detect::Excerpt;
use super::provider::Provider;

pub(super) static PROVIDER: Provider = Provider::new("bedrock", recognizes);

fn recognizes(excerpt: Excerpt<'_>) -> bool {
    match excerpt {
        Excerpt::Part(part) => {
            !part["type"].is_string()
                && ["text", "toolUse", "toolResult"].iter().any(|field| !part[*field].is_null())
        }
        Excerpt::Fields(fields) => fields.get("output").is_some_and(|output| output.get("message").is_some()),
        _ => false,
    }
}
