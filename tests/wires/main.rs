//! The wires other than Chat Completions: recorded exchanges, and fixtures made from the documentation of providers.

mod acceptable;
mod anthropic;
mod anthropic_blocks;
mod anthropic_recorded;
mod anthropic_streams;
mod bedrock;
mod bedrock_recorded;
mod bedrock_streams;
mod calls_of_programs;
mod client_tool_functions;
mod client_tools;
mod deep_fields;
mod error_kinds;
mod exchanged;
mod foreign_calls;
mod foreign_definitions;
mod foreign_engines;
mod foreign_roots;
mod gemini;
mod gemini_interactions;
mod gemini_parts;
mod gemini_random;
mod gemini_recorded;
mod gemini_streams;
mod hosted_approvals;
mod mid_conversation_changes;
mod moved;
mod moved_recorded;
mod odd_servers;
mod ollama;
mod ollama_streams;
mod order_of_fields;
mod prefix_changes;
mod prompt_cache;
mod property_keys;
mod random_replies;
mod responses;
mod responses_histories;
mod responses_items;
mod responses_recorded;
mod responses_servers;
mod responses_streams;
#[path = "../recorded_traffic/rows.rs"]
mod rows;
mod tool_references;
mod tool_search;
mod usage;
mod weather_tools;
mod wrapping_wire;

use serde_json::Value;
use tool_runtime::wire::{Body, RequestParts, Wire};

/// The body of a request with these messages.
fn write(wire: &dyn Wire, messages: &[tool_runtime::message::Message]) -> Body {
    wire.write(&RequestParts::new(messages)).expect("it is written")
}

fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("it is JSON")
}

/// The elements of an array; none if it is not one.
fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The parts that a request does not contain.
fn dropped(body: &Body) -> Vec<String> {
    body.report().dropped.iter().map(ToString::to_string).collect()
}
