//! Two channels: what the model reads of an error, and what the program keeps of it.

use crate::answer;
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

const SECRET: Io = Io("password 123 refused by 10.0.0.1");

/// Fails with a type of its own.
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

/// Fails with a boxed error that only one thread may have.
#[tool]
async fn boxed_here() -> Result<(), Box<dyn Error>> {
    Err(Failed { source: SECRET }.into())
}

/// Fails with a boxed error that can be sent, and not shared.
#[tool]
async fn boxed_to_send() -> Result<(), Box<dyn Error + Send>> {
    Err(Box::new(Failed { source: SECRET }))
}

/// An error that is its own source.
#[derive(Debug)]
struct Endless;

impl fmt::Display for Endless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("and so on")
    }
}
impl Error for Endless {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&Endless)
    }
}

/// Fails without end.
#[tool]
fn endless() -> Result<(), Box<dyn Error>> {
    Err(Endless.into())
}

/// An error whose source cannot be told.
#[derive(Debug)]
struct Trapped;

impl fmt::Display for Trapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("trapped")
    }
}
impl Error for Trapped {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        panic!("as planned")
    }
}

/// Fails with a trap in a box.
#[tool]
fn trapped() -> Result<(), Box<dyn Error>> {
    Err(Trapped.into())
}

/// Fails and does not say why.
#[tool]
fn silent() -> Result<(), String> {
    Err(String::new())
}

/// Fails with a text.
#[tool]
fn text() -> Result<(), &'static str> {
    Err("only text")
}

/// Fails with something that has only a text.
#[tool]
fn displayed() -> Result<(), fmt::Arguments<'static>> {
    Err(format_args!("only displayed"))
}

/// What was sent, and why it will not do.
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
    let mut answers = registry.dispatch(&[ToolCall::new("1", tool, "")]).await;
    answers.remove(0)
}

/// The texts of the sources behind what the model reads.
fn sources(answer: &ToolMessage) -> Vec<String> {
    let mut error: Option<&dyn Error> = answer.outcome().and_then(|outcome| outcome.error()?.source());
    std::iter::from_fn(|| {
        let this = error?;
        error = this.source();
        Some(this.to_string())
    })
    .collect()
}

fn kept(answer: &ToolMessage) -> Option<&(dyn Error + Send + Sync + 'static)> {
    match answer.outcome()?.error()? {
        CallError::Returned { error, .. } => error.as_deref(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_sources_of_an_error_are_for_the_program_alone() {
    let registry =
        Registry::new(tools![typed, with_anyhow, boxed, boxed_here, boxed_to_send]).expect("a registry");
    for tool in ["typed", "with_anyhow", "boxed", "boxed_here", "boxed_to_send"] {
        let answer = failed(&registry, tool).await;
        assert_eq!(answer.content, "Error: the report was not saved", "{tool}");
        assert!(!serde_json::to_string(&answer).expect("it is written").contains("password"));
        assert_eq!(sources(&answer), ["password 123 refused by 10.0.0.1"], "{tool}");
    }
}

#[tokio::test]
async fn the_error_itself_is_there_to_be_downcast() {
    let registry = Registry::new(tools![typed, boxed, boxed_here, text]).expect("a registry");
    for tool in ["typed", "boxed"] {
        let answer = failed(&registry, tool).await;
        let error = kept(&answer).and_then(|error| error.downcast_ref::<Failed>());
        assert_eq!(error.map(|error| &error.source), Some(&SECRET), "{tool}");
    }
    let answer = failed(&registry, "boxed_here").await;
    assert!(kept(&answer).is_some_and(|error| !error.is::<Failed>()), "it cannot leave its thread");
    let answer = failed(&registry, "text").await;
    assert_eq!((answer.content.as_str(), sources(&answer)), ("Error: only text", vec![]));
}

#[tokio::test]
async fn any_error_with_a_text_will_do() {
    assert_eq!(answer(tools![displayed], "displayed", "").await, "Error: only displayed");
    assert_eq!(answer(tools![endless], "endless", "").await, "Error: and so on");
    assert_eq!(answer(tools![trapped], "trapped", "").await, "Error: trapped");
    assert_eq!(
        answer(tools![silent], "silent", "").await,
        "Error: the tool `silent` failed without an error message."
    );
    assert_eq!(answer(tools![borrows], "borrows", r#"{"text":"x"}"#).await, "Error: `x` will not do");
    assert_eq!(answer(tools![borrows_text], "borrows_text", r#"{"text":"xyz"}"#).await, "Error: yz");
}

#[derive(Debug)]
struct Quiet(Io);

impl fmt::Display for Quiet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "for the log: {}", self.0)
    }
}
impl Error for Quiet {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}
impl ToolError for Quiet {
    fn for_model(&self) -> String {
        "try again later".to_owned()
    }
}

/// Fails, and would return a part of its argument.
#[tool]
async fn quiet_beside_text(text: &str) -> Result<&str, Quiet> {
    if text.is_empty() { Err(Quiet(SECRET)) } else { Ok(&text[1..]) }
}

/// What hides that its value may borrow.
type Quietly<T> = Result<T, Quiet>;

/// Fails, and would return what may be its argument.
#[tool]
fn quiet_beside_cow(text: &str) -> Quietly<std::borrow::Cow<'_, str>> {
    if text.is_empty() { Err(Quiet(SECRET)) } else { Ok(text.into()) }
}

/// Fails, and says itself what the model reads.
#[tool]
async fn quiet() -> Result<String, Quiet> {
    Err(Quiet(SECRET))
}

#[tokio::test]
async fn an_error_that_decides_what_the_model_reads_is_whole_for_the_program() {
    let registry = Registry::new(tools![quiet]).expect("a registry");
    let answer = failed(&registry, "quiet").await;
    assert_eq!(answer.content, "Error: try again later");
    assert_eq!(
        sources(&answer),
        ["for the log: password 123 refused by 10.0.0.1", "password 123 refused by 10.0.0.1"]
    );
    assert!(kept(&answer).is_some_and(<dyn Error + Send + Sync>::is::<Quiet>));
    assert_eq!(registry.call("quiet", "").await.expect_err("it fails").to_string(), "try again later");
}

#[tokio::test]
async fn an_error_that_decides_does_so_beside_a_value_that_borrows() {
    let empty = r#"{"text":""}"#;
    assert_eq!(answer(tools![quiet_beside_text], "quiet_beside_text", empty).await, "Error: try again later");
    assert_eq!(answer(tools![quiet_beside_text], "quiet_beside_text", r#"{"text":"abc"}"#).await, "bc");
    assert_eq!(answer(tools![quiet_beside_cow], "quiet_beside_cow", empty).await, "Error: try again later");
    let registry = Registry::new(tools![quiet_beside_text]).expect("a registry");
    let answers = registry.dispatch(&[ToolCall::new("1", "quiet_beside_text", empty)]).await;
    assert!(kept(&answers[0]).is_some_and(<dyn Error + Send + Sync>::is::<Quiet>));
}

#[tokio::test]
async fn the_error_of_a_dynamic_tool_is_kept_too() {
    let fails = |_, _| async { Err::<(), _>(Failed { source: SECRET }) };
    let tool = DynamicTool::with_context("fails", "", Value::Null, fails);
    let registry = Registry::builder().dynamic(tool).build().expect("a registry");
    let answer = failed(&registry, "fails").await;
    assert_eq!(answer.content, "Error: the report was not saved");
    assert!(kept(&answer).is_some_and(<dyn Error + Send + Sync>::is::<Failed>));
}

#[tokio::test]
async fn an_outcome_says_the_kind_of_failure_in_one_word() {
    let registry = Registry::new(tools![typed]).expect("a registry");
    let kind = |tool: &'static str, arguments: &'static str| {
        let registry = registry.clone();
        async move {
            let answers = registry.dispatch(&[ToolCall::new("1", tool, arguments)]).await;
            answers[0].outcome().and_then(|outcome| Some(outcome.error()?.kind()))
        }
    };
    assert_eq!(kind("typed", "").await, Some("returned"));
    assert_eq!(kind("typed", "[1]").await, Some("not_an_object"));
    assert_eq!(kind("typed", "[").await, Some("not_json"));
    assert_eq!(kind("typed", r#"{"a":1}"#).await, Some("invalid_arguments"));
    assert_eq!(kind("x", "").await, Some("unknown_tool"));
}
