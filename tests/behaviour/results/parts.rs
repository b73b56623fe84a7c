//! Results with several parts: text, JSON, images, files, artifacts.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::HashMap;
use tool_runtime::dispatch::{Decision, Outcome, ToolResult};
use tool_runtime::message::{Content, Part};
use tool_runtime::wire::{ChatCompletions, Gemini, RequestParts, Wire};
use tool_runtime::{AssistantMessage, CallError, Registry, ToolCall, ToolMessage, ToolOutput, tool, tools};

/// Text, JSON, an image and a file.
#[tool]
async fn everything() -> ToolOutput {
    ToolOutput::new()
        .with_text("The sky: ")
        .with_json(json!({"clouds": 3}))
        .with_image("image/png", [0, 1, 2])
        .with_file("sky.txt", "text/plain", b"blue")
        .with_artifact(vec![1_u8])
}

/// An image alone.
#[tool]
fn image() -> Part {
    Part::image("image/png", [0])
}

/// Parts.
#[tool]
fn parts() -> Result<Vec<Part>, String> {
    Ok(vec![Part::text("a"), Part::image_url("https://example.com/x.png")])
}

/// A content.
#[tool]
fn content() -> Content {
    "a text".into()
}

#[derive(Serialize)]
struct Weather {
    sky: &'static str,
    celsius: i8,
}

/// JSON.
#[tool]
fn weather() -> Weather {
    Weather { sky: "clear", celsius: 25 }
}

/// Text that looks like JSON.
#[tool]
fn text() -> &'static str {
    r#"{"sky":"clear"}"#
}

struct Never;

impl Serialize for Never {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("it is secret"))
    }
}

/// A value that is not JSON.
#[tool]
fn not_json() -> ToolOutput {
    ToolOutput::new().with_json(HashMap::from([([1], 2)])).with_text("more")
}

/// A value with an error.
#[tool]
fn never() -> ToolOutput {
    ToolOutput::new().with_text("before").with_json(Never)
}

fn registry(max_result_bytes: usize) -> Registry {
    Registry::builder()
        .tools(tools![everything, image, parts, content, weather, text, not_json, never])
        .max_result_bytes(max_result_bytes)
        .build()
        .expect("the tools are valid")
}

async fn message(tool: &str) -> ToolMessage {
    registry(1_000).dispatch(&[ToolCall::new("call_1", tool, "{}")]).await.remove(0)
}

#[tokio::test]
async fn a_tool_returns_text_json_images_and_files() {
    let message = message("everything").await;
    assert_eq!(message.content, r#"The sky: {"clouds":3}"#);
    let expected = [
        Part::text("The sky: "),
        Part::json(json!({"clouds": 3})),
        Part::image("image/png", [0, 1, 2]),
        Part::file("sky.txt", "text/plain", b"blue"),
    ];
    assert_eq!(message.content.parts(), Some(&expected[..]));
    assert_eq!(message.artifact::<Vec<u8>>(), Some(&vec![1]));
    assert_eq!(message.artifact::<u8>(), None);
}

#[tokio::test]
async fn a_tool_returns_parts_and_contents() {
    assert_eq!(message("image").await.content.parts(), Some(&[Part::image("image/png", [0])][..]));
    assert_eq!(message("parts").await.content.parts().map(<[_]>::len), Some(2));
    assert_eq!(message("content").await.content, "a text");
}

#[tokio::test]
async fn json_is_marked_and_text_is_not() {
    let json = message("weather").await;
    assert_eq!(json.content, r#"{"sky":"clear","celsius":25}"#);
    assert!(json.content.is_json() && json.content.parts().is_none());
    let text = message("text").await;
    assert!(!text.content.is_json());
    assert!(!ToolOutput::from(json!("text")).content().is_json());
    assert!(ToolOutput::from(json!([1])).content().is_json());
}

/// The results of these calls, as the wire writes them.
async fn written(wire: &dyn Wire, tools: &[&str]) -> Value {
    let calls: Vec<_> =
        tools.iter().enumerate().map(|(id, tool)| ToolCall::new(id.to_string(), *tool, "{}")).collect();
    let results = registry(1_000).dispatch(&calls).await;
    let mut messages = vec![AssistantMessage::from_tool_calls(calls).into()];
    messages.extend(results.into_iter().map(Into::into));
    let body = wire.write(&RequestParts::new(&messages)).expect("it is written");
    serde_json::to_value(body).expect("it is JSON")
}

#[tokio::test]
async fn a_wire_with_structured_results_gets_json_in_its_order() {
    let body = written(&Gemini::new(), &["weather", "text"]).await;
    let results = body["contents"].as_array().and_then(|contents| contents.last()).expect("results");
    let results = results["parts"].as_array().expect("results");
    assert_eq!(
        results[0]["functionResponse"]["response"],
        json!({"output": {"sky": "clear", "celsius": 25}})
    );
    assert_eq!(results[1]["functionResponse"]["response"], json!({"output": r#"{"sky":"clear"}"#}));
    let body = written(&ChatCompletions::new(), &["weather"]).await;
    assert_eq!(body["messages"][1]["content"], r#"{"sky":"clear","celsius":25}"#);
}

#[tokio::test]
async fn a_value_that_is_not_json_is_an_error_of_the_call() {
    for (tool, error) in [("not_json", "key must be a string"), ("never", "it is secret")] {
        let message = message(tool).await;
        assert_eq!(message.error_kind(), Some("unserializable"));
        assert_eq!(
            message.content,
            format!("Error: the result of `{tool}` cannot be written as JSON: {error}.")
        );
        let error = message.outcome().and_then(|outcome| outcome.error());
        assert!(matches!(error, Some(CallError::Unserializable { .. })));
    }
}

#[tokio::test]
async fn middleware_and_hooks_cannot_return_a_value_that_is_not_json_either() {
    let by_middleware = Registry::builder()
        .tools(tools![weather])
        .around_call(|_| async { ToolResult::ok(ToolOutput::new().with_json(Never)) });
    let by_hook = Registry::builder()
        .tools(tools![weather])
        .before_call(|_| async { Decision::Respond(ToolOutput::new().with_json(Never)) });
    for builder in [by_middleware, by_hook] {
        let registry = builder.build().expect("one tool");
        let message = registry.dispatch(&[ToolCall::new("1", "weather", "")]).await.remove(0);
        assert_eq!(message.content, "Error: the result cannot be written as JSON: it is secret.");
        assert_eq!(message.error_kind(), Some("unserializable"));
        assert_eq!(message.outcome().and_then(Outcome::error).map(CallError::kind), Some("unserializable"));
    }
}

#[test]
fn numbers_that_a_json_value_cannot_hold_stay_exact() {
    let number = u128::MAX.to_string();
    let outputs = [
        ToolOutput::new().with_json(u128::MAX).with_image("image/png", [0]),
        ToolOutput::new().with_text("").with_json(u128::MAX).with_image("image/png", [0]),
    ];
    for output in outputs {
        assert_eq!(output.text(), number);
        let result = ToolResult::ok(output).map_text(str::to_owned);
        assert_eq!(result.text(), number);
    }
    let failed: ToolResult = Ok(ToolOutput::new().with_json(Never)).into();
    assert_eq!(failed.error_kind(), Some("unserializable"));
    assert!(serde_json::to_string(&ToolOutput::new().with_json(Never)).is_err());
}

/// Returns no parts.
#[tool]
fn no_parts() -> Vec<Part> {
    Vec::new()
}

#[tokio::test]
async fn a_result_without_parts_is_written_as_empty_text() {
    let registry = Registry::new(tools![no_parts]).expect("one tool");
    let messages = registry.dispatch(&[ToolCall::new("1", "no_parts", "")]).await;
    assert_eq!(serde_json::to_value(&messages[0]).expect("it is JSON")["content"], "");
}

#[tokio::test]
async fn the_text_of_parts_is_truncated_and_images_stay() {
    let registry = registry(10);
    let calls = [ToolCall::new("1", "everything", "{}"), ToolCall::new("2", "weather", "{}")];
    let messages = registry.dispatch(&calls).await;
    assert_eq!(messages[0].content, "The sky: {");
    let expected = [
        Part::text("The sky: {"),
        Part::image("image/png", [0, 1, 2]),
        Part::file("sky.txt", "text/plain", b"blue"),
    ];
    assert_eq!(messages[0].content.parts(), Some(&expected[..]));
    assert_eq!(messages[1].content, r#"{"sky":"cl"#);
    assert!(!messages[1].content.is_json(), "truncated JSON is text");
}
