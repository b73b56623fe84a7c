//! Lenient arguments: spellings of the values of an enum, and arguments inside an unknown key.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_runtime::{DynamicTool, Registry, ToolMessage, tool, tools};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    InProgress,
    /// It has ended.
    Done,
}

/// Lists tasks.
#[tool]
fn list_tasks(mode: Option<Mode>, modes: Option<Vec<Mode>>, page: Option<u8>, project: &str) -> String {
    format!("{project} {mode:?} {modes:?} {page:?}")
}

fn registry(is_lenient: bool) -> Registry {
    let registry = Registry::builder().tools(tools![list_tasks]).lenient_arguments(is_lenient);
    registry.build().expect("one tool")
}

async fn call(is_lenient: bool, arguments: &Value) -> ToolMessage {
    let call = tool_runtime::ToolCall::new("1", "list_tasks", arguments.to_string());
    registry(is_lenient).dispatch(&[call]).await.remove(0)
}

/// The text of a lenient call, which is an error otherwise.
async fn coerced(arguments: Value) -> (String, Vec<String>) {
    assert!(call(false, &arguments).await.text().starts_with("Error: "), "{arguments}");
    let message = call(true, &arguments).await;
    let coercions = message.outcome().expect("it was dispatched").coercions().to_vec();
    (message.text().to_owned(), coercions)
}

#[tokio::test]
async fn a_spelling_of_an_enum_value_is_read_as_the_value() {
    for spelling in ["In_Progress", "IN PROGRESS", "in-progress", "InProgress"] {
        let (text, coercions) = coerced(json!({ "project": "a", "mode": spelling })).await;
        assert_eq!(text, "a Some(InProgress) None None", "{spelling}");
        assert_eq!(coercions, [format!(r#"`mode`: "{spelling}" was read as "in_progress""#)]);
    }
    let (text, _) = coerced(json!({ "project": "a", "modes": ["DONE", "in_progress"] })).await;
    assert_eq!(text, "a None Some([Done, InProgress]) None");
    let (text, _) = coerced(json!({ "project": "a", "modes": "Done" })).await;
    assert_eq!(text, "a None Some([Done]) None");
    for other in ["progress", "in.progress", "", "don"] {
        let message = call(true, &json!({ "project": "a", "mode": other })).await;
        assert!(message.text().starts_with("Error: invalid arguments"), "{other}: {}", message.text());
    }
}

#[tokio::test]
async fn a_spelling_of_two_enum_values_is_rejected() {
    let units =
        json!({ "type": "object", "properties": { "unit": { "enum": ["m", "M", "km", "a b", "a_b"] } } });
    let tool = DynamicTool::new("measure", "", units, |arguments| async move {
        Ok::<_, String>(Value::Object(arguments))
    });
    let registry = Registry::builder().dynamic(tool).lenient_arguments(true).build().expect("one tool");
    let measured = |unit: &'static str| registry.call("measure", json!({ "unit": unit }));
    assert_eq!(measured("KM").await.text(), r#"{"unit":"km"}"#);
    assert_eq!(measured("M").await.text(), r#"{"unit":"M"}"#);
    assert!(measured("A-B").await.text().starts_with("Error: invalid arguments"));
}

#[tokio::test]
async fn arguments_inside_an_unknown_key_are_read() {
    let inside = "a Some(Done) None Some(2)";
    for (arguments, key) in [
        (json!({ "parameters": { "project": "a", "mode": "done", "page": 2 } }), "parameters"),
        (json!({ "list_tasks": { "project": "a", "mode": "done", "page": 2 } }), "list_tasks"),
        (json!({ "arguments": r#"{"project":"a","mode":"done","page":2}"# }), "arguments"),
    ] {
        let (text, coercions) = coerced(arguments).await;
        assert_eq!(text, inside);
        assert_eq!(coercions, [format!("the arguments were inside `{key}`")]);
    }
    let (text, coercions) =
        coerced(json!({ "input": { "project": "a", "mode": "DONE", "page": "2" } })).await;
    assert_eq!((text.as_str(), coercions.len()), (inside, 3));
}

#[tokio::test]
async fn arguments_inside_a_key_with_several_readings_are_rejected() {
    for arguments in [
        // Other keys.
        json!({ "parameters": { "project": "a" }, "more": {} }),
        json!({ "project": "a", "parameters": { "mode": "done" } }),
        json!({ "project": "a", "parameters": { "project": "b" } }),
        // A key that the tool does not have.
        json!({ "parameters": { "project": "a", "color": "red" } }),
        // No arguments, or not all.
        json!({ "parameters": {} }),
        json!({ "project": "a", "parameters": [] }),
        json!({ "parameters": { "page": 2 } }),
        json!({ "parameters": { "arguments": { "project": "a" } } }),
        // The key has a meaning of its own.
        json!({ "exclude": { "project": "a" } }),
        json!({ "owner": { "project": "a" } }),
        json!({ "comment": r#"{"project":"a"}"# }),
    ] {
        let message = call(true, &arguments).await;
        assert!(message.text().starts_with("Error: invalid arguments"), "{arguments}: {}", message.text());
    }
}

/// An object that accepts any keys: the key is not an error itself.
#[tokio::test]
async fn arguments_inside_a_key_of_an_open_object_are_read_only_if_it_is_invalid() {
    let open = |required: Value| {
        let schema =
            json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": required });
        let tool = DynamicTool::new("look", "", schema, |arguments| async move {
            Ok::<_, String>(Value::Object(arguments))
        });
        Registry::builder().dynamic(tool).lenient_arguments(true).build().expect("one tool")
    };
    let wrapped = json!({ "parameters": { "city": "Rome" } });
    assert_eq!(open(json!(["city"])).call("look", &wrapped).await.text(), r#"{"city":"Rome"}"#);
    assert_eq!(open(json!([])).call("look", &wrapped).await.text(), wrapped.to_string());
}
