//! Truncated results, artifacts, and panics of decoders and serializers.

use crate::message_text;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::cell::Cell;
use std::error::Error as _;
use tool_runtime::message::Message;
use tool_runtime::schemars::JsonSchema;
use tool_runtime::{DynamicTool, Registry, ToolCall, ToolMessage, ToolOutput, tool, tools};

/// Repeats a text.
#[tool]
fn repeat(text: &str, times: usize) -> String {
    text.repeat(times)
}

/// Fails with a long message.
#[tool]
fn fails_at_length() -> Result<(), String> {
    Err("no ".repeat(1_000))
}

async fn truncated(text: &str, times: usize, limit: usize) -> String {
    let registry = Registry::builder().tools(tools![repeat]).max_output_bytes(limit).build();
    let arguments = serde_json::json!({"text": text, "times": times}).to_string();
    let messages = registry.expect("a registry").dispatch(&[ToolCall::new("1", "repeat", arguments)]).await;
    messages[0].content.to_string()
}

#[tokio::test]
async fn a_long_result_is_truncated_to_its_head_and_tail_with_the_number_of_omitted_bytes() {
    assert_eq!(
        truncated("0123456789", 100, 60).await,
        "012345678901234\n[... 971 bytes left out ...]\n67890123456789"
    );
    assert_eq!(truncated("0123456789", 6, 60).await, "0123456789".repeat(6), "exactly at the limit");
}

#[tokio::test]
async fn a_result_is_truncated_between_characters_and_never_exceeds_the_limit() {
    for text in ["a", "é", "語", "🦀", "a🦀é"] {
        for limit in 34..120 {
            let content = truncated(text, 500, limit).await;
            assert!(content.len() <= limit, "{} of {limit}: {content}", content.len());
            let (head, rest) = content.split_once("\n[... ").expect("it was truncated");
            let (left_out, tail) = rest.split_once(" bytes left out ...]\n").expect("a notice");
            let left_out: usize = left_out.parse().expect("a number");
            assert_eq!(head.len() + left_out + tail.len(), text.len() * 500);
            let whole = text.repeat(500);
            assert!(whole.starts_with(head) && whole.ends_with(tail));
            assert!(limit - content.len() < 10, "at limit one character is lost on each side");
        }
    }
    for limit in 1..30 {
        assert_eq!(
            truncated("x", 500, limit).await,
            "x".repeat(limit),
            "the limit is too small for a notice"
        );
    }
    assert_eq!(truncated("🦀", 500, 3).await, "");
}

#[tokio::test]
async fn errors_are_truncated_for_the_model_and_complete_for_the_program() {
    let registry = Registry::builder().tools(tools![fails_at_length, repeat]).max_output_bytes(100).build();
    let registry = registry.expect("a registry");
    let messages = registry.dispatch(&[ToolCall::new("1", "fails_at_length", "")]).await;
    assert!(
        messages[0].content.as_str().starts_with("Error: no no ")
            && messages[0].content.as_str().len() <= 100
    );
    let narrow =
        Registry::builder().tools(tools![fails_at_length]).max_output_bytes(20).build().expect("a registry");
    let messages = narrow.dispatch(&[ToolCall::new("1", "fails_at_length", "")]).await;
    assert_eq!(messages[0].content, "Error: no no no no n", "`Error: ` is kept");
    let messages = registry.dispatch(&[ToolCall::new("1", "fails_at_length", "")]).await;
    let error = messages[0].outcome().and_then(|outcome| outcome.error()).expect("it failed");
    assert_eq!(error.to_string().len(), 3_000);
    let result = registry.call("repeat", serde_json::json!({"text": "x", "times": 1_000})).await;
    let text = result.text();
    assert!(text.len() <= 100 && text.contains(" bytes left out "), "`call` has the same limit: {text}");
}

/// An artifact that is not `Clone`.
#[derive(Debug, PartialEq)]
struct Chart(u32);

/// Draws a chart.
#[tool]
async fn draw(size: u32) -> Result<ToolOutput, String> {
    match size {
        0 => Err("nothing to draw".to_owned()),
        size => Ok(ToolOutput::from(format!("a chart of {size}")).with_artifact(Chart(size))),
    }
}

/// Draws on a thread.
#[tool(blocking)]
fn draw_on_a_thread(size: u32) -> ToolOutput {
    ToolOutput::from("drawn").with_artifact(Chart(size))
}

async fn drawn(tool: &str) -> ToolMessage {
    let registry = Registry::new(tools![draw, draw_on_a_thread]).expect("a registry");
    registry.dispatch(&[ToolCall::new("1", tool, r#"{"size":3}"#)]).await.remove(0)
}

#[tokio::test]
async fn an_artifact_is_part_of_the_message_and_is_not_serialized() {
    let message = drawn("draw").await;
    assert_eq!(
        serde_json::to_string(&message).expect("it serializes"),
        r#"{"role":"tool","tool_call_id":"1","content":"a chart of 3"}"#
    );
    assert_eq!(message.artifact::<String>(), None, "it has another type");
    assert_eq!(message.artifact(), Some(&Chart(3)));
    assert_eq!(drawn("draw_on_a_thread").await.artifact(), Some(&Chart(3)));
    assert_eq!(ToolMessage::new("1", "created").artifact::<Chart>(), None);
}

#[tokio::test]
async fn an_artifact_stays_in_a_message_that_moves_to_a_history_on_another_thread() {
    let answer = drawn("draw").await;
    let history = vec![Message::user("draw"), Message::from(answer.clone())];
    let history = std::thread::spawn(move || history).join().expect("it ends");
    let Message::Tool(kept) = &history[1] else { panic!("it is a tool message") };
    let [kept, shared] = [kept, &answer].map(|message| message.artifact::<Chart>().expect("it is there"));
    assert_eq!(*kept, Chart(3));
    assert!(std::ptr::eq(kept, shared), "clones share one artifact");
}

#[tokio::test]
async fn an_output_can_be_an_error_or_have_no_artifact() {
    assert_eq!(message_text(tools![draw], "draw", r#"{"size":0}"#).await, "Error: nothing to draw");
    let output = draw(3).await.expect("it draws");
    assert_eq!((output.text(), output.artifact()), ("a chart of 3", Some(&Chart(3))));
    assert_eq!(ToolOutput::new().with_json([1, 2]).text(), "[1,2]");
    assert!(!format!("{output:?}").contains("Chart"), "the type of an artifact need not implement `Debug`");
}

#[tokio::test]
async fn a_dynamic_tool_can_return_an_output_or_a_value() {
    let draws = |_, _| async { Ok::<_, String>(ToolOutput::from("drawn").with_artifact(7_u8)) };
    let value = |_, _| async { Ok::<_, String>(serde_json::json!({"a": 1})) };
    let nothing = |_, _| async { Ok::<_, String>(()) };
    let registry = Registry::builder()
        .dynamic(DynamicTool::with_context("draws", "", Value::Null, draws))
        .dynamic(DynamicTool::with_context("nothing", "", Value::Null, nothing))
        .dynamic(DynamicTool::with_context("value", "", Value::Null, value))
        .build()
        .expect("a registry");
    let calls = ["draws", "value", "nothing"].map(|tool| ToolCall::new("1", tool, ""));
    let messages = registry.dispatch(&calls).await;
    assert_eq!(
        [messages[0].content.as_str(), messages[1].content.as_str(), messages[2].content.as_str()],
        ["drawn", r#"{"a":1}"#, "ok"]
    );
    assert_eq!(messages[0].artifact(), Some(&7_u8));
}

/// A type that panics when it is deserialized or serialized.
#[derive(JsonSchema)]
struct Panicking {
    #[allow(dead_code, reason = "for the schema")]
    set: bool,
}

impl<'de> Deserialize<'de> for Panicking {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer)?;
        panic!("a secret of the decoder")
    }
}

impl Serialize for Panicking {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("a secret of the encoder")
    }
}

/// Takes an argument whose decoder panics.
#[tool]
async fn decodes_panicking(_value: Panicking) {}

/// Returns a value whose serializer panics.
#[tool]
async fn serializes_panicking() -> Panicking {
    Panicking { set: true }
}

/// Takes an argument whose decoder panics, on a thread.
#[tool(blocking)]
fn decodes_panicking_on_a_thread(_value: Panicking) {}

/// Returns a value whose serializer panics, from a thread.
#[tool(blocking)]
fn serializes_panicking_on_a_thread() -> Panicking {
    Panicking { set: true }
}

/// A type that panics when it is dropped.
#[derive(Deserialize, JsonSchema)]
struct Bomb {
    #[allow(dead_code, reason = "for the schema")]
    set: bool,
}

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("as planned");
    }
}

/// Takes an argument that panics when it is dropped.
#[tool]
fn takes_bomb(bomb: Bomb, number: u8) -> u8 {
    std::mem::forget(bomb);
    number
}

#[tokio::test]
async fn an_argument_that_panics_when_it_is_dropped_fails_only_its_call() {
    let registry = Registry::new(tools![takes_bomb, repeat]).expect("a registry");
    let calls = [
        ToolCall::new("1", "takes_bomb", r#"{"bomb":{"set":true},"number":7}"#),
        ToolCall::new("2", "takes_bomb", r#"{"bomb":{"set":true},"number":"seven"}"#),
        ToolCall::new("3", "repeat", r#"{"text":"x","times":2}"#),
    ];
    let messages = registry.dispatch(&calls).await;
    assert_eq!(
        [messages[0].content.as_str(), messages[1].content.as_str(), messages[2].content.as_str()],
        ["7", "Error: the tool `takes_bomb` failed unexpectedly.", "xx"]
    );
}

thread_local! {
    static IS_TEST_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// A type whose decoder panics on other threads than that of its test.
#[derive(JsonSchema)]
struct PanicsOnThread {
    #[allow(dead_code, reason = "for the schema")]
    set: bool,
}

impl<'de> Deserialize<'de> for PanicsOnThread {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer)?;
        assert!(IS_TEST_THREAD.get(), "a secret of the thread");
        Ok(PanicsOnThread { set: true })
    }
}

/// Takes its argument on a thread.
#[tool(blocking)]
fn takes_panicking_on_thread(_value: PanicsOnThread) {}

#[tokio::test]
async fn a_decoder_that_panics_only_on_a_blocking_thread_fails_only_its_call() {
    IS_TEST_THREAD.set(true);
    let registry = Registry::new(tools![takes_panicking_on_thread, repeat]).expect("a registry");
    let calls = [
        ToolCall::new("1", "takes_panicking_on_thread", r#"{"value":{"set":true}}"#),
        ToolCall::new("2", "repeat", r#"{"text":"x","times":2}"#),
    ];
    let messages = registry.dispatch(&calls).await;
    assert_eq!(messages[0].content, "Error: the tool `takes_panicking_on_thread` failed unexpectedly.");
    let error = messages[0].outcome().and_then(|outcome| outcome.error()?.source().map(ToString::to_string));
    assert_eq!(error.as_deref(), Some("a secret of the thread"));
    assert_eq!(messages[1].content, "xx");
}

/// A type whose decoder panics on integers.
#[derive(JsonSchema)]
#[schemars(transparent)]
struct PanicsOnInteger(#[allow(dead_code, reason = "for the schema")] u8);

impl<'de> Deserialize<'de> for PanicsOnInteger {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u8::deserialize(deserializer)?;
        panic!("a secret of {number}")
    }
}

/// Takes an integer.
#[tool]
fn takes_panicking_on_integer(_value: PanicsOnInteger) {}

#[tokio::test]
async fn a_decoder_that_panics_on_a_coerced_argument_fails_only_its_call() {
    let registry = Registry::new(tools![takes_panicking_on_integer, repeat]).expect("a registry");
    let calls = [
        ToolCall::new("1", "takes_panicking_on_integer", r#"{"value":1.0}"#),
        ToolCall::new("2", "repeat", r#"{"text":"x","times":2}"#),
    ];
    let messages = registry.dispatch(&calls).await;
    assert_eq!(messages[0].content, "Error: the tool `takes_panicking_on_integer` failed unexpectedly.");
    let error = messages[0].outcome().and_then(|outcome| outcome.error()?.source().map(ToString::to_string));
    assert_eq!(error.as_deref(), Some("a secret of 1"));
    assert_eq!(messages[1].content, "xx");
}

#[tokio::test]
async fn a_decoder_or_a_serializer_that_panics_fails_only_its_call() {
    let names = [
        "decodes_panicking",
        "serializes_panicking",
        "decodes_panicking_on_a_thread",
        "serializes_panicking_on_a_thread",
    ];
    let registry = Registry::new(tools![
        decodes_panicking,
        serializes_panicking,
        decodes_panicking_on_a_thread,
        serializes_panicking_on_a_thread,
        repeat
    ])
    .expect("a registry");
    let mut calls: Vec<ToolCall> = names
        .iter()
        .map(|name| {
            ToolCall::new(
                *name,
                *name,
                if name.starts_with("decodes") { r#"{"value":{"set":true}}"# } else { "" },
            )
        })
        .collect();
    calls.push(ToolCall::new("other", "repeat", r#"{"text":"x","times":2}"#));
    let messages = registry.dispatch(&calls).await;
    for (name, message) in names.iter().zip(&messages) {
        assert_eq!(message.content, format!("Error: the tool `{name}` failed unexpectedly."));
        let content =
            message.outcome().and_then(|outcome| outcome.error()?.source().map(ToString::to_string));
        assert!(content.is_some_and(|content| content.starts_with("a secret of the ")), "{message:?}");
    }
    assert_eq!(messages[4].content, "xx");
}
