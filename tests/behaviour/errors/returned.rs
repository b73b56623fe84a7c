//! Returned errors: the message for the model, and the error for the program.

use crate::message_text;
use serde_json::Value;
use std::error::Error;
use std::fmt;
use tool_runtime::{CallError, DynamicTool, Registry, ToolCall, ToolError, ToolMessage, tool, tools};

#[derive(Debug, PartialEq)]
struct Io(&'static str);

impl fmt::Display for Io {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
impl Error for Io {}

#[derive(Debug)]
struct Failed {
    source: Io,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the report was not saved")
    }
}
impl Error for Failed {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}

const SECRET: Io = Io("password 123 rejected by 10.0.0.1");

/// Fails with a custom error type.
#[tool]
async fn typed() -> Result<(), Failed> {
    Err(Failed { source: SECRET })
}

/// Fails with anyhow.
#[tool]
async fn with_anyhow() -> anyhow::Result<()> {
    Err(anyhow::Error::new(SECRET).context("the report was not saved"))
}

/// Fails with a boxed error.
#[tool]
async fn boxed() -> Result<(), Box<dyn Error + Send + Sync>> {
    Err(Failed { source: SECRET }.into())
}

/// Fails with a boxed error that is not `Send`.
#[tool]
async fn boxed_here() -> Result<(), Box<dyn Error>> {
    Err(Failed { source: SECRET }.into())
}

/// Fails with a boxed error that is `Send` and not `Sync`.
#[tool]
async fn boxed_to_send() -> Result<(), Box<dyn Error + Send>> {
    Err(Box::new(Failed { source: SECRET }))
}

/// An error that is its own source.
#[derive(Debug)]
struct CyclicSource;

impl fmt::Display for CyclicSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("and so on")
    }
}
impl Error for CyclicSource {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&CyclicSource)
    }
}

/// Fails with an error that is its own source.
#[tool]
fn cyclic_source() -> Result<(), Box<dyn Error>> {
    Err(CyclicSource.into())
}

/// An error whose `source` panics.
#[derive(Debug)]
struct PanickingSource;

impl fmt::Display for PanickingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("trapped")
    }
}
impl Error for PanickingSource {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        panic!("as planned")
    }
}

/// Fails with a boxed error whose `source` panics.
#[tool]
fn panicking_source() -> Result<(), Box<dyn Error>> {
    Err(PanickingSource.into())
}

/// Fails with an empty message.
#[tool]
fn empty_error() -> Result<(), String> {
    Err(String::new())
}

/// Fails with a text.
#[tool]
fn text() -> Result<(), &'static str> {
    Err("only text")
}

/// Fails with a type that implements only `Display`.
#[tool]
fn displayed() -> Result<(), fmt::Arguments<'static>> {
    Err(format_args!("only displayed"))
}

/// An error that borrows from the argument.
#[derive(Debug)]
struct Borrowed<'a>(&'a str);

impl fmt::Display for Borrowed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` will not do", self.0)
    }
}
impl Error for Borrowed<'_> {}

/// Fails with an error that borrows from its argument.
#[tool]
async fn borrows(text: &str) -> Result<String, Borrowed<'_>> {
    Err(Borrowed(text))
}

/// Fails with a part of its argument.
#[tool]
fn borrows_text(text: &str) -> Result<&str, &str> {
    Err(&text[1..])
}

async fn failed(registry: &Registry, tool: &str) -> ToolMessage {
    let mut messages = registry.dispatch(&[ToolCall::new("1", tool, "")]).await;
    messages.remove(0)
}

/// The texts of the sources of the error.
fn sources(message: &ToolMessage) -> Vec<String> {
    let mut error: Option<&dyn Error> = message.outcome().and_then(|outcome| outcome.error()?.source());
    std::iter::from_fn(|| {
        let this = error?;
        error = this.source();
        Some(this.to_string())
    })
    .collect()
}

fn kept(message: &ToolMessage) -> Option<&(dyn Error + Send + Sync + 'static)> {
    match message.outcome()?.error()? {
        CallError::Returned { error, .. } => error.as_deref(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_sources_of_an_error_are_not_sent_to_the_model() {
    let registry =
        Registry::new(tools![typed, with_anyhow, boxed, boxed_here, boxed_to_send]).expect("a registry");
    for tool in ["typed", "with_anyhow", "boxed", "boxed_here", "boxed_to_send"] {
        let message = failed(&registry, tool).await;
        assert_eq!(message.content, "Error: the report was not saved", "{tool}");
        assert!(!serde_json::to_string(&message).expect("it serializes").contains("password"));
        assert_eq!(sources(&message), ["password 123 rejected by 10.0.0.1"], "{tool}");
    }
}

#[tokio::test]
async fn a_returned_error_can_be_downcast() {
    let registry = Registry::new(tools![typed, boxed, boxed_here, text]).expect("a registry");
    for tool in ["typed", "boxed"] {
        let message = failed(&registry, tool).await;
        let error = kept(&message).and_then(|error| error.downcast_ref::<Failed>());
        assert_eq!(error.map(|error| &error.source), Some(&SECRET), "{tool}");
    }
    let message = failed(&registry, "boxed_here").await;
    assert!(kept(&message).is_some_and(|error| !error.is::<Failed>()), "it cannot leave its thread");
    let message = failed(&registry, "text").await;
    assert_eq!((message.content.as_str(), sources(&message)), ("Error: only text", vec![]));
}

#[tokio::test]
async fn any_error_with_display_can_be_returned() {
    assert_eq!(message_text(tools![displayed], "displayed", "").await, "Error: only displayed");
    assert_eq!(message_text(tools![cyclic_source], "cyclic_source", "").await, "Error: and so on");
    assert_eq!(message_text(tools![panicking_source], "panicking_source", "").await, "Error: trapped");
    assert_eq!(
        message_text(tools![empty_error], "empty_error", "").await,
        "Error: the tool `empty_error` failed without an error message."
    );
    assert_eq!(message_text(tools![borrows], "borrows", r#"{"text":"x"}"#).await, "Error: `x` will not do");
    assert_eq!(message_text(tools![borrows_text], "borrows_text", r#"{"text":"xyz"}"#).await, "Error: yz");
}

#[derive(Debug)]
struct WithModelMessage(Io);

impl fmt::Display for WithModelMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "for the log: {}", self.0)
    }
}
impl Error for WithModelMessage {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}
impl ToolError for WithModelMessage {
    fn for_model(&self) -> String {
        "try again later".to_owned()
    }
}

/// Fails with a `ToolError`, and may return a part of its argument.
#[tool]
async fn tool_error_or_text(text: &str) -> Result<&str, WithModelMessage> {
    if text.is_empty() { Err(WithModelMessage(SECRET)) } else { Ok(&text[1..]) }
}

/// An alias that hides the borrow of its value.
type ToolErrorResult<T> = Result<T, WithModelMessage>;

/// Fails with a `ToolError`, and may return its argument.
#[tool]
fn tool_error_or_cow(text: &str) -> ToolErrorResult<std::borrow::Cow<'_, str>> {
    if text.is_empty() { Err(WithModelMessage(SECRET)) } else { Ok(text.into()) }
}

/// Fails with a `ToolError`.
#[tool]
async fn tool_error() -> Result<String, WithModelMessage> {
    Err(WithModelMessage(SECRET))
}

#[tokio::test]
async fn a_tool_error_has_a_message_for_the_model_and_is_kept_for_the_program() {
    let registry = Registry::new(tools![tool_error]).expect("a registry");
    let message = failed(&registry, "tool_error").await;
    assert_eq!(message.content, "Error: try again later");
    assert_eq!(
        sources(&message),
        ["for the log: password 123 rejected by 10.0.0.1", "password 123 rejected by 10.0.0.1"]
    );
    assert!(kept(&message).is_some_and(<dyn Error + Send + Sync>::is::<WithModelMessage>));
    assert_eq!(registry.call("tool_error", "").await.text(), "Error: try again later");
}

#[tokio::test]
async fn a_tool_error_is_recognized_in_a_result_whose_value_borrows() {
    let empty = r#"{"text":""}"#;
    assert_eq!(
        message_text(tools![tool_error_or_text], "tool_error_or_text", empty).await,
        "Error: try again later"
    );
    assert_eq!(
        message_text(tools![tool_error_or_text], "tool_error_or_text", r#"{"text":"abc"}"#).await,
        "bc"
    );
    assert_eq!(
        message_text(tools![tool_error_or_cow], "tool_error_or_cow", empty).await,
        "Error: try again later"
    );
    let registry = Registry::new(tools![tool_error_or_text]).expect("a registry");
    let messages = registry.dispatch(&[ToolCall::new("1", "tool_error_or_text", empty)]).await;
    assert!(kept(&messages[0]).is_some_and(<dyn Error + Send + Sync>::is::<WithModelMessage>));
}

#[tokio::test]
async fn the_error_of_a_dynamic_tool_with_context_is_kept() {
    let fails = |_, _| async { Err::<(), _>(Failed { source: SECRET }) };
    let tool = DynamicTool::with_context("fails", "", Value::Null, fails);
    let registry = Registry::builder().dynamic(tool).build().expect("a registry");
    let message = failed(&registry, "fails").await;
    assert_eq!(message.content, "Error: the report was not saved");
    assert!(kept(&message).is_some_and(<dyn Error + Send + Sync>::is::<Failed>));
}

#[tokio::test]
async fn the_outcome_has_the_kind_of_the_error() {
    let registry = Registry::new(tools![typed]).expect("a registry");
    for (tool, arguments, kind) in [
        ("typed", "", "returned"),
        ("typed", "[1]", "not_an_object"),
        ("typed", "[", "not_json"),
        ("typed", r#"{"a":1}"#, "invalid_arguments"),
        ("x", "", "unknown_tool"),
    ] {
        let messages = registry.dispatch(&[ToolCall::new("1", tool, arguments)]).await;
        let error = messages[0].outcome().and_then(|outcome| outcome.error());
        assert_eq!((error.map(CallError::kind), messages[0].error_kind()), (Some(kind), Some(kind)));
    }
}
