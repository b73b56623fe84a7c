//! Tools that are known only when the program runs.

use serde_json::{Map, Value, json};
use std::time::Duration;
use tool_runtime::{BuildFault, DynamicTool, Registry, ToolCall, tool, tools};

fn parameters() -> Value {
    json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] })
}

async fn double(arguments: Map<String, Value>) -> Result<i64, String> {
    match arguments.get("n").and_then(Value::as_i64) {
        Some(n) => Ok(n * 2),
        None => Err(format!("`n` is no number in {}", Value::Object(arguments))),
    }
}

async fn said(tool: DynamicTool, arguments: &str) -> String {
    let name = "dynamic";
    let registry = Registry::builder().dynamic(tool).build().expect("it is whole");
    registry.dispatch(&[ToolCall::new("1", name, arguments)]).await.remove(0).content.to_string()
}

#[tokio::test]
async fn a_dynamic_tool_is_described_and_called_like_any_other() {
    let registry = Registry::builder()
        .tools(tools![add])
        .dynamic(DynamicTool::new("double", "Doubles.", parameters(), double))
        .build()
        .expect("the names differ");
    assert_eq!(
        serde_json::to_value(registry.schemas()).expect("it is written")[1],
        json!({"type": "function",
            "function": {"name": "double", "description": "Doubles.", "parameters": parameters()}})
    );
    let answers = registry
        .dispatch(&[ToolCall::new("a", "double", r#"{"n":4}"#), ToolCall::new("b", "add", r#"{"a":1}"#)])
        .await;
    assert_eq!([&*answers[0].content, &*answers[1].content], ["8", "1"]);
    assert_eq!(registry.subset(["double"]).expect("it is there").len(), 1);
}

/// Adds to nothing.
#[tool]
fn add(a: i64) -> i64 {
    a
}

#[tokio::test]
async fn its_bad_arguments_are_told_and_empty_ones_are_an_empty_object() {
    let tool = || DynamicTool::new("dynamic", "", parameters(), double);
    assert_eq!(
        said(tool(), r#"{"n":"x"}"#).await,
        "Error: invalid arguments for `dynamic`: `n`: expected an integer, got string \"x\""
    );
    assert_eq!(said(tool(), "").await, "Error: invalid arguments for `dynamic`: `n` is missing");
    assert_eq!(said(tool(), r#"{"n":4.0}"#).await, "8");
    assert_eq!(
        said(tool(), "[1]").await,
        "Error: the arguments of `dynamic` must be one JSON object, not a list."
    );
    assert!(
        said(tool(), r#"{"n":1"#).await.starts_with("Error: the arguments of `dynamic` are not valid JSON (")
    );
    assert_eq!(
        said(tool(), r#"{"n":1,"n":2}"#).await,
        "Error: invalid arguments for `dynamic`: `n` is given twice"
    );
}

#[tokio::test]
async fn its_results_are_told_by_their_kind() {
    async fn said_of<T: Into<Value> + Send + 'static>(value: fn() -> T) -> String {
        let handler = move |_| async move { Ok::<T, String>(value()) };
        said(DynamicTool::new("dynamic", "", json!({"type": "object"}), handler), "{}").await
    }
    assert_eq!(said_of(|| "text").await, "text");
    assert_eq!(said_of(|| ()).await, "ok");
    assert_eq!(said_of(|| json!({"a": [1]})).await, r#"{"a":[1]}"#);
}

#[tokio::test(start_paused = true)]
async fn it_may_panic_or_outlive_its_time() {
    let panics = |_| async { if true { panic!("secret") } else { Ok::<u8, String>(1) } };
    let tool = DynamicTool::new("dynamic", "", parameters(), panics);
    assert_eq!(said(tool, r#"{"n":1}"#).await, "Error: the tool `dynamic` failed unexpectedly.");
    let waits = |_| std::future::pending::<Result<u8, String>>();
    let tool =
        DynamicTool::new("dynamic", "", parameters(), waits).timeout(Duration::from_millis(1500)).read_only();
    assert_eq!(said(tool, r#"{"n":1}"#).await, "Error: the tool `dynamic` did not finish within 1.5 s.");
    let tool = DynamicTool::new("dynamic", "", parameters(), double).requires_approval();
    assert_eq!(
        said(tool, r#"{"n":1}"#).await,
        "Error: the tool `dynamic` needs approval, which was not given."
    );
}

#[test]
fn what_the_macro_would_have_refused_is_refused_when_the_registry_is_built() {
    let error = Registry::builder()
        .dynamic(DynamicTool::new("look up", "", parameters(), double))
        .dynamic(DynamicTool::new("", "", parameters(), double))
        .dynamic(DynamicTool::new("list", "", json!({"type": "array"}), double))
        .dynamic(DynamicTool::new("text", "", json!("object"), double))
        .dynamic(DynamicTool::new("torn", "", parameters(), double).read_only().destructive())
        .dynamic(DynamicTool::new("twice", "", parameters(), double))
        .dynamic(DynamicTool::new("twice", "", parameters(), double).idempotent())
        .dynamic(DynamicTool::new("never", "", parameters(), double).timeout(Duration::ZERO))
        .build()
        .expect_err("much is wrong");
    let count = |is: fn(&BuildFault) -> bool| error.faults().iter().filter(|fault| is(fault)).count();
    assert_eq!(count(|fault| matches!(fault, BuildFault::InvalidName { .. })), 2, "{error}");
    assert_eq!(count(|fault| matches!(fault, BuildFault::InvalidParameters { .. })), 2, "{error}");
    assert_eq!(count(|fault| matches!(fault, BuildFault::ContradictingHints { .. })), 1, "{error}");
    assert_eq!(count(|fault| matches!(fault, BuildFault::DuplicateName { .. })), 1, "{error}");
    assert_eq!(count(|fault| matches!(fault, BuildFault::ZeroTimeout { .. })), 1, "{error}");
    assert_eq!(error.faults().len(), 7, "{error}");
    let twice =
        "two tools are named `twice`, one as a `DynamicTool` and one as a `DynamicTool`; rename one of them";
    assert!(error.to_string().contains(twice), "{error}");
}

#[test]
fn an_object_without_properties_is_given_none() {
    let tool = DynamicTool::new("bare", "", json!({"type": "object"}), double);
    let registry = Registry::builder().dynamic(tool).build().expect("it is whole");
    assert_eq!(registry.schemas()[0].parameters().get(), r#"{"properties":{},"type":"object"}"#);
}

#[test]
fn its_hints_are_read_from_the_registry() {
    let tool = DynamicTool::new("dynamic", "", parameters(), double).destructive().idempotent();
    let registry = Registry::builder().dynamic(tool).build().expect("it is whole");
    let hints = registry.hints("dynamic").expect("it is there");
    assert!(hints.destructive && hints.idempotent && !hints.read_only && !hints.requires_approval);
    assert_eq!(hints.timeout, None);
}
