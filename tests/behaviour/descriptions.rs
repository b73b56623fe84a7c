//! Descriptions of tools and parameters: doc comments, lists of arguments, files.

use serde_json::{Value, json};
use tool_runtime::registry::ToolList;
use tool_runtime::{Registry, tool, tools};

/// The description of the only tool, and the descriptions of its parameters.
fn described(tools: ToolList) -> (String, Value) {
    let registry = Registry::new(tools).expect("one tool");
    let schema = &registry.schemas()[0];
    let parameters: Value = serde_json::from_str(schema.parameters().get()).expect("JSON");
    let properties = parameters["properties"].as_object().expect("an object");
    let texts = properties.iter().map(|(name, schema)| (name.clone(), schema["description"].clone()));
    (schema.description().to_owned(), texts.collect())
}

/// Looks the weather up.
///
/// For a few days:
/// - today
///   - or tonight
///
/// # Arguments
///
/// * `city` - The city,
///   by its English name.
/// - `days`: How many days.
/// * `unit` - Is described below, too.
/// * `pool` - Where the results are stored.
///
/// # Errors
///
/// The city is not known.
#[tool]
fn listed(
    city: &str,
    #[arg(name = "d")] days: u8,
    /// C or F.
    unit: char,
    _unlisted: bool,
    #[state] pool: &u8,
) -> u8 {
    let _ = (city, days, unit);
    *pool
}

#[test]
fn a_list_of_arguments_describes_the_parameters_and_not_the_tool() {
    let registry = Registry::builder().tools(tools![listed]).state(1_u8).build().expect("one tool");
    let schema = &registry.schemas()[0];
    assert_eq!(
        schema.description(),
        "Looks the weather up.\n\nFor a few days:\n- today\n  - or tonight\n\n# Errors\n\nThe city is not known."
    );
    let parameters: Value = serde_json::from_str(schema.parameters().get()).expect("JSON");
    assert_eq!(parameters["properties"]["city"]["description"], "The city,\nby its English name.");
    assert_eq!(parameters["properties"]["d"]["description"], "How many days.");
    assert_eq!(parameters["properties"]["unit"]["description"], "C or F.");
    assert_eq!(parameters["properties"]["unlisted"].get("description"), None);
}

#[tool]
#[doc = include_str!("weather.md")]
fn from_a_file(#[doc = include_str!("weather.md")] city: &str, #[doc = "Days."] days: u8) {
    let _ = (city, days);
}

/// Is described here.
///
#[doc = concat!("And ", "there.")]
#[tool]
fn from_parts() {}

#[test]
fn a_description_can_come_from_a_file() {
    let text = include_str!("weather.md").trim();
    assert_eq!(described(tools![from_a_file]), (text.to_owned(), json!({ "city": text, "days": "Days." })));
    assert_eq!(described(tools![from_parts]).0, "Is described here.\n\nAnd there.");
}

/**
    Is indented.

    - as people do
      - in blocks
*/
#[tool]
fn block() {}

#[test]
fn a_block_comment_loses_its_indentation() {
    assert_eq!(described(tools![block]).0, "Is indented.\n\n- as people do\n  - in blocks");
}

#[tool(description = "Description for the model.")]
/// Description for programmers.
///
/// # Parameters
/// - `city`: The city.
fn overridden(#[arg(description = "Which city.")] city: &str, town: Option<&str>) {
    let _ = (city, town);
}

#[test]
fn descriptions_in_options_take_precedence() {
    let (description, parameters) = described(tools![overridden]);
    assert_eq!(description, "Description for the model.");
    assert_eq!(parameters, json!({ "city": "Which city.", "town": null }));
}
