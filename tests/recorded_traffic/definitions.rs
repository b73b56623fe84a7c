//! Collected definitions as dynamic tools: they load, and correct calls reach their handlers.

use crate::{list, rows};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};
use tool_runtime::registry::BuildErrorKind;
use tool_runtime::{DynamicTool, Registry, RegistryBuilder, ToolCall};

fn tool(name: &Value, description: &Value, parameters: &Value, seen: &Seen) -> DynamicTool {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let seen = Arc::clone(seen);
    DynamicTool::new(text(name), text(description), parameters.clone(), move |arguments| {
        seen.lock().expect("nobody panicked").push(arguments);
        std::future::ready(Ok::<_, String>(()))
    })
}

type Seen = Arc<Mutex<Vec<Map<String, Value>>>>;

/// Builds a registry; maps the names if they are invalid. Returns the number of invalid names.
fn registry(tools: impl Fn() -> Vec<DynamicTool>) -> (Registry, usize) {
    let build = |mapped: bool| {
        tools()
            .into_iter()
            .fold(Registry::builder().rename_invalid_names(mapped), RegistryBuilder::dynamic)
            .build()
    };
    match build(false) {
        Ok(registry) => (registry, 0),
        Err(error) => {
            let is_name = |error: &BuildErrorKind| matches!(error, BuildErrorKind::InvalidName { .. });
            assert!(error.errors().iter().all(is_name), "{error}");
            (build(true).expect("the names are mapped"), error.errors().len())
        }
    }
}

#[tokio::test]
async fn every_definition_loads_and_every_correct_call_reaches_its_handler() {
    let Some(rows) = rows("bfcl_calls.jsonl") else { return };
    let (mut definitions, mut mapped, mut calls, mut rejected) = (0, 0, 0, 0);
    for row in &rows {
        let seen = Seen::default();
        let functions: Vec<&Value> = list(&row["tools"]).iter().map(|tool| &tool["function"]).collect();
        let (registry, names) = registry(|| {
            functions
                .iter()
                .map(|function| {
                    tool(&function["name"], &function["description"], &function["parameters"], &seen)
                })
                .collect()
        });
        definitions += registry.names().len();
        mapped += names;
        assert_eq!(registry.names().len(), functions.len(), "{}", row["id"]);
        for (index, call) in list(&row["calls"]).iter().enumerate() {
            let name = call["name"].as_str().expect("a name");
            // The model calls the name in the schema.
            let shown = registry.tool(name).unwrap_or_else(|| panic!("{name} is there")).schema.name();
            let arguments = match &call["arguments"] {
                Value::String(text) => text.clone(),
                object => object.to_string(),
            };
            let answers = registry.dispatch(&[ToolCall::new("call", shown, &*arguments)]).await;
            if row["valid"][index] == false {
                // The benchmark lists it as correct, although the schema rejects it.
                assert!(
                    answers[0].content.as_str().starts_with("Error: invalid arguments"),
                    "{} {index}",
                    row["id"]
                );
                rejected += 1;
                continue;
            }
            assert_eq!(answers[0].content, "ok", "{} {index}: {arguments}", row["id"]);
            let got = seen.lock().expect("nobody panicked").pop().expect("it was called");
            assert_eq!(
                Value::Object(got),
                serde_json::from_str::<Value>(&arguments).expect("JSON"),
                "{}",
                row["id"]
            );
            calls += 1;
        }
    }
    assert!(calls > 0 && mapped > 0, "the file has such rows");
    println!(
        "{definitions} definitions, {mapped} with a name that servers reject; {calls} valid calls accepted, \
         {rejected} calls rejected by their schemas"
    );
}

#[test]
fn every_definition_of_a_server_loads() {
    let Some(rows) = rows("mcp_tools.jsonl") else { return };
    let (mut loaded, mut mapped) = (0, 0);
    for row in &rows {
        let seen = Seen::default();
        let (registry, names) =
            registry(|| vec![tool(&row["name"], &row["description"], &row["inputSchema"], &seen)]);
        let shown = registry.names()[0];
        assert_eq!(registry.tool(shown).and_then(|tool| tool.original_name).unwrap_or(shown), row["name"]);
        assert_eq!(
            registry.tool(shown).expect("it is there").unsupported_keywords,
            [""; 0],
            "{}",
            row["inputSchema"]
        );
        loaded += registry.names().len();
        mapped += names;
    }
    assert!(loaded == rows.len() && mapped > 0);
    println!("{loaded} definitions, {mapped} with a name that servers reject");
}

/// The schema without annotations, which have no effect on a server.
fn without_annotations(value: &Value) -> Value {
    match value {
        Value::Object(keywords) => keywords
            .iter()
            .filter(|(keyword, value)| {
                // A property with such a name has a schema.
                !matches!(keyword.as_str(), "default" | "title" | "$schema") || value.is_object()
            })
            .map(|(keyword, value)| (keyword.clone(), without_annotations(value)))
            .collect(),
        Value::Array(items) => items.iter().map(without_annotations).collect(),
        other => other.clone(),
    }
}

#[tokio::test]
async fn a_closed_schema_rejects_a_misspelt_optional_argument() {
    let Some(rows) = rows("bfcl_calls.jsonl") else { return };
    let (mut open, mut closed, mut tried) = (0, 0, 0);
    for row in &rows {
        let registry = |deny: bool| {
            let functions = list(&row["tools"]).iter().map(|tool| &tool["function"]);
            let tools = functions.map(|function| {
                tool(&function["name"], &function["description"], &function["parameters"], &Seen::default())
                    .deny_unknown_arguments(deny)
            });
            let registry =
                tools.fold(Registry::builder().rename_invalid_names(true), RegistryBuilder::dynamic).build();
            registry.expect("the definitions load")
        };
        let registries = [registry(false), registry(true)];
        for (index, call) in
            list(&row["calls"]).iter().enumerate().filter(|(index, _)| row["valid"][*index] != false)
        {
            let name = call["name"].as_str().expect("a name");
            let shown = registries[0].tool(name).unwrap_or_else(|| panic!("{name} is there")).schema;
            let schema: Value = serde_json::from_str(shown.parameters().get()).expect("JSON");
            let arguments = match &call["arguments"] {
                Value::String(text) => serde_json::from_str(text).expect("JSON"),
                object => object.clone(),
            };
            assert!(
                !registries[1].call(shown.name(), &arguments.to_string()).await.is_error(),
                "{} {index}",
                row["id"]
            );
            let is_optional =
                |key: &&String| !list(&schema["required"]).iter().any(|required| required == *key);
            for key in schema["properties"].as_object().into_iter().flat_map(Map::keys).filter(is_optional) {
                let mut misspelt = arguments.clone();
                let value =
                    misspelt.as_object_mut().and_then(|object| object.remove(key)).unwrap_or(json!(1));
                misspelt[format!("{key}x")] = value;
                let misspelt = misspelt.to_string();
                tried += 1;
                open += usize::from(!registries[0].call(shown.name(), &misspelt).await.is_error());
                closed += usize::from(!registries[1].call(shown.name(), &misspelt).await.is_error());
            }
        }
    }
    println!("{tried} misspelt optional arguments: {open} accepted by open schemas, {closed} by closed ones");
    assert!(tried > 0 && open > 0, "the file has such rows");
    assert_eq!(closed, 0);
}

#[test]
fn the_strict_form_of_a_definition_equals_that_of_the_server() {
    let Some(rows) = rows("openai_strict_pairs.jsonl") else { return };
    let mut equal = 0;
    for row in rows.iter().filter(|row| row["echoed"]["strict"] == true) {
        let sent = &row["sent"];
        let registry = Registry::builder()
            .dynamic(tool(&sent["name"], &sent["description"], &sent["parameters"], &Seen::default()))
            .build()
            .unwrap_or_else(|error| panic!("{}: {error}", row["source"]));
        let [schema] = registry.schemas() else { panic!("one tool") };
        assert_eq!(schema.name(), row["echoed"]["name"]);
        let strict =
            schema.openai_strict().unwrap_or_else(|reasons| panic!("{}: {reasons:?}", row["source"]));
        assert_eq!(
            without_annotations(&json!(strict)),
            without_annotations(&row["echoed"]["parameters"]),
            "{}",
            row["source"]
        );
        equal += 1;
    }
    assert!(equal > 0, "the file has such rows");
    println!("{equal} strict definitions equal those of the server, of {} pairs", rows.len());
}
