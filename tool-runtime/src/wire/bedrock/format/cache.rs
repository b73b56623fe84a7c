//! Cache points: <https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html>.

use crate::wire::Cache;
use crate::wire::element::Element;
use crate::wire::role_messages::RoleMessages;
use serde_json::json;

/// The block after the part of the prompt that is stored.
pub(super) fn cache_point(cache: Cache) -> Element<'static> {
    let mut point = json!({ "type": "default" });
    if cache.one_hour {
        point["ttl"] = "1h".into();
    }
    json!({ "cachePoint": point }).into()
}

/// Adds the cache points of the messages, in place of those that were read. `has_tools`: the tools may have one.
pub(super) fn add_cache_points<'a>(
    system: &mut Vec<Element<'a>>,
    messages: &mut RoleMessages<'a>,
    cache: Cache,
    has_tools: bool,
) {
    if cache.is_empty() {
        return;
    }
    for content in std::iter::once(&mut *system).chain(messages.contents()) {
        content.retain(|block| !block.has("cachePoint"));
    }
    let mut others = usize::from(cache.tools && has_tools);
    if cache.system && !system.is_empty() {
        system.push(cache_point(cache));
        others += 1;
    }
    let count = cache.message_breakpoints(others).max(usize::from(cache.automatic));
    for content in messages.newest_of_user(count) {
        content.push(cache_point(cache));
    }
}
