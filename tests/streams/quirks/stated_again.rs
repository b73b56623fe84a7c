//! Calls that a server states more than once, or in parts.

use super::read;
use crate::{assembled, called, calls, finish};
use serde_json::{Value, json};
use tool_runtime::wire::{Anthropic, Bedrock, Gemini, GeminiInteractions, Ollama, Responses, Wire};
use tool_runtime::{Registry, ToolMessage, tool, tools};

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
    let stop = [json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } })];
    let part = |file: &str| json!({ "functionCall": { "id": "call_1", "name": "delete", "args": { "file": file } } });
    let candidate = |files: &[&str]| {
        let parts: Vec<Value> = files.iter().map(|file| part(file)).collect();
        json!({ "candidates": [{ "content": { "parts": parts }, "finishReason": "STOP" }] })
    };
    let converse = |index: u32, arguments: &str| {
        let start = json!({ "toolUse": { "toolUseId": "call_1", "name": "delete" } });
        [
            json!({ "contentBlockStart": { "contentBlockIndex": index, "start": start } }),
            json!({ "contentBlockDelta": { "contentBlockIndex": index, "delta": { "toolUse": { "input": arguments } } } }),
            json!({ "contentBlockStop": { "contentBlockIndex": index, "p": "a" } }),
        ]
    };
    let converse_end = [json!({ "messageStop": { "stopReason": "tool_use" } })];
    let tool_use = |file: &str| json!({ "toolUse": { "toolUseId": "call_1", "name": "delete", "input": { "file": file } } });
    let converse_output = json!({ "output": { "message": { "content": [tool_use("a"), tool_use("b")] } }, "stopReason": "tool_use" });
    let function_call = |arguments: Value| json!({ "type": "function_call", "id": "call_1", "name": "delete", "arguments": arguments });
    let started = |index: u32, arguments: Value| json!({ "event_type": "step.start", "index": index, "step": function_call(arguments) });
    let steps = |index: u32, arguments: &str| {
        [
            started(index, json!({})),
            json!({ "event_type": "step.delta", "index": index,
                "delta": { "type": "arguments_delta", "arguments": arguments } }),
            json!({ "event_type": "step.stop", "index": index }),
        ]
    };
    let steps_end = [json!({ "event_type": "interaction.completed",
        "interaction": { "id": "i", "status": "requires_action" } })];
    let whole_steps =
        [0, 1].map(|index| started(index, json!({ "file": if index == 0 { "a" } else { "b" } })));
    let interaction = json!({ "status": "requires_action",
        "steps": [function_call(json!({ "file": "a" })), function_call(json!({ "file": "b" }))] });
    for reply in [
        read(Bedrock::new(), &[&converse(0, a)[..], &converse(1, b), &converse_end].concat()),
        read(
            Bedrock::new(),
            &[&converse(0, a)[..], &converse(1, b), &converse(2, a), &converse_end].concat(),
        ),
        read(
            Bedrock::new(),
            &[&converse(0, a)[..], &converse(1, "{\"f"), &converse(2, b), &converse_end].concat(),
        ),
        Bedrock::new().read_reply(&converse_output.to_string()).expect("it is read"),
        read(GeminiInteractions::new(), &[&steps(0, a)[..], &steps(1, b), &steps_end].concat()),
        read(GeminiInteractions::new(), &[&steps(0, a)[..], &steps(1, b), &steps(2, a), &steps_end].concat()),
        read(GeminiInteractions::new(), &[&whole_steps[..], &steps_end].concat()),
        GeminiInteractions::new().read_reply(&interaction.to_string()).expect("it is read"),
        read(Responses::new(), &[item("call_1", a), item("call_1", b), completed(&[])]),
        read(
            Responses::new(),
            &[item("call_1", a), item("call_1", b), completed(&[item("call_1", a)["item"].clone()])],
        ),
        read(Responses::new(), &[item("call_1", a), completed(&[item("call_1", b)["item"].clone()])]),
        read(Anthropic::new(), &[&block(0, a)[..], &block(1, b), &stop].concat()),
        read(Anthropic::new(), &[&block(0, a)[..], &block(1, b), &block(2, b), &stop].concat()),
        read(Anthropic::new(), &[&block(0, a)[..], &block(1, b), &block(2, a), &stop].concat()),
        read(Anthropic::new(), &[&block(0, a)[..], &block(1, b), &block(2, ""), &stop].concat()),
        read(Anthropic::new(), &[&block(0, a)[..], &block(1, "{\"f"), &block(2, b), &stop].concat()),
        read(Anthropic::new(), &[&block(0, a)[..], &block(0, b)[1..], &block(1, a), &stop].concat()),
        read(Gemini::new(), &[candidate(&["a", "b"])]),
        read(Gemini::new(), &[candidate(&["a", "b", "a"])]),
        Gemini::new().read_reply(&candidate(&["a", "b"]).to_string()).expect("it is read"),
        Gemini::new().read_reply(&candidate(&["a", "b", "a"]).to_string()).expect("it is read"),
    ] {
        for lenient in [false, true] {
            let messages = registry(lenient).dispatch(&reply.tool_calls).await;
            let texts: Vec<&str> = messages.iter().map(ToolMessage::text).collect();
            assert!(matches!(&texts[..], [text] if text.starts_with("Error: ")), "{texts:?}");
        }
    }
}

#[test]
fn calls_of_two_tools_with_one_id_are_two_calls() {
    let block = |name: &str| json!({ "type": "tool_use", "id": "call_1", "name": name, "input": { "a": 1 } });
    let start = |index: u32, name: &str| json!({ "type": "content_block_start", "index": index, "content_block": block(name) });
    let stop = json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } });
    let body = json!({ "type": "message", "content": [block("read"), block("send"), block("read")], "stop_reason": "tool_use" });
    let item = |index: u32, name: &str| json!({ "type": "function_call", "id": format!("fc_{index}"), "call_id": "call_1", "name": name, "arguments": r#"{"a":1}"# });
    let event = |kind: &str, index: u32, name: &str| json!({ "type": format!("response.output_item.{kind}"), "output_index": index, "item": item(index, name) });
    let response = json!({ "object": "response", "status": "completed", "output": [item(0, "read"), item(1, "send"), item(2, "read")] });
    let completed = json!({ "type": "response.completed", "response": response.clone() });
    let items = |kind: &str| [event(kind, 0, "read"), event(kind, 1, "send"), event(kind, 2, "read")];
    let part = |name: &str| json!({ "functionCall": { "id": "call_1", "name": name, "args": { "a": 1 } } });
    let parts = json!({ "parts": [part("read"), part("send"), part("read")] });
    let candidate = json!({ "candidates": [{ "content": parts, "finishReason": "STOP" }] });
    let call = |name: &str| json!({ "id": "call_1", "function": { "name": name, "arguments": { "a": 1 } } });
    let message = json!({ "role": "assistant", "content": "", "tool_calls": [call("read"), call("send"), call("read")] });
    let line = json!({ "model": "m", "message": message, "done": true, "done_reason": "stop" });
    let tool_use =
        |name: &str| json!({ "toolUse": { "toolUseId": "call_1", "name": name, "input": { "a": 1 } } });
    let message = json!({ "content": [tool_use("read"), tool_use("send"), tool_use("read")] });
    let converse_output = json!({ "output": { "message": message }, "stopReason": "tool_use" });
    let converse = |index: u32, name: &str| {
        let start = json!({ "toolUse": { "toolUseId": "call_1", "name": name } });
        [
            json!({ "contentBlockStart": { "contentBlockIndex": index, "start": start } }),
            json!({ "contentBlockDelta": { "contentBlockIndex": index, "delta": { "toolUse": { "input": r#"{"a":1}"# } } } }),
        ]
    };
    let converse_end = [json!({ "messageStop": { "stopReason": "tool_use" } })];
    let function_call = |name: &str| json!({ "type": "function_call", "id": "call_1", "name": name, "arguments": { "a": 1 } });
    let started = |index: u32, name: &str| json!({ "event_type": "step.start", "index": index, "step": function_call(name) });
    let interaction = json!({ "id": "i", "status": "requires_action" });
    let steps_end = json!({ "event_type": "interaction.completed", "interaction": interaction });
    let mut interaction = interaction;
    interaction["steps"] = json!([function_call("read"), function_call("send"), function_call("read")]);
    for reply in [
        read(
            Bedrock::new(),
            &[&converse(0, "read")[..], &converse(1, "send"), &converse(2, "read"), &converse_end].concat(),
        ),
        Bedrock::new().read_reply(&converse_output.to_string()).expect("it is read"),
        read(
            GeminiInteractions::new(),
            &[started(0, "read"), started(1, "send"), started(2, "read"), steps_end],
        ),
        GeminiInteractions::new().read_reply(&interaction.to_string()).expect("it is read"),
        read(Anthropic::new(), &[start(0, "read"), start(1, "send"), start(2, "read"), stop]),
        read(Gemini::new(), std::slice::from_ref(&candidate)),
        Gemini::new().read_reply(&candidate.to_string()).expect("it is read"),
        read(Ollama::new(), std::slice::from_ref(&line)),
        Ollama::new().read_reply(&line.to_string()).expect("it is read"),
        Anthropic::new().read_reply(&body.to_string()).expect("it is read"),
        read(
            Responses::new(),
            &[&items("added")[..], &items("done"), std::slice::from_ref(&completed)].concat(),
        ),
        read(Responses::new(), &[&items("done")[..], std::slice::from_ref(&completed)].concat()),
        read(Responses::new(), &[completed]),
        Responses::new().read_reply(&response.to_string()).expect("it is read"),
    ] {
        let calls: Vec<_> = reply.tool_calls.iter().map(|call| (&*call.name, &*call.arguments)).collect();
        assert_eq!(calls, [("read", r#"{"a":1}"#), ("send", r#"{"a":1}"#)]);
    }
}

#[tokio::test]
async fn no_later_statement_removes_a_contradiction() {
    let (a, b) = (r#"{"file":"/a"}"#, r#"{"file":"/b"}"#);
    let block = |index: u32, id: &str, arguments: &str| {
        [
            json!({ "type": "content_block_start", "index": index,
                "content_block": { "type": "tool_use", "id": id, "name": "f", "input": {} } }),
            json!({ "type": "content_block_delta", "index": index,
                "delta": { "type": "input_json_delta", "partial_json": arguments } }),
            json!({ "type": "content_block_stop", "index": index }),
        ]
    };
    let text = [
        json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "text", "text": "hi" } }),
        json!({ "type": "content_block_stop", "index": 1 }),
    ];
    let stop = [json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } })];
    let other = r#"{"x":1}"#;
    for (between, runs) in [(&text[..], vec![]), (&block(1, "c2", other), vec![format!("f {other}")])] {
        for third in [a, "", "{}", r#"{"fi"#, b] {
            let statements = [&block(0, "c1", a)[..], between, &block(2, "c1", b), &block(3, "c1", third)];
            let reply = read(Anthropic::new(), &[&statements.concat()[..], &stop].concat());
            assert_eq!(super::runs::runs(&reply).await, runs, "{third}");
        }
        let two = format!("{b}{b}");
        let statements = [&block(0, "c1", a)[..], between, &block(2, "c1", &two), &block(3, "c1", a)];
        let reply = read(Anthropic::new(), &[&statements.concat()[..], &stop].concat());
        assert_eq!(super::runs::runs(&reply).await, runs);
        for second in ["", "{}", r#"{"fi"#, r#"{ "file": "/a" }"#] {
            let statements = [&block(0, "c1", a)[..], between, &block(2, "c1", second), &block(3, "c1", a)];
            let reply = read(Anthropic::new(), &[&statements.concat()[..], &stop].concat());
            let expected = [&[format!("f {a}")], &runs[..]].concat();
            assert_eq!(super::runs::runs(&reply).await, expected, "{second}");
        }
    }
    let mut added = item("call_1", "");
    added["type"] = json!("response.output_item.added");
    for third in [added, item("call_1", a), item("call_1", "")] {
        let reply = read(Responses::new(), &[item("call_1", a), item("call_1", b), third, completed(&[])]);
        assert_eq!(reply.tool_calls.len(), 1);
        let text = reply.tool_calls[0].arguments.clone();
        assert!(serde_json::from_str::<Value>(&text).is_err(), "{text}");
    }
}

#[tokio::test]
async fn calls_of_blocks_with_one_index_have_their_own_arguments() {
    let start = |index: Option<u32>, id: &str, file: &str| {
        let input = json!({ "file": file });
        let block = json!({ "type": "tool_use", "id": id, "name": "f", "input": input });
        let mut start = json!({ "type": "content_block_start", "content_block": block });
        if let Some(index) = index {
            start["index"] = index.into();
        }
        start
    };
    let stop = json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } });
    for index in [Some(0), None] {
        let events = [start(index, "c1", "/a"), start(index, "c2", "/b"), stop.clone()];
        let runs = super::runs::streamed(Anthropic::new(), &events).await;
        assert_eq!(runs, [r#"f {"file":"/a"}"#, r#"f {"file":"/b"}"#]);
    }
}

#[tokio::test]
async fn the_name_of_the_tool_is_no_id_on_any_wire() {
    let block = |n: u32| json!({ "type": "tool_use", "id": "f", "name": "f", "input": { "n": n } });
    let start = |n: u32| json!({ "type": "content_block_start", "index": n, "content_block": block(n) });
    let stop = json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } });
    let body = json!({ "type": "message", "content": [block(0), block(1)], "stop_reason": "tool_use" });
    let item = |n: u32| json!({ "type": "function_call", "call_id": "f", "name": "f", "arguments": json!({ "n": n }).to_string() });
    let added = |n: u32| json!({ "type": "response.output_item.added", "output_index": n, "item": { "type": "function_call", "call_id": "f", "name": "f", "arguments": "" } });
    let done = |n: u32| json!({ "type": "response.output_item.done", "output_index": n, "item": item(n) });
    let unnumbered = |n: u32| json!({ "type": "response.output_item.done", "item": item(n) });
    let response = json!({ "object": "response", "status": "completed", "output": [item(0), item(1)] });
    let completed = json!({ "type": "response.completed", "response": response.clone() });
    for reply in [
        read(Anthropic::new(), &[start(0), start(1), stop]),
        Anthropic::new().read_reply(&body.to_string()).expect("it is read"),
        read(Responses::new(), &[added(0), done(0), added(1), done(1), completed.clone()]),
        read(Responses::new(), &[added(0), added(1), done(0), done(1), completed.clone()]),
        read(Responses::new(), &[unnumbered(0), unnumbered(1), completed.clone()]),
        read(Responses::new(), &[completed]),
        Responses::new().read_reply(&response.to_string()).expect("it is read"),
    ] {
        assert_eq!(super::runs::runs(&reply).await, [r#"f {"n":0}"#, r#"f {"n":1}"#]);
    }
}

#[test]
fn items_without_positions_belong_to_the_call_with_their_id_and_tool() {
    let item = |kind: &str, name: &str, arguments: &str| json!({ "type": format!("response.output_item.{kind}"), "item": { "type": "function_call", "call_id": "c1", "name": name, "arguments": arguments } });
    let (f, g) = (r#"{"file":"/b"}"#, r#"{"x":1}"#);
    let added = [item("added", "f", ""), item("added", "g", "")];
    let done = [item("done", "f", f), item("done", "g", g)];
    for events in [
        [&added[..], &done].concat(),
        [&done[..], &[item("done", "f", "{}")]].concat(),
        [&done[..], &[item("added", "f", "")], &[item("done", "f", f)]].concat(),
    ] {
        let reply = read(Responses::new(), &[&events[..], &[completed(&[])]].concat());
        let calls: Vec<_> = reply.tool_calls.iter().map(|call| (&*call.name, &*call.arguments)).collect();
        assert_eq!(calls, [("f", f), ("g", g)], "{events:?}");
    }
}

#[test]
fn items_without_arguments_do_not_change_a_call() {
    let block = json!({ "type": "tool_use", "id": "call_1", "name": "delete", "input": {} });
    let start = json!({ "type": "content_block_start", "index": 0, "content_block": block });
    let piece = |json: &str| {
        let delta = json!({ "type": "input_json_delta", "partial_json": json });
        json!({ "type": "content_block_delta", "index": 0, "delta": delta })
    };
    let stop = json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } });
    let arguments = r#"{"file":"a"}"#;
    for empty in [vec![start.clone()], vec![start.clone(), piece("")], vec![start.clone(), piece("{}")]] {
        for count in 0..4 {
            for stated in [arguments, r#"{"fi"#] {
                let mut events = vec![start.clone(), piece(stated)];
                (0..count).for_each(|_| events.extend(empty.clone()));
                if stated != arguments {
                    events.extend([start.clone(), piece(arguments)]);
                }
                events.push(stop.clone());
                let reply = read(Anthropic::new(), &events);
                assert_eq!(reply.tool_calls.len(), 1);
                assert_eq!(reply.tool_calls[0].arguments, arguments, "{events:?}");
            }
        }
    }
}

#[test]
fn a_call_whose_last_arguments_are_no_object_does_not_run_without_arguments() {
    let mut added = item("call_1", "");
    added["type"] = json!("response.output_item.added");
    let piece = json!({ "type": "response.function_call_arguments.delta", "delta": r#"{"file":"a"}"# });
    let events = [added.clone(), piece, added.clone(), item("call_1", "{bad"), added, completed(&[])];
    let reply = read(Responses::new(), &events);
    assert_eq!(reply.tool_calls.len(), 1);
    assert_eq!(reply.tool_calls[0].arguments, "{bad");
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
