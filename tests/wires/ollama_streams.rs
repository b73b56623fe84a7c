//! Streams of Ollama's own API, which are lines of JSON: <https://docs.ollama.com/api/streaming>.

use crate::ollama::response;
use crate::weather_tools::registry;
use fastrand::Rng;
use serde_json::{Value, json};
use tool_runtime::message::{Completeness, Usage};
use tool_runtime::session::RunEnd;
use tool_runtime::stream::{ReplyAssembler, ReplyEvent, StreamError};
use tool_runtime::wire::{Ollama, Wire};
use tool_runtime::{AssistantMessage, Session};
use tool_runtime_testing::{ScriptedModel, ScriptedReply};

/// A line before the last one.
fn line(message: Value) -> Value {
    let mut line = json!({ "model": "qwen3", "created_at": "2026-01-01T00:00:00Z", "done": false });
    line["message"] = message;
    line["message"]["role"] = json!("assistant");
    line
}

fn last() -> Value {
    response(&json!({ "role": "assistant", "content": "" }))
}

fn call(name: &str, arguments: &Value) -> Value {
    json!({ "function": { "name": name, "arguments": arguments } })
}

fn assembled(lines: &[Value]) -> AssistantMessage {
    let mut assembler = ReplyAssembler::new().wire(Ollama::new());
    for line in lines {
        assembler.push(format!("{line}\r"));
    }
    assembler.into_reply().expect("it is complete")
}

fn without_ids(mut reply: AssistantMessage) -> AssistantMessage {
    for call in &mut reply.tool_calls {
        assert!(!call.id.is_empty());
        call.id.clear();
    }
    reply
}

fn pieces(random: &mut Rng, text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for letter in text.chars() {
        if random.u8(..3) == 0 {
            pieces.push(String::new());
        }
        pieces.last_mut().expect("there is one").push(letter);
    }
    pieces
}

#[test]
fn a_reply_in_pieces_of_any_size_equals_the_whole_reply() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = Rng::with_seed(seed);
    for _ in 0..500 {
        let texts = ["", "It is", " \n", "北京 é {}", "a b c d e f"];
        let mut text = || texts[random.usize(..texts.len())].repeat(2);
        let (thinking, content) = (text(), text());
        let calls: Vec<Value> = (0..random.usize(..4))
            .map(|_| {
                // Equal calls are separate calls.
                let arguments = [json!({}), json!({ "city": "Rome" })][random.usize(..2)].clone();
                let mut call = call(["f", "g"][random.usize(..2)], &arguments);
                if random.u8(..3) == 0 {
                    call["id"] = json!(format!("call_{}", random.u32(..)));
                }
                call
            })
            .collect();
        let reason = ["stop", "length"][random.usize(..2)];
        let mut message = json!({ "role": "assistant", "content": content });
        if !thinking.is_empty() {
            message["thinking"] = json!(thinking);
        }
        if !calls.is_empty() {
            message["tool_calls"] = json!(calls);
        }
        let mut whole = response(&message);
        whole["done_reason"] = json!(reason);

        let mut lines: Vec<Value> = Vec::new();
        for piece in pieces(&mut random, &thinking) {
            lines.push(line(json!({ "content": "", "thinking": piece })));
        }
        lines
            .extend(pieces(&mut random, &content).into_iter().map(|piece| line(json!({ "content": piece }))));
        let mut rest = &calls[..];
        while !rest.is_empty() {
            let (some, others) = rest.split_at(random.usize(1..=rest.len()));
            lines.push(line(json!({ "content": "", "tool_calls": some })));
            rest = others;
        }
        let mut end = last();
        end["done_reason"] = json!(reason);
        lines.push(end);

        let whole = Ollama::new().read_reply(&whole.to_string()).expect("it is a reply");
        assert_eq!(without_ids(assembled(&lines)), without_ids(whole), "seed {seed}: {lines:#?}");
    }
}

#[test]
fn events_arrive_with_their_lines() {
    let lines = [
        line(json!({ "content": "", "thinking": "Hm." })),
        line(json!({ "content": "One " })),
        line(json!({ "content": "", "tool_calls": [call("now", &json!({})), call("now", &json!({}))] })),
        last(),
    ];
    let mut assembler = ReplyAssembler::new().wire(Ollama::new());
    let mut events = Vec::new();
    for line in &lines {
        let of_line: Vec<String> = assembler
            .push(line.to_string())
            .map(|event| match event {
                ReplyEvent::Reasoning(text) | ReplyEvent::Text(text) => text.to_owned(),
                ReplyEvent::CallAnnounced { index, tool, .. } => format!("{tool} {index} starts"),
                ReplyEvent::CallComplete { index, .. } => format!("{index} is complete"),
                ReplyEvent::Finished { reason, .. } => reason.unwrap_or_default().to_owned(),
                other => format!("{other:?}"),
            })
            .collect();
        events.push(of_line);
    }
    assert!(assembler.has_ended(), "the last line ends the stream");
    let reply = assembler.into_reply().expect("it is complete");
    assert_eq!((reply.completeness(), reply.usage()), (Completeness::Complete, Some(Usage::new(9, 3))));
    assert_ne!(reply.tool_calls[0].id, reply.tool_calls[1].id);
    assert_eq!(events[..2], [["Hm."], ["One "]]);
    let events: Vec<&str> = events[2..].iter().flatten().map(String::as_str).collect();
    assert_eq!(events.iter().filter(|event| event.ends_with("starts")).count(), 2, "{events:?}");
    assert_eq!(events.iter().filter(|event| event.ends_with("is complete")).count(), 2, "{events:?}");
    assert_eq!(events.iter().filter(|event| **event == "stop").count(), 1, "{events:?}");
}

#[test]
fn an_error_in_the_stream_interrupts_the_reply() {
    for (end, expected) in [
        (
            json!({ "error": "model runner has unexpectedly stopped" }).to_string(),
            "model runner has unexpectedly stopped",
        ),
        ("<html>".to_owned(), "Ollama's API"),
    ] {
        let mut assembler = ReplyAssembler::new().wire(Ollama::new());
        assembler.push(line(json!({ "content": "It is" })).to_string());
        assert!(assembler.push(end).any(
            |event| matches!(event, ReplyEvent::Interrupted(error) if error.to_string().contains(expected))
        ));
        let interrupted = assembler.into_reply().expect_err("it is interrupted");
        assert_eq!(interrupted.partial.text(), "It is");
    }
    let mut assembler = ReplyAssembler::new().wire(Ollama::new());
    assembler.push(r#"{"status":"loading"}"#);
    let error = assembler.into_reply().expect_err("there is no reply");
    assert!(matches!(&error.cause, StreamError::NoReply { beginning, .. } if beginning.contains("loading")));
}

#[test]
fn a_stream_without_its_last_line_is_unconfirmed() {
    let reply = assembled(&[line(json!({ "content": "It is" })), line(json!({ "content": " sunny." }))]);
    assert_eq!((reply.text(), reply.completeness()), ("It is sunny.", Completeness::Unconfirmed));
    // Older servers send no reason.
    let reply = assembled(&[line(json!({ "content": "Hi." })), json!({ "done": true })]);
    assert_eq!((reply.text(), reply.completeness()), ("Hi.", Completeness::Unknown));
}

#[tokio::test]
async fn a_session_streams_and_runs_the_calls() {
    let first = vec![
        line(json!({ "content": "", "thinking": "Hm." })),
        line(json!({ "content": "", "tool_calls": [call("get_weather", &json!({ "city": "Rome" }))] })),
        line(json!({ "content": "", "tool_calls": [call("get_weather", &json!({ "city": "Atlantis" }))] })),
        last(),
    ];
    let second = vec![line(json!({ "content": "It is " })), line(json!({ "content": "sunny." })), last()];
    let script = [first, second].map(ScriptedReply::stream);
    let model = ScriptedModel::new(script).wire(Ollama::new());
    let mut session = Session::new().user("Rome?");
    let run = session.run(&registry()).wire(Ollama::new());
    let end = run.stream(|request| model.stream(request)).await.expect("it is valid");
    assert_eq!((end, session.final_text()), (RunEnd::Answered, "It is sunny."));
    let sent = &model.requests()[1]["messages"];
    assert_eq!(sent[1]["thinking"], "Hm.");
    assert_eq!((&sent[2]["content"], &sent[2]["tool_name"]), (&json!("Rome: sunny"), &json!("get_weather")));
    assert_eq!(sent[3]["content"], "Error: there is no such city");
    assert_eq!(session.usage(), Usage::new(18, 6));
}
