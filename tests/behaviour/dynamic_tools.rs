//! Dynamic tools.

use serde_json::{Map, Value, json};
use std::time::Duration;
use tool_runtime::registry::{Annotations, BuildErrorKind, Policy};
use tool_runtime::{DynamicTool, Registry, ToolCall, ToolOutput, tool, tools};

fn parameters() -> Value {
    json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] })
}

async fn double(arguments: Map<String, Value>) -> Result<i64, String> {
    match arguments.get("n").and_then(Value::as_i64) {
        Some(n) => Ok(n * 2),
        None => Err(format!("`n` is not a number in {}", Value::Object(arguments))),
    }
}

async fn content_of(tool: DynamicTool, arguments: &str) -> String {
    let name = "dynamic";
    let registry = Registry::builder().dynamic(tool).build().expect("a registry");
    registry.dispatch(&[ToolCall::new("1", name, arguments)]).await.remove(0).content.to_string()
}

#[tokio::test]
async fn a_dynamic_tool_is_described_and_called_like_a_function() {
    let registry = Registry::builder()
        .tools(tools![add])
        .dynamic(DynamicTool::new("double", "Doubles.", parameters(), double))
        .build()
        .expect("the names differ");
    assert_eq!(
        serde_json::to_value(registry.schemas()).expect("it serializes")[1],
        json!({"type": "function",
            "function": {"name": "double", "description": "Doubles.", "parameters": parameters()}})
    );
    let messages = registry
        .dispatch(&[ToolCall::new("a", "double", r#"{"n":4}"#), ToolCall::new("b", "add", r#"{"a":1}"#)])
        .await;
    assert_eq!([messages[0].content.as_str(), messages[1].content.as_str()], ["8", "1"]);
    assert_eq!(registry.subset(["double"]).expect("it is there").names().len(), 1);
}

/// Returns its argument.
#[tool]
fn add(a: i64) -> i64 {
    a
}

#[tokio::test]
async fn invalid_arguments_of_a_dynamic_tool_are_errors_and_empty_ones_are_an_empty_object() {
    let tool = || DynamicTool::new("dynamic", "", parameters(), double);
    assert_eq!(
        content_of(tool(), r#"{"n":"x"}"#).await,
        "Error: invalid arguments for `dynamic`: `n`: expected an integer, got string \"x\". Call it again, but \
         change `n` to an integer."
    );
    assert_eq!(
        content_of(tool(), "").await,
        "Error: invalid arguments for `dynamic`: `n` is missing. Call it again, but add `n`."
    );
    assert_eq!(content_of(tool(), r#"{"n":4.0}"#).await, "8");
    assert_eq!(
        content_of(tool(), "[1]").await,
        "Error: the arguments of `dynamic` must be one JSON object, not a list. Call it again with one JSON object."
    );
    assert!(
        content_of(tool(), r#"{"n":1"#)
            .await
            .starts_with("Error: the arguments of `dynamic` are truncated. ")
    );
    assert_eq!(
        content_of(tool(), r#"{"n":1,"n":2}"#).await,
        "Error: invalid arguments for `dynamic`: `n` occurs more than once. Call it again, but write `n` once."
    );
}

#[tokio::test]
async fn strings_null_json_and_outputs_are_results_of_a_dynamic_tool() {
    async fn content_of_value<T: Into<ToolOutput> + Send + 'static>(value: fn() -> T) -> String {
        let handler = move |_| async move { Ok::<T, String>(value()) };
        content_of(DynamicTool::new("dynamic", "", json!({"type": "object"}), handler), "{}").await
    }
    assert_eq!(content_of_value(|| "text").await, "text");
    assert_eq!(content_of_value(|| ()).await, "ok");
    assert_eq!(content_of_value(|| json!({"a": [1]})).await, r#"{"a":[1]}"#);
    assert_eq!(content_of_value(|| 2.5).await, "2.5");
    assert_eq!(content_of_value(|| ToolOutput::new().with_text("a").with_json(1)).await, "a1");
}

#[tokio::test(start_paused = true)]
async fn a_dynamic_tool_may_panic_exceed_its_limit_or_require_approval() {
    let panics = |_| async { if true { panic!("secret") } else { Ok::<u8, String>(1) } };
    let tool = DynamicTool::new("dynamic", "", parameters(), panics);
    assert_eq!(content_of(tool, r#"{"n":1}"#).await, "Error: the tool `dynamic` failed unexpectedly.");
    let waits = |_| std::future::pending::<Result<u8, String>>();
    let tool =
        DynamicTool::new("dynamic", "", parameters(), waits).timeout(Duration::from_millis(1500)).read_only();
    assert_eq!(
        content_of(tool, r#"{"n":1}"#).await,
        "Error: the tool `dynamic` did not finish within 1.5 s."
    );
    let tool = DynamicTool::new("dynamic", "", parameters(), double).requires_approval();
    assert_eq!(
        content_of(tool, r#"{"n":1}"#).await,
        "Error: the tool `dynamic` needs approval, which was not given."
    );
}

#[test]
fn errors_that_the_macro_reports_for_a_function_are_build_errors_of_a_dynamic_tool() {
    let error = Registry::builder()
        .dynamic(DynamicTool::new("look up", "", parameters(), double))
        .dynamic(DynamicTool::new("", "", parameters(), double))
        .dynamic(DynamicTool::new("list", "", json!({"type": "array"}), double))
        .dynamic(DynamicTool::new("text", "", json!("object"), double))
        .dynamic(DynamicTool::new("torn", "", parameters(), double).read_only().destructive())
        .dynamic(DynamicTool::new("twice", "", parameters(), double))
        .dynamic(DynamicTool::new("twice", "", parameters(), double).idempotent())
        .dynamic(DynamicTool::new("never", "", parameters(), double).timeout(Duration::ZERO))
        .dynamic(DynamicTool::new("nobody", "", parameters(), double).max_concurrency(0).max_calls(0))
        .build()
        .expect_err("the tools are invalid");
    let count = |is: fn(&BuildErrorKind) -> bool| error.errors().iter().filter(|error| is(error)).count();
    assert_eq!(count(|error| matches!(error, BuildErrorKind::InvalidName { .. })), 2, "{error}");
    assert_eq!(count(|error| matches!(error, BuildErrorKind::InvalidParameters { .. })), 2, "{error}");
    assert_eq!(count(|error| matches!(error, BuildErrorKind::ContradictingAnnotations { .. })), 1, "{error}");
    assert_eq!(count(|error| matches!(error, BuildErrorKind::DuplicateName { .. })), 1, "{error}");
    let zero_limits: Vec<_> = error.errors().iter().filter_map(zero_limit).collect();
    assert_eq!(
        zero_limits,
        [("never", "timeout"), ("nobody", "max_concurrency"), ("nobody", "max_calls")],
        "{error}"
    );
    assert!(
        error.to_string().contains("`max_calls` of `nobody` must be more than 0; leave it out"),
        "{error}"
    );
    assert_eq!(error.errors().len(), 9, "{error}");
    let twice =
        "two tools are named `twice`, one as a `DynamicTool` and one as a `DynamicTool`; rename one of them";
    assert!(error.to_string().contains(twice), "{error}");
}

fn zero_limit(error: &BuildErrorKind) -> Option<(&str, &'static str)> {
    match error {
        BuildErrorKind::ZeroLimit { tool: Some(tool), limit, .. } => Some((tool, limit)),
        _ => None,
    }
}

#[test]
fn an_object_without_properties_gets_empty_properties() {
    let tool = DynamicTool::new("bare", "", json!({"type": "object"}), double);
    let registry = Registry::builder().dynamic(tool).build().expect("a registry");
    assert_eq!(registry.schemas()[0].parameters().get(), r#"{"type":"object","properties":{}}"#);
}

#[test]
fn the_registry_has_the_annotations_and_the_policy_of_a_dynamic_tool() {
    let tool = DynamicTool::new("dynamic", "", parameters(), double).destructive().idempotent().open_world();
    let limited = DynamicTool::new("limited", "", parameters(), double).max_concurrency(2).max_calls(3);
    let registry = Registry::builder().dynamic(tool).dynamic(limited).build().expect("a registry");
    let annotations = registry.tool("dynamic").expect("it is there").annotations;
    assert!(annotations.is_destructive() && annotations.is_idempotent() && annotations.is_open_world());
    assert_eq!(annotations.read_only, None);
    assert_eq!(registry.tool("dynamic").map(|tool| tool.policy), Some(Policy::default()));
    let policy = registry.tool("limited").expect("it is there").policy;
    assert_eq!((policy.max_concurrency, policy.max_calls), (Some(2), Some(3)));
}

#[test]
fn all_annotations_of_a_dynamic_tool_can_be_set_at_once() {
    let mut annotations = Annotations::default();
    annotations.idempotent = Some(true);
    annotations.destructive = Some(false);
    let tool = DynamicTool::new("dynamic", "", parameters(), double).read_only().annotations(annotations);
    let registry = Registry::builder().dynamic(tool).build().expect("a registry");
    assert_eq!(registry.tool("dynamic").map(|tool| tool.annotations), Some(annotations));
    // A declared false does not contradict.
    annotations.read_only = Some(true);
    let tool = DynamicTool::new("dynamic", "", parameters(), double).annotations(annotations);
    assert!(Registry::builder().dynamic(tool).build().is_ok());
}

#[test]
fn a_dynamic_tool_has_a_title() {
    let tool = named("clock.now", parameters()).title("Clock");
    let registry = Registry::builder().rename_invalid_names(true).dynamic(tool).build().expect("a registry");
    assert_eq!(
        (
            registry.tool("clock_now").and_then(|tool| tool.title),
            registry.tool("clock.now").and_then(|tool| tool.title)
        ),
        (Some("Clock"), Some("Clock"))
    );
}

fn named(name: &str, parameters: Value) -> DynamicTool {
    DynamicTool::new(name, "", parameters, |_| async { Ok::<_, String>(()) })
}

#[tokio::test]
async fn empty_parameters_accept_any_object() {
    for parameters in [json!({}), Value::Null] {
        let registry = Registry::builder().dynamic(named("take", parameters)).build().expect("one tool");
        assert_eq!(
            registry.tool("take").expect("it is there").schema.parameters().get(),
            r#"{"type":"object","properties":{}}"#
        );
        assert!(!registry.call("take", r#"{"any":1}"#).await.is_error());
    }
}

#[tokio::test]
async fn a_misspelt_optional_argument_is_an_error_with_deny_unknown_arguments() {
    let open = json!({
        "type": "object",
        "properties": {"limit": {"type": "integer"}, "where": {"type": "object", "properties": {"a": {}}}},
        "anyOf": [{"properties": {"after": {"type": "string"}}}, {"$ref": "#/$defs/before"}],
        "$defs": {"before": {"properties": {"before": {"type": "string"}}}},
    });
    let registry = |deny| {
        let tool = named("list", open.clone()).deny_unknown_arguments(deny);
        Registry::builder().dynamic(tool).build().expect("one tool")
    };
    assert!(!registry(false).call("list", r#"{"limmit":5}"#).await.is_error());
    let closed = registry(true);
    assert!(
        closed
            .tool("list")
            .expect("it is there")
            .schema
            .parameters()
            .get()
            .contains(r#""additionalProperties":false"#)
    );
    let error =
        closed.call("list", r#"{"limmit":5}"#).await.into_result().expect_err("it is misspelt").to_string();
    assert_eq!(
        error,
        "invalid arguments for `list`: `limmit` is not an argument. Call it again, but rename `limmit` to `limit`."
    );
    // The names in its branches are known, and objects inside stay open.
    for known in [r#"{"limit":5}"#, r#"{"after":"a","before":"b"}"#, r#"{"where":{"b":1}}"#, "{}"] {
        assert!(!closed.call("list", known).await.is_error(), "{known}");
    }
}

#[tokio::test]
async fn a_map_accepts_any_key_with_deny_unknown_arguments() {
    let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let tool = named("sum", map).deny_unknown_arguments(true);
    let registry = Registry::builder().dynamic(tool).build().expect("one tool");
    assert!(!registry.call("sum", r#"{"a":1}"#).await.is_error());
    assert!(registry.call("sum", r#"{"a":"x"}"#).await.is_error());
}

#[tokio::test]
async fn every_key_that_a_schema_names_is_accepted_with_deny_unknown_arguments() {
    for (schema, known) in [
        (json!({"type": "object", "required": ["id"]}), r#"{"id":1}"#),
        (json!({"type": "object", "properties": null, "required": ["id"]}), r#"{"id":1}"#),
        (json!({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}), r#"{"b":1}"#),
        (json!({"type": "object", "propertyNames": {"enum": ["a", "b"]}}), r#"{"b":1}"#),
        (json!({"type": "object", "dependentRequired": {"a": ["b"]}}), r#"{"a":1,"b":1}"#),
        (json!({"type": "object", "dependentSchemas": {"a": {"properties": {"b": {}}}}}), r#"{"a":1,"b":1}"#),
        (json!({"type": "object", "allOf": [{"patternProperties": {"^x-": {}}}]}), r#"{"x-a":1}"#),
        (
            json!({"type": "object", "$ref": "#/$defs/A%20B", "$defs": {"A B": {"properties": {"a": {}}}}}),
            r#"{"a":1}"#,
        ),
    ] {
        let tool = named("take", schema.clone()).deny_unknown_arguments(true);
        let registry = Registry::builder().dynamic(tool).build().expect("one tool");
        assert!(!registry.call("take", known).await.is_error(), "{known} of {schema}");
        assert!(registry.call("take", r#"{"unknown":1}"#).await.is_error(), "{schema}");
    }
    // A map, and a schema with a reference that cannot be resolved, accept any key.
    for schema in [
        json!({"type": "object", "allOf": [{"additionalProperties": {"type": "integer"}}]}),
        json!({"type": "object", "unevaluatedProperties": {"type": "integer"}}),
        json!({"type": "object", "$ref": "#anchor"}),
    ] {
        let tool = named("take", schema.clone()).deny_unknown_arguments(true);
        let registry = Registry::builder().dynamic(tool).build().expect("one tool");
        assert!(!registry.call("take", r#"{"any":1}"#).await.is_error(), "{schema}");
    }
    let open =
        named("take", json!({"type": "object", "additionalProperties": {}})).deny_unknown_arguments(true);
    let registry = Registry::builder().dynamic(open).build().expect("one tool");
    assert!(registry.call("take", r#"{"any":1}"#).await.is_error());
}

#[tokio::test]
async fn invalid_dynamic_tools_can_be_skipped_and_are_listed() {
    let object = || json!({"type": "object", "properties": {}});
    let remote = || {
        [
            named("good", object()),
            named("text", json!({"type": "string"})),
            named("not a name", object()),
            named("both", object()).read_only().destructive(),
            named("add", object()),
            named("good", json!({"type": "object", "properties": {"second": {}}})),
            named("reference", json!({"type": "object", "properties": {"$ref": {"type": "string"}}})),
            named("fine", json!({})),
        ]
    };
    let builder = |skip| {
        let builder = Registry::builder().skip_invalid_tools(skip).tools(tools![add]);
        remote().into_iter().fold(builder, tool_runtime::RegistryBuilder::dynamic)
    };
    let error = builder(false).build().expect_err("six tools are invalid");
    assert_eq!(error.errors().len(), 6, "{error}");
    let registry = builder(true).build().expect("the invalid tools are skipped");
    assert_eq!(registry.names(), ["add", "fine", "good"]);
    let skipped: Vec<String> = registry.skipped_tools().iter().map(ToString::to_string).collect();
    assert_eq!(skipped.len(), 6, "{skipped:#?}");
    let reasons = [
        "the parameters of `text` are not the JSON Schema of an object",
        "`both` is both `read_only` and `destructive`",
        "`not a name` cannot be the name of a tool",
        "a property in the parameters of `reference` is named `$ref`",
        "two tools are named `add`",
        "two tools are named `good`",
    ];
    for (skipped, reason) in skipped.iter().zip(reasons) {
        assert!(skipped.starts_with("the tool `") && skipped.contains(reason), "{skipped}");
    }
    // The first of two tools stays, and a function takes precedence over a dynamic tool.
    assert!(!registry.tool("good").expect("it is there").schema.parameters().get().contains("second"));
    assert_eq!(registry.call("add", r#"{"a":1}"#).await.text(), "1");
    assert_eq!(registry.subset(["good"]).expect("it is there").skipped_tools().len(), 6);
}

#[test]
fn errors_of_limits_and_functions_are_never_skipped() {
    let error = Registry::builder().skip_invalid_tools(true).max_concurrency(0).build();
    assert!(error.is_err());
    let error = Registry::builder().skip_invalid_tools(true).tools(tools![needs_state]).build();
    assert!(error.is_err());
}

/// Requires state.
#[tool]
fn needs_state(#[state] limit: &usize) -> usize {
    *limit
}
