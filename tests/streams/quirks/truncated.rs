//! Truncated replies that deviate from the documentation. A call runs only if the reply went on after it, and equally for a whole
//! reply and for its stream.

use super::runs::{runs, streamed};
use serde_json::{Value, json};
use tool_runtime::stream::{ReplyAssembler, ReplyEvent};
use tool_runtime::wire::{Anthropic, Gemini, Responses, Wire as _};

fn start(index: u32, id: &str, tool: &str) -> Value {
    json!({ "type": "content_block_start", "index": index,
        "content_block": { "type": "tool_use", "id": id, "name": tool, "input": {} } })
}

fn input(index: u32, json: &str) -> Value {
    json!({ "type": "content_block_delta", "index": index,
        "delta": { "type": "input_json_delta", "partial_json": json } })
}

fn stop(index: u32) -> Value {
    json!({ "type": "content_block_stop", "index": index })
}

fn text(index: u32) -> [Value; 2] {
    [
        json!({ "type": "content_block_start", "index": index, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": index, "delta": { "type": "text_delta", "text": "hi" } }),
    ]
}

fn max_tokens() -> Value {
    json!({ "type": "message_delta", "delta": { "stop_reason": "max_tokens" } })
}

fn part(id: &str, tool: &str, arguments: &Value) -> Value {
    json!({ "functionCall": { "id": id, "name": tool, "args": arguments } })
}

fn candidate(parts: &[Value]) -> Value {
    json!({ "candidates": [{ "content": { "parts": parts }, "finishReason": "MAX_TOKENS" }] })
}

#[tokio::test]
async fn the_call_that_received_the_last_piece_may_be_truncated() {
    let restated = [
        part("1", "f", &json!({})),
        part("2", "g", &json!({ "x": 1 })),
        part("1", "f", &json!({ "file": "/" })),
    ];
    let reply = candidate(&restated);
    let whole = Gemini::new().read_reply(&reply.to_string()).expect("it is read");
    assert_eq!(runs(&whole).await, [r#"g {"x":1}"#]);
    assert_eq!(streamed(Gemini::new(), &[reply]).await, [r#"g {"x":1}"#]);
    for stated in ["", r#"{"fi"#] {
        let events = [
            start(0, "1", "f"),
            input(0, stated),
            stop(0),
            start(1, "2", "g"),
            input(1, r#"{"x":1}"#),
            stop(1),
            start(2, "1", "f"),
            input(2, r#"{"file":"/"}"#),
            stop(2),
            max_tokens(),
        ];
        assert_eq!(streamed(Anthropic::new(), &events).await, [r#"g {"x":1}"#], "{stated}");
    }
    let open = [
        start(0, "1", "f"),
        start(1, "2", "g"),
        input(1, r#"{"x":1}"#),
        stop(1),
        input(0, r#"{"file":"/"}"#),
        max_tokens(),
    ];
    assert_eq!(streamed(Anthropic::new(), &open).await, [r#"g {"x":1}"#]);
    let ended = [start(0, "1", "f"), start(1, "2", "g"), stop(1), input(0, r#"{"file":"/"}"#), max_tokens()];
    assert_eq!(streamed(Anthropic::new(), &ended).await, ["g {}"]);
}

#[tokio::test]
async fn the_text_of_a_custom_tool_at_the_end_of_a_truncated_reply_does_not_run() {
    let wire = || Responses::new().custom_tool("f", "query");
    let item = |status: Option<&str>| {
        let mut item =
            json!({ "type": "custom_tool_call", "call_id": "1", "name": "f", "input": "delete from x whe" });
        if let Some(status) = status {
            item["status"] = status.into();
        }
        item
    };
    let message = json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "x" }] });
    let done =
        |status| json!({ "type": "response.output_item.done", "output_index": 0, "item": item(status) });
    let response = |output: &[Value]| {
        let details = json!({ "reason": "max_output_tokens" });
        json!({ "status": "incomplete", "incomplete_details": details, "output": output })
    };
    let ended = |kind: &str, output: &[Value]| json!({ "type": format!("response.{kind}"), "response": response(output) });
    let mut no_output = ended("incomplete", &[]);
    no_output["response"].as_object_mut().expect("it is an object").remove("output");
    let ends = [
        ended("incomplete", &[]),
        ended("completed", &[]),
        no_output,
        json!({ "type": "response.incomplete" }),
        json!({ "type": "response.incomplete", "response": { "output": [] } }),
        ended("incomplete", &[item(None)]),
        ended("incomplete", &[item(Some("in_progress"))]),
    ];
    for end in ends {
        for status in [None, Some("in_progress"), Some("incomplete")] {
            let runs = streamed(wire(), &[done(status), end.clone()]).await;
            assert!(runs.is_empty(), "{status:?} {end}: {runs:?}");
        }
    }
    let ran = [r#"f {"query":"delete from x whe"}"#];
    for output in [[item(Some("completed"))].as_slice(), &[item(None), message]] {
        assert_eq!(streamed(wire(), &[ended("incomplete", output)]).await, ran);
        assert_eq!(runs(&wire().read_reply(&response(output).to_string()).expect("it is read")).await, ran);
        let events = [done(Some("completed")), ended("incomplete", output)];
        assert_eq!(streamed(wire(), &events).await, ran);
    }
}

#[tokio::test]
async fn an_incomplete_item_does_not_run() {
    let mut item =
        json!({ "type": "function_call", "call_id": "1", "name": "f", "arguments": r#"{"file":"/"}"# });
    let done = |item: &Value| json!({ "type": "response.output_item.done", "output_index": 0, "item": item });
    let without_status = item.clone();
    item["status"] = "incomplete".into();
    for status in ["completed", "incomplete"] {
        let response = |output: &[&Value]| json!({ "status": status, "output": output });
        let end =
            |output: &[&Value]| json!({ "type": format!("response.{status}"), "response": response(output) });
        let whole = response(&[&item]);
        let whole = Responses::new().read_reply(&whole.to_string()).expect("it is read");
        assert_eq!(runs(&whole).await, [""; 0]);
        for events in [
            vec![end(&[&item])],
            vec![done(&item), end(&[])],
            vec![done(&item), end(&[&item])],
            vec![done(&item), end(&[&without_status])],
            vec![done(&item), done(&without_status), end(&[])],
        ] {
            assert_eq!(streamed(Responses::new(), &events).await, [""; 0], "{events:?}");
        }
    }
    // The second item has no id.
    let cut = json!({ "type": "function_call", "call_id": "1", "name": "f", "arguments": r#"{"file":"/b"#, "status": "incomplete" });
    let other = json!({ "type": "function_call", "name": "f", "arguments": "{}" });
    let events = [cut, other].map(|item| json!({ "type": "response.output_item.done", "item": item }));
    let reply = super::read(Responses::new(), &events);
    let call = reply.tool_calls.iter().find(|call| call.id == "1").expect("the call is kept");
    assert!(call.is_truncated(), "{reply:?}");
}

#[tokio::test]
async fn a_part_without_content_does_not_follow_a_call() {
    let call = part("1", "f", &json!({ "file": "/" }));
    let empty = [
        json!({ "thoughtSignature": "s" }),
        json!({ "thought": true, "thought_signature": "s" }),
        json!({}),
        json!({ "text": null }),
        json!({ "text": "", "functionCall": null }),
    ];
    for empty in empty {
        let reply = candidate(&[call.clone(), empty.clone()]);
        let whole = Gemini::new().read_reply(&reply.to_string()).expect("it is read");
        assert_eq!(runs(&whole).await, [""; 0], "{empty}");
        assert_eq!(streamed(Gemini::new(), &[reply]).await, [""; 0], "{empty}");
    }
    let reply = candidate(&[call, json!({ "inlineData": { "mimeType": "image/png", "data": "AA==" } })]);
    assert_eq!(streamed(Gemini::new(), &[reply]).await, [r#"f {"file":"/"}"#]);
}

#[tokio::test]
async fn truncated_arguments_are_not_complete_without_the_rest() {
    let [text, delta] = text(2);
    let stated = |arguments: &str| {
        [
            start(0, "1", "f"),
            input(0, arguments),
            stop(0),
            start(1, "1", "f"),
            stop(1),
            text.clone(),
            delta.clone(),
            max_tokens(),
        ]
    };
    let mut explicit = stated(r#"{"file":"/a"#).to_vec();
    explicit.insert(4, input(1, "{}"));
    let reply = super::read(Anthropic::new(), &explicit);
    assert!(reply.tool_calls[0].is_truncated(), "{reply:?}");
    let mut reply = ReplyAssembler::new().wire(Anthropic::new());
    let mut is_complete = false;
    for event in stated(r#"{"file":"/a"#) {
        is_complete |=
            reply.push(event.to_string()).any(|event| matches!(event, ReplyEvent::CallComplete { .. }));
    }
    is_complete |= reply.push_end().any(|event| matches!(event, ReplyEvent::CallComplete { .. }));
    assert!(!is_complete);
    let reply = reply.into_reply().expect("the stream has no errors");
    assert!(reply.tool_calls[0].is_truncated(), "{reply:?}");
    assert_eq!(streamed(Anthropic::new(), &stated(r#"{"file":"/a"}"#)).await, [r#"f {"file":"/a"}"#]);
    assert_eq!(runs(&reply).await, [""; 0]);
}
