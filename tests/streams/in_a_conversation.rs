//! Streamed replies in a conversation.

use crate::{calls, delta, finish};
use futures_util::stream;
use serde_json::{Value, json};
use tool_runtime::conversation::{NotPendingError, PendingCalls, Received, ReplyWarning};
use tool_runtime::{AssistantMessage, Conversation, Registry, ToolMessage, tool, tools};

/// Reads a file.
#[tool(read_only)]
fn read(path: &str) -> String {
    format!("the text of {path}")
}

/// Deletes a file.
#[tool(requires_approval)]
fn delete(path: &str) -> String {
    format!("{path} is deleted")
}

fn call(index: usize, tool: &str, arguments: &str) -> Value {
    calls(&[
        json!({ "index": index, "id": format!("call_{index}"), "function": { "name": tool, "arguments": arguments } }),
    ])
}

async fn streamed(
    registry: &Registry,
    chunks: Vec<Value>,
    chat: Conversation,
) -> (PendingCalls, Vec<ToolMessage>) {
    let (reply, answers) =
        registry.dispatch_stream(stream::iter(chunks)).await.expect("the stream is not interrupted");
    match chat.receive(reply) {
        Received::ToolCalls(pending) => (pending, answers),
        Received::Answer(chat) => panic!("no calls in {:?}", chat.messages()),
    }
}

#[tokio::test]
async fn a_reply_of_text_is_an_answer() {
    let registry = Registry::new(tools![read]).expect("one tool");
    let chunks = stream::iter([
        delta(json!({ "content": "Hel" })),
        delta(json!({ "content": "lo." })),
        finish("stop"),
    ]);
    let (reply, answers) = registry.dispatch_stream(chunks).await.expect("the stream is not interrupted");
    assert!(answers.is_empty());
    match Conversation::new().user("Hello!").receive(reply) {
        Received::Answer(chat) => assert_eq!(chat.final_text(), "Hello."),
        Received::ToolCalls(_) => panic!("expected an answer"),
    }
}

#[tokio::test]
async fn a_call_that_needs_approval_stays_pending() {
    let registry = Registry::new(tools![read, delete]).expect("two tools");
    let chunks =
        vec![call(0, "read", r#"{"path":"a"}"#), call(1, "delete", r#"{"path":"b"}"#), finish("tool_calls")];
    let (mut pending, answers) = streamed(&registry, chunks, Conversation::new().user("Clean up.")).await;
    pending.add_results(answers).expect("the results belong to the calls of the reply");
    assert_eq!(pending.without_result().map(|call| &*call.name).collect::<Vec<_>>(), ["delete"]);
    assert_eq!(pending.awaiting_approval().len(), 1);
    pending.run(&registry).await;
    assert_eq!(pending.awaiting_approval().len(), 1, "it still waits after another run");
    pending.approve("call_1").expect("the call is pending");
    let chat = pending.dispatch(&registry).await;
    assert_eq!(chat.messages()[2].text(), "the text of a");
    assert_eq!(chat.messages()[3].text(), "b is deleted");
}

#[tokio::test]
async fn the_third_identical_failure_of_a_streamed_call_gets_a_note() {
    let registry = Registry::new(tools![read]).expect("one tool");
    let mut chat = Conversation::new().user("Read it.");
    for attempt in 1..=3 {
        let chunks = vec![call(0, "read", r#"{"file":"a"}"#), finish("tool_calls")];
        let (mut pending, answers) = streamed(&registry, chunks, chat).await;
        pending.add_results(answers).expect("the results belong to the calls of the reply");
        chat = pending.into_conversation().expect("each call has its result");
        let text = chat.messages().last().expect("the conversation has messages").text();
        assert_eq!(text.contains("three times in a row"), attempt == 3, "{text}");
    }
}

#[tokio::test]
async fn results_of_unknown_or_finished_calls_are_rejected() {
    let registry = Registry::new(tools![read]).expect("one tool");
    let chunks = vec![call(0, "read", r#"{"path":"a"}"#), call(1, "read", r#"{"path":"b"}"#), finish("stop")];
    let (mut pending, answers) = streamed(&registry, chunks, Conversation::new().user("Read both.")).await;
    let with = |other: ToolMessage| [answers.clone(), vec![other]].concat();
    let unknown = pending.add_results(with(ToolMessage::new("call_9", "?")));
    assert!(matches!(unknown, Err(NotPendingError::UnknownId { id, .. }) if id == "call_9"));
    let twice = pending.add_results(with(answers[0].clone()));
    assert!(matches!(twice, Err(NotPendingError::HasResult { id, .. }) if id == "call_0"));
    assert_eq!(pending.without_result().count(), 2);
    pending.add_results(answers.clone()).expect("the results belong to the calls of the reply");
    assert_eq!(pending.without_result().count(), 0);
    let again = pending.add_results(answers);
    assert!(matches!(again, Err(NotPendingError::HasResult { id, .. }) if id == "call_0"));
}

#[test]
fn a_stream_without_an_end_is_a_warning() {
    let warnings_of = |reply: AssistantMessage| match Conversation::new().user("Hello!").receive(reply) {
        Received::Answer(chat) => chat.warnings().to_vec(),
        Received::ToolCalls(pending) => pending.conversation().warnings().to_vec(),
    };
    let warnings = |chunks: Vec<Value>| warnings_of(crate::assembled(chunks));
    let half = delta(json!({ "content": "Half a sen" }));
    assert_eq!(warnings(vec![half.clone()]), [ReplyWarning::NoFinishReason]);
    assert_eq!(warnings(vec![half.clone(), "[DONE]".into()]), []);
    assert_eq!(warnings(vec![half.clone(), finish("stop")]), []);
    let ended = crate::assembled([half]).with_finish_reason("stop");
    assert_eq!(warnings_of(ended), [], "the program set the finish reason");
}
