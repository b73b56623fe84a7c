//! With strict schemas, null stands for a missing argument.

use schemars::JsonSchema;
use serde::Deserialize;
use tool_runtime::schema::Dialect;
use tool_runtime::{Registry, ToolCall, tool, tools};

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
async fn null_means_missing_with_a_strict_registry() {
    let registry = builder().dialect(Dialect::OpenAiStrict).allow_non_strict(true).build().expect("one tool");
    assert_eq!(call(&registry, NULLS).await, ABSENT);
    let required = call(&registry, &NULLS.replace("\"a\"", "null")).await;
    assert!(required.contains("`text`: expected a string, got null"), "{required}");
}

#[tokio::test]
async fn null_means_missing_once_strict_schemas_were_requested() {
    let registry = builder().build().expect("one tool");
    assert!(
        call(&registry, NULLS).await.contains("`page`: expected u8, got null"),
        "strict schemas were not requested yet"
    );
    let of_request = registry.subset(["search"]).expect("it is there");
    assert!(of_request.schemas_for(Dialect::OpenAi).is_some());
    assert!(
        call(&registry, NULLS).await.contains("`page`: expected u8, got null"),
        "the other dialect is not strict"
    );
    assert!(of_request.schemas_for(Dialect::OpenAiStrict).is_some());
    assert_eq!(call(&registry, NULLS).await, ABSENT);
}

#[tokio::test]
async fn without_strict_schemas_null_is_a_value() {
    let registry = builder().build().expect("one tool");
    let nested = r#"{"text":"a","filter":{"limit":null,"tags":[]},"any":1}"#;
    let text = call(&registry, nested).await;
    assert!(text.contains("`filter.limit`: expected an integer from 0 to 255, got null"), "{text}");
    assert!(call(&registry, r#"{"text":"a","seed":null,"any":1}"#).await.starts_with("a 3 None None"));
}

#[tokio::test]
async fn null_means_missing_for_a_blocking_tool() {
    /// Waits.
    #[tool(blocking)]
    fn wait(#[arg(default = 3)] times: u8) -> u8 {
        times
    }
    let registry =
        Registry::builder().tools(tools![wait]).dialect(Dialect::OpenAiStrict).build().expect("one tool");
    assert_eq!(registry.call("wait", r#"{"times":null}"#).await.expect("the default is used"), "3");
}
