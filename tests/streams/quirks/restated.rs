//! Calls, texts and usages that a server states more than once or in an unusual way.

use crate::{assembled, called, calls, delta, finish};
use serde_json::{Value, json};
use tool_runtime::stream::{ReplyAssembler, StreamError};
use tool_runtime::wire::{Anthropic, Gemini, Responses, Wire};
use tool_runtime::{AssistantMessage, Registry, ToolMessage, tool, tools};

fn read(wire: impl Wire + 'static, events: &[Value]) -> AssistantMessage {
    let mut reply = ReplyAssembler::new().wire(wire);
    for event in events {
        reply.push(event.to_string());
    }
    reply.finish().expect("the stream has no errors")
}

fn item(call_id: &str, arguments: &str) -> Value {
    json!({ "type": "response.output_item.done",
        "item": { "type": "function_call", "call_id": call_id, "name": "delete", "arguments": arguments } })
}

fn completed(output: &[Value]) -> Value {
    json!({ "type": "response.completed", "response": { "status": "completed", "output": output } })
}

/// Deletes a file.
#[tool(destructive)]
fn delete(file: &str) -> String {
    format!("deleted {file}")
}

#[tokio::test]
async fn a_call_with_contradicting_arguments_is_an_error() {
    // lobehub/lobehub#13506
    let (a, b) = (r#"{"file":"a"}"#, r#"{"file":"b"}"#);
    let registry = |lenient| {
        let builder = Registry::builder().tools(tools![delete]).lenient_arguments(lenient);
        builder.build().expect("the tool is valid")
    };
    let block = |index: u32, arguments: &str| {
        [
            json!({ "type": "content_block_start", "index": index,
                "content_block": { "type": "tool_use", "id": "call_1", "name": "delete", "input": {} } }),
            json!({ "type": "content_block_delta", "index": index,
                "delta": { "type": "input_json_delta", "partial_json": arguments } }),
        ]
    };
    let stop = json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } });
    let part = |file: &str| json!({ "functionCall": { "id": "call_1", "name": "delete", "args": { "file": file } } });
    let candidate =
        json!({ "candidates": [{ "content": { "parts": [part("a"), part("b")] }, "finishReason": "STOP" }] });
    for reply in [
        read(Responses::new(), &[item("call_1", a), item("call_1", b), completed(&[])]),
        read(Responses::new(), &[item("call_1", a), completed(&[item("call_1", b)["item"].clone()])]),
        read(Anthropic::new(), &[&block(0, a)[..], &block(1, b), &[stop]].concat()),
        read(Gemini::new(), std::slice::from_ref(&candidate)),
        Gemini::new().read_reply(&candidate.to_string()).expect("it is read"),
    ] {
        for lenient in [false, true] {
            let messages = registry(lenient).dispatch(&reply.tool_calls).await;
            let texts: Vec<&str> = messages.iter().map(ToolMessage::text).collect();
            assert!(matches!(&texts[..], [text] if text.starts_with("Error: ")), "{texts:?}");
        }
    }
}

#[test]
fn the_complete_item_replaces_its_pieces() {
    // icoretech/codex-pooler#193
    let added = json!({ "type": "response.output_item.added", "output_index": 0,
        "item": { "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "delete", "arguments": "" } });
    let piece = |text: &str| json!({ "type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "fc_1", "delta": text });
    for wrong in [r#"{"file":"b"}"#, r#"{"fi"#, r#"{"file":"a"}{"file":"b"}"#, "null"] {
        let reply = read(
            Responses::new(),
            &[added.clone(), piece(wrong), item("call_1", r#"{"file":"a"}"#), completed(&[])],
        );
        assert_eq!(reply.tool_calls.len(), 1);
        assert_eq!(reply.tool_calls[0].arguments, r#"{"file":"a"}"#, "{wrong}");
    }
}

#[test]
fn a_name_in_parts_with_arguments_is_the_name_of_one_call() {
    // openclaw/openclaw#127603
    for id in [json!("a"), Value::Null] {
        let piece = |id: &Value, name: &str, arguments: &str| {
            calls(&[json!({ "index": 0, "id": id, "function": { "name": name, "arguments": arguments } })])
        };
        let chunks = [
            piece(&json!("a"), "get_", "{\"ci"),
            piece(&id, "weather", "ty\":"),
            piece(&id, "", "\"Oslo\"}"),
            finish("tool_calls"),
        ];
        assert_eq!(called(chunks), [["a", "get_weather", "{\"city\":\"Oslo\"}"]]);
    }
}

#[test]
fn a_repeated_snapshot_is_not_another_call() {
    // NousResearch/hermes-agent#35718, vercel/ai#12052
    let piece = |text: &str| calls(&[json!({ "index": 0, "function": { "arguments": text } })]);
    let head = calls(&[json!({ "index": 0, "id": "a", "function": { "name": "get", "arguments": "" } })]);
    let texts = ["{\"a\":", "{\"a\":{", "{\"a\":{}", "{\"a\":{}}", "{\"a\":{}}"];
    let chunks = [head.clone()].into_iter().chain(texts.map(piece)).chain([finish("tool_calls")]);
    assert_eq!(called(chunks), [["a", "get", "{\"a\":{}}"]]);
    // A truncated reply has no newest snapshot that could run.
    let nested = [head, piece("{\"a\":"), piece("{\"a\":1}"), finish("length")];
    let reply = assembled(nested);
    assert!(reply.tool_calls[0].is_truncated(), "{reply:?}");
}

#[test]
fn half_a_character_in_a_chunk_is_joined_or_replaced() {
    // anomalyco/opencode#17758
    let text = |text: &str| format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}"#);
    let assembled =
        |chunks: &[String]| assembled(chunks.iter().chain([&finish("stop").to_string()])).text().to_owned();
    assert_eq!(assembled(&[text("a\\ud83d"), text("\\ude00b")]), "a😀b");
    assert_eq!(assembled(&[text("a\\ud83d"), String::new(), text("\\uDE00b")]), "a😀b");
    assert_eq!(assembled(&[text("a\\ud83d"), text("b")]), "a\u{fffd}b");
    assert_eq!(assembled(&[text("\\ude00\\ud83d\\ud83d\\ude00")]), "\u{fffd}\u{fffd}😀");
    assert_eq!(assembled(&[text("a\\ud83d")]), "a\u{fffd}");
    let arguments = |text: &str| {
        format!(
            r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"get","arguments":"{text}"}}}}]}}}}]}}"#
        )
    };
    let chunks =
        [arguments(r#"{\"a\":\"\ud83d"#), arguments(r#"\ude00\"}"#), finish("tool_calls").to_string()];
    assert_eq!(called(chunks), [["a", "get", "{\"a\":\"😀\"}"]]);
}

#[test]
fn half_a_character_loses_nothing_of_a_reply_on_any_wire() {
    // rakazo/rakazo#416
    let anthropic = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\ud83d"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ude00b"}}"#,
    ];
    let responses = [
        r#"{"type":"response.output_text.delta","output_index":0,"delta":"a\ud83d"}"#,
        r#"{"type":"response.output_text.delta","output_index":0,"delta":"\ude00b"}"#,
    ];
    let gemini = [
        r#"{"candidates":[{"content":{"parts":[{"text":"a\ud83d"}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"\ude00b"}]},"finishReason":"STOP"}]}"#,
    ];
    let streams: [(Box<dyn Wire>, &[&str]); 3] = [
        (Box::new(Anthropic::new()), &anthropic),
        (Box::new(Responses::new()), &responses),
        (Box::new(Gemini::new()), &gemini),
    ];
    for (wire, events) in streams {
        // The program may read the events itself.
        let chunks: Vec<_> = events.iter().map(|event| wire.read_event(event)).collect();
        assert_eq!(assembled(chunks).text(), "a😀b", "{}", wire.name());
    }
    let reply = Gemini::new().read_reply(&gemini[0].replace("}]}}]}", "}]},\"finishReason\":\"STOP\"}]}"));
    assert_eq!(reply.expect("it is read").text(), "a\u{fffd}");
    let reply =
        Anthropic::new().read_reply(r#"{"role":"assistant","content":[{"type":"text","text":"\udc00a"}]}"#);
    assert_eq!(reply.expect("it is read").text(), "\u{fffd}a");
}

#[test]
fn another_reply_in_a_stream_interrupts_the_reply() {
    // A stream of the fixtures of vercel/ai.
    let start = |id: &str| json!({ "type": "message_start", "message": { "id": id, "model": "claude", "usage": {} } });
    let block = json!({ "type": "content_block_start", "index": 0,
        "content_block": { "type": "tool_use", "id": "call_1", "name": "delete", "input": {} } });
    let piece = json!({ "type": "content_block_delta", "index": 0,
        "delta": { "type": "input_json_delta", "partial_json": "{\"fi" } });
    let mut reply = ReplyAssembler::new().wire(Anthropic::new());
    for event in [start("msg_1"), block.clone(), piece.clone(), start("msg_2"), block.clone(), piece] {
        reply.push(event.to_string());
    }
    let error = reply.finish().expect_err("it is interrupted");
    assert!(matches!(error.cause(), StreamError::AnotherReply), "{error}");
    assert_eq!(error.partial().tool_calls[0].arguments, "{\"fi");
    // The same event again is no other reply.
    let stop = json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } });
    let events = [start("msg_1"), start("msg_1"), block, start("msg_1"), stop];
    assert_eq!(read(Anthropic::new(), &events).tool_calls.len(), 1);
}

#[test]
fn the_usage_is_the_newest_that_was_sent() {
    let chunk = |prompt: u64, candidates: u64| {
        json!({ "candidates": [{ "content": { "parts": [{ "text": "a" }] }, "finishReason": "STOP" }],
            "usageMetadata": { "promptTokenCount": prompt, "candidatesTokenCount": candidates } })
    };
    let usage = read(Gemini::new(), &[chunk(100, 30), chunk(90, 20)]).usage().expect("it has one");
    assert_eq!((usage.input_tokens, usage.output_tokens), (90, 20));
    // Zeros are no usage.
    let chunk = |prompt: u64, completion: u64| {
        let mut chunk = delta(json!({ "content": "a" }));
        chunk["usage"] = json!({ "prompt_tokens": prompt, "completion_tokens": completion });
        chunk
    };
    let usage = assembled([chunk(100, 3), chunk(0, 0), finish("stop")]).usage().expect("it has one");
    assert_eq!((usage.input_tokens, usage.output_tokens), (100, 3));
}
