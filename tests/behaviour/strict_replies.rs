//! With schemas in which every argument is required, null means an absent argument.

use schemars::JsonSchema;
use serde::Deserialize;
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
async fn null_means_absent_with_the_option_of_the_builder() {
    let registry = builder().null_means_absent(true).build().expect("one tool");
    assert_eq!(call(&registry, NULLS).await, ABSENT);
    let required = call(&registry, &NULLS.replace("\"a\"", "null")).await;
    assert!(required.contains("`text`: expected a string, got null"), "{required}");
}

#[tokio::test]
async fn null_means_absent_once_the_strict_form_was_created() {
    let registry = builder().build().expect("one tool");
    assert!(
        call(&registry, NULLS).await.contains("`page`: expected u8, got null"),
        "the strict form does not exist yet"
    );
    let of_request = registry.subset(["search"]).expect("it is there");
    assert!(serde_json::to_string(of_request.schemas()).is_ok());
    assert!(of_request.schemas()[0].anthropic_strict().is_err(), "it takes any value");
    assert!(
        call(&registry, NULLS).await.contains("`page`: expected u8, got null"),
        "no other form makes an optional argument required"
    );
    // A model that sends null in the calls of other tools may do so for this one, which has no strict form.
    assert!(of_request.schemas()[0].openai_strict().is_err(), "it takes any value");
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
async fn null_means_absent_for_a_blocking_tool() {
    /// Waits.
    #[tool(blocking)]
    fn wait(#[arg(default = 3)] times: u8) -> u8 {
        times
    }
    let registry = Registry::new(tools![wait]).expect("one tool");
    assert!(registry.schemas()[0].openai_strict().is_ok());
    assert_eq!(registry.call_text("wait", r#"{"times":null}"#).await.text(), "3");
}

#[tokio::test]
async fn only_tools_whose_strict_form_was_created_read_null_as_absent() {
    /// Waits.
    #[tool]
    fn wait(#[arg(default = 3)] times: u8) -> u8 {
        times
    }
    let registry = builder().tools(tools![wait]).build().expect("two tools");
    assert!(registry.get("wait").expect("it is there").openai_strict().is_ok());
    assert_eq!(registry.call_text("wait", r#"{"times":null}"#).await.text(), "3");
    assert!(call(&registry, NULLS).await.contains("`page`: expected u8, got null"));
}
