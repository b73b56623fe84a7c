//! Panics of decoders and serializers.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::cell::Cell;
use std::error::Error as _;
use tool_runtime::schemars::JsonSchema;
use tool_runtime::{Registry, ToolCall, tool, tools};

/// Repeats a text.
#[tool]
fn repeat(text: &str, times: usize) -> String {
    text.repeat(times)
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
