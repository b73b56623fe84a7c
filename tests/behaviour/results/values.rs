//! The form of returned values and errors in tool messages.

use crate::message_text;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use tool_runtime::{Registry, tool, tools};

#[derive(Serialize)]
struct Weather {
    city: String,
    celsius: f64,
}

#[derive(Serialize)]
struct Name(String);

#[derive(Debug)]
struct Trouble;

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("trouble ahead")
    }
}

type Outcome<T> = std::result::Result<T, Trouble>;

/// Nothing.
#[tool]
fn nothing() {}

/// Nothing, or trouble.
#[tool]
async fn nothing_or_trouble(trouble: bool) -> Result<(), Trouble> {
    if trouble { Err(Trouble) } else { Ok(()) }
}

/// Text.
#[tool]
fn string() -> String {
    "call \"hi\"\n".to_owned()
}

/// Static text.
#[tool]
fn static_str() -> &'static str {
    "hi"
}

/// Text borrowed from the argument.
#[tool]
fn borrowed_cow(text: &str) -> Cow<'_, str> {
    text.into()
}

/// Text, through an alias of `Result`.
#[tool]
fn aliased(trouble: bool) -> Outcome<String> {
    if trouble { Err(Trouble) } else { Ok("plain".to_owned()) }
}

/// A struct.
#[tool]
fn object() -> Weather {
    Weather { city: "北京".to_owned(), celsius: 21.5 }
}

/// A number.
#[tool]
fn number() -> u64 {
    42
}

/// A list or null.
#[tool]
fn maybe_list(some: bool) -> Option<Vec<&'static str>> {
    some.then(|| vec!["a", "b"])
}

/// A newtype over text.
#[tool]
fn newtype() -> Name {
    Name("x".to_owned())
}

/// Any JSON.
#[tool]
fn value() -> serde_json::Value {
    serde_json::json!("x")
}

/// An `anyhow::Error`.
#[tool]
async fn with_anyhow(number: String) -> anyhow::Result<i32> {
    use anyhow::Context as _;
    number.parse().with_context(|| format!("`{number}` is not a number"))
}

/// A boxed error.
#[tool]
fn boxed_error() -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    Err("boxed".into())
}

/// Cannot be serialized as JSON.
#[tool]
fn unserializable() -> BTreeMap<(u8, u8), u8> {
    BTreeMap::from([((1, 2), 3)])
}

#[tokio::test]
async fn unit_is_sent_as_ok() {
    assert_eq!(message_text(tools![nothing], "nothing", "").await, "ok");
    assert_eq!(
        message_text(tools![nothing_or_trouble], "nothing_or_trouble", r#"{"trouble":false}"#).await,
        "ok"
    );
}

#[tokio::test]
async fn text_is_sent_unchanged() {
    assert_eq!(message_text(tools![string], "string", "").await, "call \"hi\"\n");
    assert_eq!(message_text(tools![static_str], "static_str", "").await, "hi");
    assert_eq!(message_text(tools![borrowed_cow], "borrowed_cow", r#"{"text":"a\"b"}"#).await, "a\"b");
    assert_eq!(message_text(tools![aliased], "aliased", r#"{"trouble":false}"#).await, "plain");
}

#[tokio::test]
async fn other_values_are_sent_as_json() {
    assert_eq!(message_text(tools![object], "object", "").await, r#"{"city":"北京","celsius":21.5}"#);
    assert_eq!(message_text(tools![number], "number", "").await, "42");
    assert_eq!(message_text(tools![maybe_list], "maybe_list", r#"{"some":true}"#).await, r#"["a","b"]"#);
    assert_eq!(message_text(tools![maybe_list], "maybe_list", r#"{"some":false}"#).await, "null");
    assert_eq!(message_text(tools![newtype], "newtype", "").await, r#""x""#);
    assert_eq!(message_text(tools![value], "value", "").await, r#""x""#);
}

#[tokio::test]
async fn an_error_is_sent_as_its_display_text() {
    assert_eq!(
        message_text(tools![nothing_or_trouble], "nothing_or_trouble", r#"{"trouble":true}"#).await,
        "Error: trouble ahead"
    );
    assert_eq!(message_text(tools![aliased], "aliased", r#"{"trouble":true}"#).await, "Error: trouble ahead");
    assert_eq!(
        message_text(tools![with_anyhow], "with_anyhow", r#"{"number":"x"}"#).await,
        "Error: `x` is not a number"
    );
    assert_eq!(message_text(tools![with_anyhow], "with_anyhow", r#"{"number":"7"}"#).await, "7");
    assert_eq!(message_text(tools![boxed_error], "boxed_error", "").await, "Error: boxed");
}

#[tokio::test]
async fn a_result_that_cannot_be_serialized_is_an_error() {
    let registry = Registry::new(tools![unserializable]).expect("one tool");
    let result = registry.call("unserializable", "").await;
    assert_eq!(result.error_kind(), Some("unserializable"));
    assert_eq!(
        result.text(),
        "Error: the result of `unserializable` cannot be written as JSON: key must be a string."
    );
}
