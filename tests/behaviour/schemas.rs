//! Tool definitions: descriptions, schemas and their order.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tool_runtime::dispatch::UnknownToolError;
use tool_runtime::registry::ToolList;
use tool_runtime::{Registry, ToolChoice, tool, tools};

/// The time of day.
#[tool]
pub(crate) fn now() {}

/// Look up the weather.
///
/// Takes *any* city.
#[tool]
#[allow(unused_variables)]
fn get_weather(
    /// City name, for example "Beijing".
    city: &str,
    /// How many days ahead;
    /// 0 is today.
    #[arg(default = 0)]
    days: u8,
    zone: Option<String>,
    alerts: bool,
) {
}

/// A stay in a city.
#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Stop {
    /// The city.
    city: String,
    nights: Option<u32>,
    title: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "How comfortable it is")]
enum Class {
    FirstClass,
    Coach,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Tree {
    name: String,
    children: Vec<Tree>,
}

/// Plans a trip.
#[tool]
#[allow(unused_variables)]
fn plan(
    /// In order.
    stops: Vec<Stop>,
    class: Class,
    budget: i64,
    ratio: f32,
    notes: BTreeMap<String, String>,
    extra: serde_json::Value,
) {
}

/// Draws a tree.
#[tool]
#[allow(unused_variables)]
fn draw(tree: Tree) {}

fn parameters(tools: ToolList) -> Value {
    let registry = Registry::new(tools).expect("different names");
    serde_json::from_str(registry.schemas()[0].parameters().get()).expect("a schema is JSON")
}

#[test]
fn a_definition_has_the_form_of_chat_completions() {
    let registry = Registry::new(tools![get_weather]).expect("one tool");
    assert_eq!(
        serde_json::to_string(registry.schemas()).expect("it is written"),
        concat!(
            r#"[{"type":"function","function":{"name":"get_weather","#,
            r#""description":"Look up the weather.\n\nTakes *any* city.","#,
            r#""parameters":{"type":"object","required":["city","alerts"],"additionalProperties":false,"properties":{"#,
            r#""city":{"type":"string","description":"City name, for example \"Beijing\"."},"#,
            r#""days":{"type":"integer","description":"How many days ahead;\n0 is today.","minimum":0,"default":0},"#,
            r#""zone":{"type":["string","null"]},"alerts":{"type":"boolean"}}}}}]"#,
        )
    );
}

#[test]
fn a_tool_without_parameters_has_an_empty_closed_object() {
    let registry = Registry::new(tools![now]).expect("one tool");
    assert_eq!(
        registry.schemas()[0].parameters().get(),
        r#"{"type":"object","additionalProperties":false,"properties":{}}"#
    );
}

#[test]
fn the_schemas_of_user_types_are_inlined_without_generated_text() {
    assert_eq!(
        parameters(tools![plan]),
        json!({
            "type": "object",
            "properties": {
                "stops": {
                    "type": "array",
                    "description": "In order.",
                    "items": {
                        "type": "object",
                        "description": "A stay in a city.",
                        "properties": {
                            "city": {"type": "string", "description": "The city."},
                            "nights": {"type": ["integer", "null"], "minimum": 0},
                            "title": {"type": "string"},
                        },
                        "required": ["city", "title"],
                    },
                },
                "class": {"type": "string", "enum": ["first-class", "coach"]},
                "budget": {"type": "integer"},
                "ratio": {"type": "number"},
                "notes": {"type": "object", "additionalProperties": {"type": "string"}},
                "extra": {},
            },
            "required": ["stops", "class", "budget", "ratio", "notes", "extra"],
            "additionalProperties": false,
        })
    );
}

/// Counts its defaults.
#[tool]
fn counts(#[arg(default = next())] n: u32, #[arg(default = 7)] seven: u32) -> u32 {
    n + seven
}

fn next() -> u32 {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

#[test]
fn a_default_that_differs_each_time_is_not_published() {
    let parameters = parameters(tools![counts]);
    assert_eq!(parameters["properties"]["n"].get("default"), None);
    assert_eq!(parameters["properties"]["seven"]["default"], 7);
    assert_eq!(parameters.get("required"), None);
}

#[test]
fn a_recursive_type_is_defined_once_at_the_root() {
    let parameters = parameters(tools![draw]);
    let defined = parameters["$defs"]["Tree"].as_object().expect("it is defined");
    assert_eq!(defined["properties"]["children"]["items"], json!({"$ref": "#/$defs/Tree"}));
    assert!(!parameters.to_string().contains("\"title\""));
}

#[test]
fn definitions_are_sorted_by_name_and_parameters_keep_their_declared_order() {
    let registry = Registry::new(tools![plan, now, get_weather, draw]).expect("different names");
    assert_eq!(registry.names(), ["draw", "get_weather", "now", "plan"]);
    let names: Vec<&str> = registry.schemas().iter().map(tool_runtime::ToolSchema::name).collect();
    assert_eq!(names, registry.names());
    let text = registry.tool("plan").expect("it is there").schema.parameters().get();
    let places: Vec<Option<usize>> = ["\"stops\":", "\"class\":", "\"budget\":", "\"ratio\":", "\"notes\":"]
        .iter()
        .map(|key| text.find(key))
        .collect();
    assert!(places.is_sorted() && places[0].is_some(), "{text}");
}

#[test]
fn a_registry_lists_its_tools() {
    let registry = Registry::new(tools![now, draw]).expect("different names");
    assert_eq!((registry.names().len(), registry.names().is_empty()), (2, false));
    assert_eq!(registry.tool("now").expect("it is there").schema.description(), "The time of day.");
    assert!(registry.tool("later").is_none());
    assert!(Registry::new(tools![]).expect("no tools").schemas().is_empty());
}

#[test]
fn a_tool_choice_names_an_existing_tool() {
    let registry = Registry::new(tools![now]).expect("one tool");
    assert_eq!(registry.tool_choice("now").expect("it is there"), ToolChoice::Tool("now".to_owned()));
    assert!(
        matches!(registry.tool_choice("noww"), Err(UnknownToolError { suggestion: Some(now), .. }) if now == "now")
    );
}
