//! The events of a run.

use super::{asked, call, calling, model, shop, text_reply};
use serde_json::{Value, json};
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{AssistantMessage, CallContext, DynamicTool, Registry, Session, ToolCall, tool, tools};
use tool_runtime_testing::ScriptedReply;

/// The events of a run as JSON, without durations.
async fn events(
    session: &mut Session,
    registry: &Registry,
    replies: Vec<ScriptedReply>,
    stream: bool,
) -> Vec<Value> {
    let model = model(replies);
    let mut events = Vec::new();
    let run = session.run(registry).on_event(|event: &Event| {
        let mut event = serde_json::to_value(event).expect("it serializes");
        event.as_object_mut().expect("it is a map").remove("outcome");
        events.push(event);
    });
    let _ = if stream {
        run.stream(|request| model.stream(request)).await.expect("valid")
    } else {
        run.complete(|request| model.complete(request)).await.expect("valid")
    };
    events
}

/// The names of events, with the status of a call.
fn names(events: &[Value]) -> Vec<String> {
    let name = |event: &Value| match event["status"].as_str() {
        Some(status) => format!("call {status}"),
        None => event["type"].as_str().expect("a name").to_owned(),
    };
    events.iter().map(name).collect()
}

#[tokio::test]
async fn each_event_serializes_as_one_map() {
    let (registry, _) = shop();
    let reply: ScriptedReply = json!({
        "usage": {"prompt_tokens": 9, "completion_tokens": 5},
        "choices": [{"finish_reason": "tool_calls", "message": {
            "content": "I look.", "reasoning_content": "Hm.",
            "tool_calls": [{"id": "a", "function": {"name": "find", "arguments": "{\"order\":7}"}}],
        }}],
    })
    .into();
    let mut session = asked();
    let events = events(&mut session, &registry, vec![reply, text_reply("")], false).await;
    assert_eq!(
        events,
        [
            json!({"type": "reasoning", "text": "Hm."}),
            json!({"type": "text", "text": "I look."}),
            json!({"type": "call_announced", "id": "a", "tool": "find"}),
            json!({"type": "call_arguments", "id": "a", "text": "{\"order\":7}", "is_restart": false}),
            json!({"type": "call_complete", "id": "a", "tool": "find", "arguments": "{\"order\":7}"}),
            json!({"type": "reply_finished", "number": 0,
                "usage": {"input_tokens": 9, "cached_input_tokens": 0, "output_tokens": 5}}),
            json!({"type": "call", "id": "a", "tool": "find", "status": "started", "arguments": "{\"order\":7}"}),
            json!({"type": "call", "id": "a", "tool": "find", "status": "finished", "arguments": "{\"order\":7}",
                "cause": "ran", "result": {"output": "order 7"}}),
            json!({"type": "warning", "warning": {"kind": "empty"}, "text": "the reply is empty"}),
            json!({"type": "reply_finished", "number": 1, "usage": null}),
            json!({"type": "run_ended", "end": "answered"}),
        ]
    );
}

#[tokio::test]
async fn a_streamed_reply_has_its_pieces() {
    let (registry, _) = shop();
    let mut reply = AssistantMessage::from_tool_calls(vec![call("a", "find", 7), call("b", "refund", 8)]);
    reply.content = Some("I look.".into());
    let mut session = asked();
    let events = events(&mut session, &registry, vec![reply.into()], true).await;
    let text: Vec<&str> =
        events.iter().filter(|event| event["type"] == "text").filter_map(|e| e["text"].as_str()).collect();
    assert_eq!(text, ["I ", "look."]);
    for (id, arguments) in [("a", r#"{"order":7}"#), ("b", r#"{"order":8}"#)] {
        let of_call: Vec<Value> = events.iter().filter(|event| event["id"] == id).cloned().collect();
        let pieces = of_call.iter().filter(|event| event["type"] == "call_arguments");
        let joined: String = pieces.filter_map(|event| event["text"].as_str()).collect();
        assert_eq!(joined, arguments);
        let without_pieces: Vec<Value> =
            of_call.into_iter().filter(|event| event["type"] != "call_arguments").collect();
        let last = if id == "a" { "call finished" } else { "call needs_approval" };
        let names = names(&without_pieces);
        assert_eq!(names.first().map(String::as_str), Some("call_announced"));
        assert_eq!(names[1], "call_complete");
        assert_eq!(names.last().map(String::as_str), Some(last));
    }
    let position = |name: &str| names(&events).iter().position(|found| found == name);
    assert!(position("call started") < position("reply_finished"), "a read-only tool starts early");
    assert_eq!(events.last(), Some(&json!({"type": "run_ended", "end": "needs_approval"})));
}

#[tokio::test]
async fn ids_of_events_are_those_of_the_session() {
    let (registry, _) = shop();
    for stream in [false, true] {
        let reply = |order| calling([call("call_0", "find", order), call("call_0", "find", order + 1)]);
        let mut session = asked();
        let events =
            events(&mut session, &registry, vec![reply(1), reply(3), text_reply("Done.")], stream).await;
        let ids_of = |name: &str| -> Vec<String> {
            let of_kind = events.iter().filter(|event| event["type"] == name);
            of_kind.filter_map(|event| event["id"].as_str()).map(str::to_owned).collect()
        };
        let calls = session.messages().iter().filter_map(|message| match message {
            tool_runtime::message::Message::Assistant(reply) => Some(&reply.tool_calls),
            _ => None,
        });
        let ids: Vec<String> = calls.flatten().map(|call| call.id.clone()).collect();
        assert_eq!(ids_of("call_announced"), ids);
        assert_eq!(ids_of("call_complete"), ids);
        let mut distinct = ids.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), 4, "{ids:?}");
        let finished = events.iter().filter(|event| event["status"] == "finished");
        let mut finished: Vec<String> =
            finished.filter_map(|e| e["id"].as_str()).map(str::to_owned).collect();
        finished.sort();
        assert_eq!(finished, distinct);
    }
}

#[tokio::test]
async fn progress_of_a_blocking_tool_arrives_while_it_runs() {
    /// Exports the orders.
    #[tool(blocking)]
    fn export(#[context] call: &CallContext) {
        for page in 1..=3 {
            call.progress(page, 3, format!("page {page}"));
        }
    }
    let registry = Registry::new(tools![export]).expect("one tool");
    let mut session = asked();
    let calls = calling([ToolCall::new("a", "export", "{}")]);
    let events = events(&mut session, &registry, vec![calls, text_reply("Done.")], false).await;
    let progress: Vec<&Value> = events.iter().filter(|event| event["status"] == "progress").collect();
    assert_eq!(progress.len(), 3);
    assert_eq!(progress[2]["text"], "page 3");
}

#[tokio::test]
async fn calls_that_wait_have_their_events() {
    let dialog = DynamicTool::external("dialog", "Asks the user.", json!({"type": "object"}));
    let registry = Registry::builder().dynamic(dialog).build().expect("one tool");
    let mut session = asked();
    let reply = calling([ToolCall::new("a", "dialog", r#"{"x":1}"#)]);
    let events = events(&mut session, &registry, vec![reply], false).await;
    let expected = json!({"type": "call", "id": "a", "tool": "dialog", "status": "needs_result", "ticket": null, "arguments": "{\"x\":1}"});
    assert!(events.contains(&expected), "{events:?}");
    assert_eq!(events.last(), Some(&json!({"type": "run_ended", "end": "needs_result"})));
}

#[tokio::test]
async fn arguments_that_start_again_are_marked() {
    let (registry, _) = shop();
    let piece = |arguments: &str| {
        json!({"choices": [{"delta": {"tool_calls": [
            {"index": 0, "id": "a", "function": {"name": "find", "arguments": arguments}}
        ]}}]})
    };
    let end = json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]});
    let reply = ScriptedReply::stream([piece("{}"), piece("{\"order\""), piece(":7}"), end]);
    let mut session = asked();
    let events = events(&mut session, &registry, vec![reply, text_reply("Done.")], true).await;
    let mut arguments = String::new();
    for event in events.iter().filter(|event| event["type"] == "call_arguments") {
        if event["is_restart"] == true {
            arguments.clear();
        }
        arguments.push_str(event["text"].as_str().expect("text"));
    }
    assert_eq!(arguments, r#"{"order":7}"#);
}

#[tokio::test]
async fn an_event_can_be_sent_to_another_task() {
    fn assert_owned<T: Clone + Send + Sync + 'static>(_: &T) {}
    let (registry, _) = shop();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let model = model([text_reply("Hello.")]);
    let mut session = asked();
    let run = session.run(&registry).on_event(|event| {
        assert_owned(event);
        let _ = sender.send(event.clone());
    });
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    assert!(matches!(receiver.recv().await, Some(Event::Text { text, .. }) if text == "Hello."));
}
