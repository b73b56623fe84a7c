//! With schemas in which every argument is required, null means an absent argument.

use futures_util::stream;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::future::ready;
use tool_runtime::conversation::{PendingCalls, Received};
use tool_runtime::search::Search;
use tool_runtime::session::RunEnd;
use tool_runtime::wire::{ChatCompletions, RequestParts, Wire as _};
use tool_runtime::{Conversation, Registry, Session, ToolCall, ToolMessage, tool, tools};

#[derive(Debug, Deserialize, JsonSchema)]
struct Filter {
    #[serde(default = "ten")]
    limit: u8,
    author: Option<String>,
    tags: Vec<Option<u8>>,
}

fn ten() -> u8 {
    10
}

/// Searches.
#[tool]
fn search(
    text: &str,
    #[arg(default = 3)] page: u8,
    #[arg(default = Some(7))] seed: Option<u8>,
    language: Option<String>,
    filter: Option<Filter>,
    #[arg(default = vec![1])] ids: Vec<u8>,
    any: serde_json::Value,
) -> String {
    format!("{text} {page} {seed:?} {language:?} {filter:?} {ids:?} {any}")
}

const NULLS: &str = r#"{"text":"a","page":null,"seed":null,"language":null,"ids":null,"any":null,
    "filter":{"limit":null,"author":null,"tags":[null,1]}}"#;

async fn call(registry: &Registry, arguments: &str) -> String {
    registry.dispatch(&[ToolCall::new("1", "search", arguments)]).await.remove(0).content.to_string()
}

fn builder() -> tool_runtime::RegistryBuilder {
    Registry::builder().tools(tools![search])
}

const ABSENT: &str =
    "a 3 Some(7) None Some(Filter { limit: 10, author: None, tags: [None, Some(1)] }) [1] null";

#[tokio::test]
async fn null_means_absent_with_the_option_of_the_builder() {
    let registry = builder().null_means_absent(true).build().expect("one tool");
    assert_eq!(call(&registry, NULLS).await, ABSENT);
    let required = call(&registry, &NULLS.replace("\"a\"", "null")).await;
    assert!(required.contains("`text`: expected a string, got null"), "{required}");
}

#[tokio::test]
async fn asking_for_a_strict_form_does_not_change_how_calls_are_decoded() {
    /// Waits.
    #[tool]
    fn wait(#[arg(default = 3)] times: u8) -> u8 {
        times
    }
    let registry = builder().tools(tools![wait]).build().expect("two tools");
    assert!(registry.tool("wait").expect("it is there").schema.openai_strict().is_ok());
    assert!(
        registry.tool("search").expect("it is there").schema.openai_strict().is_err(),
        "it takes any value"
    );
    let body = ChatCompletions::new().strict(true).write(&RequestParts::new(&[]).tools(registry.schemas()));
    assert!(
        serde_json::to_string(&body.expect("it can be written"))
            .expect("it is JSON")
            .contains("\"strict\":true")
    );
    assert!(call(&registry, NULLS).await.contains("`page`: expected an integer, got null"));
    assert_eq!(registry.call("wait", r#"{"times":null}"#).await.error_kind(), Some("invalid_arguments"));
}

/// The body of a response with a call of `search`.
fn response() -> String {
    let call = json!({ "id": "1", "function": { "name": "search", "arguments": NULLS } });
    json!({ "choices": [{ "message": { "tool_calls": [call] }, "finish_reason": "tool_calls" }] }).to_string()
}

#[tokio::test]
async fn null_means_absent_in_the_replies_that_a_strict_wire_reads() {
    let registry = builder().build().expect("one tool");
    for (is_strict, expected) in [(true, ABSENT), (false, "expected an integer, got null")] {
        let wire = ChatCompletions::new().strict(is_strict);
        let reply = wire.read_reply(&response()).expect("a reply");
        let messages = registry.dispatch(&reply.tool_calls).await;
        assert!(messages[0].text().contains(expected), "{}", messages[0].text());
    }
}

#[tokio::test]
async fn null_means_absent_in_a_call_of_call_tool() {
    let registry = builder().search(Search::new()).build().expect("one tool");
    let arguments = json!({ "name": "search", "arguments": NULLS }).to_string();
    let call = json!({ "id": "1", "function": { "name": "call_tool", "arguments": arguments } });
    let body = json!({ "choices": [{ "message": { "tool_calls": [call] } }] }).to_string();
    let reply = ChatCompletions::new().strict(true).read_reply(&body).expect("a reply");
    assert_eq!(reply.tool_calls[0], ToolCall::new("1", "call_tool", arguments), "the mark is not compared");
    assert_eq!(registry.dispatch(&reply.tool_calls).await[0].text(), ABSENT);
}

#[tokio::test]
async fn null_means_absent_in_stored_pending_calls() {
    let reply = ChatCompletions::new().strict(true).read_reply(&response()).expect("a reply");
    let Received::ToolCalls(pending) = Conversation::new().user("Search.").receive(reply) else {
        panic!("the reply has a call")
    };
    let stored = serde_json::to_string(&pending).expect("it can be stored");
    // Another process.
    let pending: PendingCalls = serde_json::from_str(&stored).expect("it was stored");
    let chat = pending.dispatch(&builder().build().expect("one tool")).await;
    assert_eq!(chat.messages()[2].text(), ABSENT);
}

#[tokio::test]
async fn null_means_absent_in_a_stream_of_a_strict_wire() {
    /// Counts.
    #[tool(read_only)]
    fn count(#[arg(default = 3)] times: u8) -> u8 {
        times
    }
    let registry = builder().tools(tools![count]).build().expect("two tools");
    let wire = ChatCompletions::new().strict(true);
    let piece = |index: u8, name: &str, arguments: &str| {
        let call = json!({ "index": index, "id": index.to_string(), "function": { "name": name, "arguments": arguments } });
        json!({ "choices": [{ "delta": { "tool_calls": [call] } }] }).to_string()
    };
    let data = [
        // One call starts early, and the other one after the end.
        piece(0, "count", r#"{"times":null}"#),
        piece(1, "search", NULLS),
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#.to_owned(),
        "[DONE]".to_owned(),
    ];
    let chunks = stream::iter(data.map(|data| wire.read_event(&data)));
    let (_, messages) = registry.dispatch_stream(chunks).await.expect("a whole reply");
    assert_eq!(messages.iter().map(ToolMessage::text).collect::<Vec<_>>(), ["3", ABSENT]);
}

#[tokio::test]
async fn null_means_absent_in_a_session_with_a_strict_wire() {
    let registry = builder().build().expect("one tool");
    let wire = ChatCompletions::new().strict(true);
    let mut session = Session::new().user("Search.");
    let mut bodies = [response(), r#"{"choices":[{"message":{"content":"Done."}}]}"#.to_owned()].into_iter();
    let reader = wire.clone();
    let complete = |_| ready(reader.read_reply(&bodies.next().expect("two replies")));
    let end = session.run(&registry).wire(wire).max_replies(3).complete(complete).await.expect("no error");
    assert_eq!(end, RunEnd::Answered);
    assert_eq!(session.messages()[2].text(), ABSENT);
}

#[tokio::test]
async fn without_strict_schemas_null_is_a_value() {
    let registry = builder().build().expect("one tool");
    let nested = r#"{"text":"a","filter":{"limit":null,"tags":[]},"any":1}"#;
    let text = call(&registry, nested).await;
    assert!(text.contains("`filter.limit`: expected an integer, got null"), "{text}");
    assert!(call(&registry, r#"{"text":"a","seed":null,"any":1}"#).await.starts_with("a 3 None None"));
}

#[tokio::test]
async fn null_means_absent_for_a_blocking_tool() {
    /// Waits.
    #[tool(blocking)]
    fn wait(#[arg(default = 3)] times: u8) -> u8 {
        times
    }
    let registry = Registry::builder().tools(tools![wait]).null_means_absent(true).build().expect("one tool");
    assert_eq!(registry.call("wait", r#"{"times":null}"#).await.text(), "3");
}
