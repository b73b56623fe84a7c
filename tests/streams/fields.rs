//! Other fields of a streamed reply, such as reasoning.

use crate::{assembled, calls, delta, finish};
use serde_json::{Value, json};
use tool_runtime::message::Content;
use tool_runtime::wire::{ChatCompletions, RequestParts, Wire};

/// The reply in the next request, with its reasoning.
fn written_with_reasoning(chunks: impl IntoIterator<Item = Value>) -> Value {
    let wire = ChatCompletions::new().keep_reasoning(true);
    let body = wire.write(&RequestParts::new(&[assembled(chunks).into()])).expect("the reply is written");
    serde_json::to_value(&body).expect("the body serializes")["messages"][0].take()
}

#[test]
fn reasoning_is_assembled_and_written() {
    for field in ["reasoning_content", "reasoning"] {
        let chunks = [
            delta(json!({ "role": "assistant", "content": null, field: "The user " })),
            delta(json!({ field: "asks.", "content": null })),
            delta(json!({ field: null, "content": "Hello." })),
            finish("stop"),
        ];
        assert_eq!(
            written_with_reasoning(chunks),
            json!({ "role": "assistant", "content": "Hello.", field: "The user asks." })
        );
    }
}

#[test]
fn reasoning_details_are_the_same_as_without_streaming() {
    let detail = |detail: Value| delta(json!({ "reasoning_details": [detail] }));
    let reply = written_with_reasoning([
        detail(json!({ "type": "reasoning.text", "text": "Let me ", "format": "x", "index": 0 })),
        detail(json!({ "type": "reasoning.text", "text": "see.", "format": "x", "index": 0 })),
        detail(json!({ "type": "reasoning.text", "signature": "c2ln", "format": "x", "index": 0 })),
        detail(json!({ "type": "reasoning.text", "text": "And?", "index": 1 })),
        detail(json!({ "type": "reasoning.encrypted", "data": "AAAA", "index": 2 })),
        detail(json!({ "type": "reasoning.encrypted", "data": "BBBB", "index": 2 })),
        finish("stop"),
    ]);
    assert_eq!(
        reply["reasoning_details"],
        json!([
            { "type": "reasoning.text", "text": "Let me see.", "signature": "c2ln", "format": "x", "index": 0 },
            { "type": "reasoning.text", "text": "And?", "index": 1 },
            { "type": "reasoning.encrypted", "data": "AAAA", "index": 2 },
            { "type": "reasoning.encrypted", "data": "BBBB", "index": 2 },
        ])
    );
}

#[test]
fn thought_signatures_of_messages_and_calls_are_kept() {
    let signed = |signature: &str| json!({ "google": { "thought_signature": signature } });
    let call = json!({ "index": 0, "id": "a", "function": { "name": "now", "arguments": "{}" }, "extra_content": signed("c2ln") });
    let reply = written_with_reasoning([
        calls(&[call]),
        delta(json!({ "extra_content": signed("bXNn") })),
        // A repeated value is not appended.
        delta(json!({ "extra_content": signed("bXNn") })),
        finish("tool_calls"),
    ]);
    assert_eq!(reply["extra_content"], signed("bXNn"));
    assert_eq!(reply["tool_calls"][0]["extra_content"], signed("c2ln"));
}

#[test]
fn a_declined_request_comes_in_pieces() {
    let reply = assembled([
        delta(json!({ "refusal": "I can" })),
        delta(json!({ "refusal": "not." })),
        finish("stop"),
    ]);
    assert_eq!(reply.refusal(), Some("I cannot."));
}

#[test]
fn content_comes_in_parts() {
    let think = |text: &str| {
        delta(json!({ "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": text }] }] }))
    };
    let chunks = [
        delta(json!({ "content": "" })),
        think("Hm"),
        delta(json!({ "content": "" })),
        think("m."),
        delta(json!({ "content": [{ "type": "text", "text": "It is " }] })),
        delta(json!({ "content": "sunny" })),
        delta(json!({ "content": "." })),
        finish("stop"),
    ];
    let reply = assembled(chunks);
    assert_eq!(reply.text(), "It is sunny.");
    assert_eq!(
        serde_json::to_value(&reply.content).expect("the content serializes"),
        json!([
            { "type": "thinking", "thinking": [{ "type": "text", "text": "Hmm." }] },
            { "type": "text", "text": "It is sunny." },
        ])
    );
    // Text before the first part is kept.
    let chunks =
        [delta(json!({ "content": "A" })), delta(json!({ "content": [{ "type": "text", "text": "B" }] }))];
    assert_eq!(assembled(chunks).text(), "AB");
}

#[test]
fn no_content_is_null_and_empty_content_is_empty() {
    assert_eq!(assembled([delta(json!({ "content": null })), finish("stop")]).content, None);
    assert_eq!(
        assembled([delta(json!({ "content": "" })), finish("stop")]).content.as_ref().map(Content::as_str),
        Some("")
    );
    assert_eq!(
        assembled([delta(json!({ "content": [] })), finish("stop")]).content.as_ref().map(Content::as_str),
        Some("")
    );
}
