//! Keys of properties that Anthropic rejects: calls with the written names, or with the tool's own keys.
//!
//! <https://github.com/anthropics/claude-code/issues/34771>, <https://github.com/decocms/studio/pull/6874>,
//! <https://github.com/anthropics/claude-code/issues/79418>

mod errors;
mod random;
mod runs;
mod schemas;
mod sessions;

use serde_json::{Value, json};
use tool_runtime::wire::{Anthropic, RequestParts, Wire};
use tool_runtime::{AssistantMessage, DynamicTool, Registry, ToolCall};
use tool_runtime_testing::check_request;

/// The parameters of the report.
fn reported() -> Value {
    json!({
        "type": "object",
        "properties": {
            "$.alt": { "type": "string" },
            "filter[city]": { "type": "string" },
            "größe": { "type": "integer" },
            "@id": { "type": "string" },
            "a".repeat(73): { "type": "string" },
        },
        "required": ["$.alt"],
    })
}

/// A tool that returns its arguments.
fn echo(name: &str, parameters: Value) -> DynamicTool {
    DynamicTool::new(name, "Returns its arguments.", parameters, |arguments| async move {
        Ok::<_, String>(Value::Object(arguments))
    })
}

fn registry(parameters: Value) -> Registry {
    Registry::builder().dynamic(echo("echo", parameters)).build().expect("one tool")
}

/// The definition that Anthropic receives, which its rules accept.
fn sent(registry: &Registry) -> Value {
    let wire = Anthropic::new();
    let messages = [tool_runtime::message::Message::user("Hello!")];
    let body = wire.write(&RequestParts::new(&messages).tools(registry.schemas())).expect("it is written");
    let body = serde_json::to_value(&body).expect("it is JSON");
    assert_eq!(check_request(&wire, &body), Ok(()), "{body}");
    body["tools"][0]["input_schema"].clone()
}

/// The arguments that the tool receives.
async fn received(registry: &Registry, arguments: &Value) -> Value {
    let call = ToolCall::new("call_1", "echo", arguments.to_string());
    let messages = registry.dispatch(&[call]).await;
    serde_json::from_str(messages[0].text()).unwrap_or_else(|_| panic!("{arguments}: {}", messages[0].text()))
}

/// The error for these arguments.
async fn error(registry: &Registry, arguments: &Value) -> String {
    let call = ToolCall::new("call_1", "echo", arguments.to_string());
    let messages = registry.dispatch(&[call]).await;
    assert!(messages[0].is_error(), "{}", messages[0].text());
    messages[0].text().to_owned()
}

/// A reply of Anthropic with this call of the tool.
fn reply(input: &Value) -> AssistantMessage {
    Anthropic::new().read_reply(&response(input).to_string()).expect("it is read")
}

fn response(input: &Value) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "stop_reason": "tool_use",
        "content": [
            { "type": "text", "text": "One moment." },
            { "type": "tool_use", "id": "toolu_1", "name": "echo", "input": input },
        ],
        "usage": { "input_tokens": 10, "output_tokens": 10 },
    })
}
