//! Requests with breakpoints of the prompt cache.

use std::sync::Arc;
use tool_runtime::wire::{Anthropic, Bedrock, Cache, Wire};
use tool_runtime::{Conversation, Registry};

/// Prints a request for each conversation and each kind of cache.
pub(crate) fn print(registry: &Registry, chats: &[(&str, Conversation)]) {
    let all = Cache::new().tools().system().newest_messages(2);
    let caches = [
        ("five minutes", all),
        ("one hour", all.one_hour()),
        ("automatic", Cache::new().tools().system().newest_messages(4).automatic().one_hour()),
        ("only automatic", Cache::new().automatic()),
    ];
    for (settings, cache) in caches {
        let wires: [Arc<dyn Wire>; 2] =
            [Arc::new(Anthropic::new().cache(cache)), Arc::new(Bedrock::new().cache(cache))];
        for wire in &wires {
            for (name, chat) in chats {
                crate::print(&format!("{name}, cache: {settings}"), wire, &chat.request(registry));
            }
        }
    }
}
