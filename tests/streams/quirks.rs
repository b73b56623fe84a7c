//! Deviations of servers from the documentation. Each test is named after one.

mod arguments;
mod chunks;
mod half_characters;
mod repeated_events;
mod runs;
mod stated_again;
mod truncated;
mod which_call;

use serde_json::Value;
use tool_runtime::AssistantMessage;
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::Wire;

const ROME: &str = r#"{"city":"Rome"}"#;
const OSLO: &str = r#"{"city":"Oslo"}"#;

/// The calls for Rome and Oslo, with these ids.
fn rome_and_oslo(ids: [&str; 2]) -> Vec<[String; 3]> {
    vec![[ids[0], "get_weather", ROME].map(str::to_owned), [ids[1], "get_weather", OSLO].map(str::to_owned)]
}

/// The call for Rome.
fn rome(id: &str) -> Vec<[String; 3]> {
    vec![[id, "get_weather", ROME].map(str::to_owned)]
}

/// The reply of a stream of this wire without errors.
fn read(wire: impl Wire + 'static, events: &[Value]) -> AssistantMessage {
    let mut reply = ReplyAssembler::new().wire(wire);
    for event in events {
        reply.push(event.to_string());
    }
    reply.into_reply().expect("the stream has no errors")
}
