//! Replies, streams and histories of Anthropic.

use crate::cases::{Case, Input};
use serde_json::{Value, json};
use tool_runtime::message::Message;
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::{Anthropic, RequestParts, Wire};
use tool_runtime::{AssistantMessage, ToolCall, ToolMessage};

pub(crate) fn cases() -> Vec<Case> {
    let text = |_| json!({ "type": "text", "text": "abc" });
    let call = |index| json!({ "type": "tool_use", "id": format!("c{index}"), "name": "f", "input": {} });
    let search =
        |index| json!({ "type": "server_tool_use", "id": format!("s{index}"), "name": "f", "input": {} });
    vec![
        reply("many blocks of text", move || (0..3_000).map(text).collect()),
        reply("many blocks with calls", move || (0..1_700).map(call).collect()),
        reply("many blocks with calls of the provider", move || (0..1_600).map(search).collect()),
        Case { name: "many replies with one id", prepare: Box::new(repeated_ids) },
        Case { name: "many starts of one block", prepare: Box::new(repeated_starts) },
    ]
}

/// Reads a reply with these blocks, and writes the next request.
fn reply(name: &'static str, blocks: impl Fn() -> Vec<Value> + Send + 'static) -> Case {
    let prepare = move || {
        let body = json!({ "type": "message", "content": blocks(), "stop_reason": "tool_use" }).to_string();
        let bytes = body.len();
        let run = Box::new(move || {
            let reply = Anthropic::new().read_reply(&body).expect("a reply");
            written(&[reply.into(), Message::user("?")])
        });
        Input::Text { bytes, run }
    };
    Case { name, prepare: Box::new(prepare) }
}

fn repeated_ids() -> Input {
    let exchange = |_| -> [Message; 2] {
        let call = ToolCall::new("call_0", "f", "{}");
        [AssistantMessage::from_tool_calls(vec![call]).into(), ToolMessage::new("call_0", "x").into()]
    };
    let messages: Vec<Message> = (0..700).flat_map(exchange).collect();
    Input::Text { bytes: 100_000, run: Box::new(move || written(&messages)) }
}

fn repeated_starts() -> Input {
    let block = json!({ "type": "tool_use", "id": "a", "name": "f", "input": { "a": 1 } });
    let event = json!({ "type": "content_block_start", "index": 0, "content_block": block }).to_string();
    let run = Box::new(move || {
        let mut assembler = ReplyAssembler::new().wire(Anthropic::new());
        for _ in 0..1_000 {
            assembler.push(&*event);
        }
        assembler.push(r#"{"type":"message_stop"}"#);
        let reply = assembler.into_reply().expect("a reply");
        written(&[reply.into()])
    });
    Input::Text { bytes: 100_000, run }
}

fn written(messages: &[Message]) -> String {
    let body = Anthropic::new().write(&RequestParts::new(messages)).expect("it is written");
    format!("{} bytes", body.get("messages").map_or(0, |messages| messages.get().len()))
}
