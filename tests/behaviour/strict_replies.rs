//! Where schemas are strict, null stands for what is left out.

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

async fn said(registry: &Registry, arguments: &str) -> String {
    registry.dispatch(&[ToolCall::new("1", "search", arguments)]).await.remove(0).content.to_string()
}

fn builder() -> tool_runtime::RegistryBuilder {
    Registry::builder().tools(tools![search])
}

const ABSENT: &str =
    "a 3 Some(7) None Some(Filter { limit: 10, author: None, tags: [None, Some(1)] }) [1] null";

#[tokio::test]
async fn null_is_what_is_absent_where_the_registry_is_strict() {
    let registry = builder().dialect(Dialect::OpenAiStrict).allow_non_strict(true).build().expect("one tool");
    assert_eq!(said(&registry, NULLS).await, ABSENT);
    let required = said(&registry, &NULLS.replace("\"a\"", "null")).await;
    assert!(required.contains("`text`: expected a string, got null"), "{required}");
}

#[tokio::test]
async fn null_is_what_is_absent_once_strict_schemas_were_asked_for() {
    let registry = builder().build().expect("one tool");
    assert!(said(&registry, NULLS).await.contains("`page`: expected u8, got null"), "not before");
    let of_request = registry.subset(["search"]).expect("it is there");
    assert!(of_request.schemas_for(Dialect::OpenAi).is_some());
    assert!(
        said(&registry, NULLS).await.contains("`page`: expected u8, got null"),
        "not by the other dialect"
    );
    assert!(of_request.schemas_for(Dialect::OpenAiStrict).is_some());
    assert_eq!(said(&registry, NULLS).await, ABSENT);
}

#[tokio::test]
async fn elsewhere_null_is_a_value() {
    let registry = builder().build().expect("one tool");
    let nested = r#"{"text":"a","filter":{"limit":null,"tags":[]},"any":1}"#;
    let told = said(&registry, nested).await;
    assert!(told.contains("`filter.limit`: expected an integer from 0 to 255, got null"), "{told}");
    assert!(said(&registry, r#"{"text":"a","seed":null,"any":1}"#).await.starts_with("a 3 None None"));
}

#[tokio::test]
async fn a_blocking_tool_is_no_exception() {
    /// Waits.
    #[tool(blocking)]
    fn wait(#[arg(default = 3)] times: u8) -> u8 {
        times
    }
    let registry =
        Registry::builder().tools(tools![wait]).dialect(Dialect::OpenAiStrict).build().expect("one tool");
    assert_eq!(registry.call("wait", r#"{"times":null}"#).await.expect("it is the default"), "3");
}
