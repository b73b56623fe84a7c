//! Conversations, dispatches and streams without a session.

use super::{echo, registry, reply, reported, response};
use futures_util::stream;
use serde_json::{Value, json};
use tool_runtime::conversation::{PendingCalls, Received};
use tool_runtime::message::Message;
use tool_runtime::stream::ReplyEvent;
use tool_runtime::wire::{Anthropic, ChatCompletions, RequestParts, Wire};
use tool_runtime::{Conversation, Registry, ToolMessage};

fn written() -> Value {
    json!({ "_.alt": "json", "gr__e": 1 })
}

const OWN: &str = r#"{"$.alt":"json","größe":1}"#;

fn received() -> PendingCalls {
    match Conversation::new().user("Go.").receive(reply(&written())) {
        Received::ToolCalls(pending) => pending,
        Received::Answer(_) => panic!("it calls"),
    }
}

/// The call of the second message.
fn call(chat: &Conversation) -> &str {
    let Message::Assistant(reply) = &chat.messages()[1] else { panic!("a reply") };
    &reply.tool_calls[0].arguments
}

/// The body of the next request of this wire.
fn request(wire: &dyn Wire, chat: &Conversation, registry: &Registry) -> Value {
    let body =
        wire.write(&RequestParts::new(chat.messages()).tools(registry.schemas())).expect("it is written");
    serde_json::to_value(&body).expect("it is JSON")
}

#[tokio::test]
async fn pending_calls_have_the_tools_keys_once_they_run() {
    let registry = registry(reported());
    let pending = received();
    // No registry has seen the call.
    assert_eq!(pending.calls()[0].arguments, written().to_string());
    let chat = pending.dispatch(&registry).await;
    assert_eq!((call(&chat), chat.messages()[2].text()), (OWN, OWN));
    let body = request(&Anthropic::new(), &chat, &registry);
    assert_eq!(body["messages"][1]["content"], response(&written())["content"]);
    let body = request(&ChatCompletions::new(), &chat, &registry);
    assert_eq!(body["messages"][1]["tool_calls"][0]["function"]["arguments"], OWN);
}

/// Approved before a run, stored, and loaded in another process.
#[tokio::test]
async fn an_approval_before_the_first_run_stays() {
    let registry =
        Registry::builder().dynamic(echo("echo", reported()).requires_approval()).build().expect("a tool");
    let mut pending = received();
    pending.approve("toolu_1").expect("it waits");
    let text = serde_json::to_string(&pending).expect("it is written");
    let mut pending: PendingCalls = serde_json::from_str(&text).expect("it is read");
    pending.run(&registry).await;
    assert_eq!(pending.result_of("toolu_1").map(ToolMessage::text), Some(OWN));
    let text = serde_json::to_string(&pending).expect("it is written");
    let pending: PendingCalls = serde_json::from_str(&text).expect("it is read");
    let chat = pending.into_conversation().expect("it has its result");
    let body = request(&Anthropic::new(), &chat, &registry);
    assert_eq!(body["messages"][1]["content"], response(&written())["content"]);
}

/// Edited before the first run, and then denied: the history shows the call of the model.
#[tokio::test]
async fn a_denied_edit_restores_the_call_of_the_model() {
    let registry =
        Registry::builder().dynamic(echo("echo", reported()).requires_approval()).build().expect("a tool");
    let mut pending = received();
    pending.approve_with("toolu_1", json!({ "größe": "x" })).expect("it waits");
    pending.run(&registry).await;
    assert_eq!(pending.awaiting_approval().len(), 1);
    pending.deny("toolu_1", "no").expect("it waits");
    let chat = pending.into_conversation().expect("it has its result");
    assert_eq!(call(&chat), OWN);
    let body = request(&Anthropic::new(), &chat, &registry);
    assert_eq!(body["messages"][1]["content"], response(&written())["content"]);
}

#[tokio::test]
async fn a_streamed_dispatch_has_the_tools_keys() {
    let event = |event: Value| Anthropic::new().read_event(&event.to_string());
    let block = json!({ "type": "tool_use", "id": "toolu_1", "name": "echo", "input": {} });
    let piece = |text: &str| {
        event(
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": text } }),
        )
    };
    for is_read_only in [true, false] {
        let tool = echo("echo", reported());
        let tool = if is_read_only { tool.read_only() } else { tool };
        let registry = Registry::builder().dynamic(tool).build().expect("a tool");
        for (pieces, text) in [
            (["{\"_.alt\":\"json\",\"gr_", "_e\":1}"], OWN),
            (
                ["{", "}"],
                "Error: invalid arguments for `echo`: `_.alt` is missing. Call it again, but add `_.alt`.",
            ),
        ] {
            let chunks = [
                event(json!({ "type": "message_start", "message": { "id": "msg_1", "model": "claude" } })),
                event(json!({ "type": "content_block_start", "index": 0, "content_block": block })),
                piece(pieces[0]),
                piece(pieces[1]),
                event(json!({ "type": "content_block_stop", "index": 0 })),
                event(json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } })),
                event(json!({ "type": "message_stop" })),
            ];
            let mut complete = Vec::new();
            let on_event = |event: ReplyEvent<'_>| {
                if let ReplyEvent::CallComplete { call, .. } = event {
                    complete.push(call.arguments.clone());
                }
            };
            let dispatched = registry.dispatch_stream_events(stream::iter(chunks), on_event).await;
            let (reply, messages) = dispatched.expect("it is complete");
            assert_eq!(messages[0].text(), text);
            assert_eq!(reply.tool_calls[0].arguments, complete[0]);
            assert!(!complete[0].contains("gr__e"), "{complete:?}");
            let native: Vec<&str> = reply.native_items().collect();
            assert_eq!(native.len(), 1);
            // The block goes back as it came.
            let sent = json!([{ "type": "tool_use", "id": "toolu_1", "name": "echo", "input": serde_json::from_str::<Value>(&pieces.concat()).expect("it is JSON") }]);
            let chat = match Conversation::new().user("Go.").receive(reply) {
                Received::ToolCalls(mut pending) => {
                    pending.add_results(messages).expect("its results");
                    pending.into_conversation().expect("it has its result")
                }
                Received::Answer(_) => panic!("it calls"),
            };
            assert_eq!(request(&Anthropic::new(), &chat, &registry)["messages"][1]["content"], sent);
        }
    }
}

#[tokio::test]
async fn direct_calls_take_both_forms() {
    let registry = registry(reported());
    assert_eq!(registry.call("echo", written()).await.text(), OWN);
    assert_eq!(registry.call("echo", OWN).await.text(), OWN);
    let failed = registry.call("echo", json!({ "gr__e": 1 })).await;
    assert_eq!(
        failed.text(),
        "Error: invalid arguments for `echo`: `_.alt` is missing. Call it again, but add `_.alt`."
    );
}
