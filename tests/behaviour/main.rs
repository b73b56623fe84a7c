//! Tests of the library's behaviour through its public interface.

#![allow(
    clippy::needless_pass_by_value,
    clippy::needless_arbitrary_self_type,
    clippy::trivially_copy_pass_by_ref,
    clippy::unused_self,
    clippy::unused_async,
    clippy::unnecessary_wraps,
    reason = "the tools have functions of every shape"
)]

mod approval;
mod arguments;
mod bound_registries;
mod call_events;
mod call_limits;
mod cancellation;
mod concurrency;
mod conversation;
mod custom_decoders;
mod declared_order;
#[allow(dead_code, reason = "some values are only printed")]
mod derived_schemas;
mod descriptions;
mod dispatch;
mod dynamic_tools;
mod engine_schemas;
mod errors;
mod flattened_enums;
mod fuzzed_arguments;
mod given_schemas;
mod inherited_contexts;
mod inner_calls;
#[allow(dead_code, reason = "some values are only printed")]
mod lenient_arguments;
mod lenient_spellings_and_wrappers;
mod macro_options;
mod messages;
mod middleware;
mod ordered_calls;
mod other_wires;
mod output_schemas;
mod parameters;
mod pending_calls;
mod property_keys;
mod questions;
mod registration;
mod repaired_text;
mod repeated_calls;
mod reply_warnings;
mod requests;
mod results;
mod schemas;
mod scripted_model;
mod scripted_replies;
mod session_assertions;
mod sessions;
mod state_and_context;
mod stored_fields;
mod stored_messages;
#[allow(dead_code, reason = "some values are only printed")]
mod strict_replies;
mod strict_schemas;
mod suggested_names;
mod text;
mod tool_options;
mod tool_search;
mod toolsets;
mod truncated_replies;
mod unsupported_keywords;
mod validation;
mod written_ids;
mod written_replies;

use serde_json::Value;
use tool_runtime::message::Message;
use tool_runtime::registry::ToolList;
use tool_runtime::wire::{ChatCompletions, RequestParts, Wire};
use tool_runtime::{Conversation, Registry, ToolCall, ToolMessage};
use tool_runtime_testing::check_request;

/// A random number generator. The seed is printed, and `SEED` sets it.
fn seeded() -> fastrand::Rng {
    let seed =
        std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(|| fastrand::u64(..));
    println!("SEED={seed}");
    fastrand::Rng::with_seed(seed)
}

/// The content of the tool message of one call.
async fn message_text(tools: ToolList, name: &str, arguments: &str) -> String {
    let registry = Registry::new(tools).expect("the tools have different names");
    let messages = registry.dispatch(&[ToolCall::new("call_1", name, arguments)]).await;
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].tool_call_id, "call_1");
    messages[0].content.to_string()
}

/// The `messages` that a wire writes.
fn messages_on(wire: &dyn Wire, messages: &[Message]) -> Value {
    let body = wire.write(&RequestParts::new(messages)).expect("the wire writes messages");
    serde_json::from_str(body.get("messages").expect("there are messages").get()).expect("they are JSON")
}

/// Checks that a strict server accepts a request with these messages.
fn assert_accepted(chat: &impl serde::Serialize) {
    let body = serde_json::json!({ "messages": chat });
    assert_eq!(check_request(&ChatCompletions::new(), &body), Ok(()));
}

/// The text of each message of a conversation.
fn contents_of(conversation: &Conversation) -> Vec<&str> {
    conversation.messages().iter().map(Message::text).collect()
}

/// The content of each tool message.
fn contents(messages: &[ToolMessage]) -> Vec<&str> {
    messages.iter().map(|message| message.content.as_str()).collect()
}
