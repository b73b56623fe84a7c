//! The option `output_schema`: the schema of a result, for other parts of the program.

use serde_json::{Value, json};
use tool_runtime::registry::BuildErrorKind;
use tool_runtime::{DynamicTool, Registry, tool, tools, toolset};

/// The weather of one day.
#[derive(serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Weather {
    degrees_celsius: i8,
    #[serde(skip_serializing_if = "Option::is_none")]
    wind: Option<Wind>,
    #[serde(skip)]
    #[allow(dead_code, reason = "it is in no schema")]
    source: String,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Wind {
    #[serde(serialize_with = "serialize_speed")]
    #[schemars(with = "String")]
    speed: u8,
    #[serde(default)]
    gusts: bool,
}

fn serialize_speed<S: serde::Serializer>(speed: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("{speed} km/h"))
}

/// Returns a value.
#[tool(output_schema)]
fn plain(celsius: i8) -> Weather {
    Weather { degrees_celsius: celsius, wind: Some(Wind { speed: 5, gusts: false }), source: String::new() }
}

/// Returns a `Result`.
#[tool(output_schema)]
async fn in_result() -> Result<Weather, String> {
    Err("no weather".to_owned())
}

type Checked<T> = Result<T, String>;

/// Returns an alias of `Result`.
#[tool(output_schema)]
fn in_alias() -> Checked<Weather> {
    Err("no weather".to_owned())
}

/// Returns the `Result` of `std::io`.
#[tool(output_schema)]
async fn in_io_result() -> std::io::Result<Weather> {
    Err(std::io::ErrorKind::NotFound.into())
}

/// Has no output schema.
#[tool]
fn without() -> Weather {
    plain(1)
}

fn output_schema_of(registry: &Registry, name: &str) -> Value {
    registry
        .tool(name)
        .and_then(|tool| tool.output_schema)
        .unwrap_or_else(|| panic!("`{name}` has an output schema"))
        .clone()
}

#[tokio::test]
async fn an_output_schema_describes_the_serialized_value() {
    let registry = Registry::new(tools![plain]).expect("a registry");
    let schema = output_schema_of(&registry, "plain");
    assert_eq!(
        (&schema["type"], &schema["description"]),
        (&json!("object"), &json!("The weather of one day."))
    );
    assert_eq!(schema["required"], json!(["degreesCelsius"]));
    for keyword in ["$schema", "$defs", "$ref"] {
        assert!(!schema.to_string().contains(keyword), "{schema}");
    }
    let result = registry.call("plain", r#"{"celsius":25}"#).await;
    let result: Value = serde_json::from_str(&result.text()).expect("it is JSON");
    assert_eq!(result, json!({ "degreesCelsius": 25, "wind": { "speed": "5 km/h", "gusts": false } }));
    let without_gusts = json!({ "degreesCelsius": 25, "wind": { "speed": "5 km/h" } });
    for (value, is_valid) in [
        (result, true),
        (json!({ "degreesCelsius": 25 }), true),
        (json!({ "degrees_celsius": 25 }), false),
        (json!({ "degreesCelsius": 1000 }), false),
        // The default matters only for deserialization: a serialized value always has the field.
        (without_gusts, false),
    ] {
        assert_eq!(jsonschema::is_valid(&schema, &value), is_valid, "{value} under {schema}");
    }
}

#[test]
fn an_output_schema_of_a_result_is_that_of_its_value_also_through_an_alias() {
    let registry = Registry::new(tools![plain, in_result, in_alias, in_io_result]).expect("a registry");
    let expected = output_schema_of(&registry, "plain");
    for name in ["in_result", "in_alias", "in_io_result"] {
        assert_eq!(output_schema_of(&registry, name), expected, "{name}");
    }
}

#[test]
fn an_output_schema_is_not_in_the_request() {
    let registry = Registry::new(tools![plain, without]).expect("a registry");
    assert_eq!(
        (
            registry.tool("without").and_then(|tool| tool.output_schema),
            registry.tool("nothing").and_then(|tool| tool.output_schema)
        ),
        (None, None)
    );
    let request = serde_json::to_string(registry.schemas()).expect("schemas are written");
    assert!(!request.contains("degreesCelsius"), "{request}");
}

/// Returns what it receives.
#[tool(output_schema)]
fn echo<'a>(text: &'a str, _unit: &str) -> Result<&'a str, std::num::ParseIntError> {
    Ok(text)
}

/// Lists names.
#[tool(output_schema, timeout = "5s")]
fn list() -> Option<Vec<(String, u8)>> {
    None
}

/// Returns a nested `Result`, which serde writes as an object.
#[tool(output_schema)]
fn nested() -> Result<Result<u8, String>, String> {
    Ok(Ok(1))
}

#[test]
fn borrowed_optional_and_nested_results_have_output_schemas() {
    let registry = Registry::new(tools![echo, list, nested]).expect("a registry");
    assert_eq!(output_schema_of(&registry, "echo"), json!({ "type": "string" }));
    assert_eq!(output_schema_of(&registry, "list")["type"], json!(["array", "null"]));
    assert!(output_schema_of(&registry, "nested")["oneOf"].is_array());
}

/// A folder with folders.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Folder {
    folders: Vec<Folder>,
}

/// Lists the folders.
#[tool(output_schema)]
fn folders() -> Folder {
    Folder { folders: vec![Folder { folders: Vec::new() }] }
}

#[test]
fn an_output_schema_of_a_recursive_type_has_definitions() {
    let registry = Registry::new(tools![folders]).expect("a registry");
    let schema = output_schema_of(&registry, "folders");
    assert_eq!(schema["$defs"]["Folder"]["type"], "object", "{schema}");
    assert!(jsonschema::is_valid(&schema, &json!(folders())), "{schema}");
    assert!(!jsonschema::is_valid(&schema, &json!({ "folders": [{ "folders": [1] }] })), "{schema}");
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Shelf {
    books: u8,
}

#[toolset]
impl Shelf {
    /// Describes the shelf.
    #[tool(output_schema)]
    fn describe(&self) -> Result<Self, String> {
        Ok(Shelf { books: self.books })
    }
}

#[test]
fn a_method_has_an_output_schema() {
    let registry = Registry::builder().toolset(Shelf { books: 2 }).build().expect("a registry");
    assert_eq!(output_schema_of(&registry, "describe")["required"], json!(["books"]));
}

fn dynamic(output_schema: Value) -> DynamicTool {
    DynamicTool::new("dynamic", "", Value::Null, |_| async { Ok::<_, String>(1) })
        .output_schema(output_schema)
}

#[test]
fn a_dynamic_tool_has_the_output_schema_that_it_was_given() {
    let registry = Registry::builder().dynamic(dynamic(json!({"type": "integer"}))).build();
    let registry = registry.expect("a registry");
    assert_eq!(output_schema_of(&registry, "dynamic"), json!({"type": "integer"}));
    assert_eq!(
        registry.tool("dynamic").expect("it is there").schema.parameters().get(),
        r#"{"type":"object","properties":{}}"#
    );
}

#[test]
fn an_output_schema_of_any_depth_is_rejected_without_recursion() {
    let deep = (0..100_000).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
    let error = Registry::builder().dynamic(dynamic(deep)).build().expect_err("it is too deep");
    assert!(matches!(error.errors(), [BuildErrorKind::SchemaLimit { .. }]), "{error}");
    assert_eq!(
        error.to_string(),
        "the registry cannot be built: a schema of `dynamic` exceeds a limit: it has more than 127 levels of nesting; \
         give it a smaller schema, or leave the tool out"
    );
}
