//! Signatures.

#![allow(clippy::needless_pass_by_value, unused_variables, reason = "the tool is only described")]

use crate::tool;
use serde_json::{Value, json};
use tool_runtime::search::{documented_signature, signature};
use tool_runtime::{Registry, tool, tools};

/// The signature of one parameter `p` with this schema.
fn of(schema: &Value) -> String {
    let tool = tool("f", "", &json!({"type": "object", "properties": {"p": schema}, "required": ["p"]}));
    let text = signature(&tool);
    text.strip_prefix("f(p: ").and_then(|text| text.strip_suffix(')')).expect("one parameter").to_owned()
}

#[test]
fn types() {
    for (schema, text) in [
        (json!({"type": "string"}), "string"),
        (json!({"type": "integer", "minimum": 1}), "integer"),
        (json!({"type": ["number", "null"]}), "number | null"),
        (json!({"type": "boolean", "default": true}), "boolean = true"),
        (json!({"type": "string", "default": null}), "string"),
        (json!({"type": "array", "items": {"type": "string"}}), "string[]"),
        (json!({"type": "array", "items": {"type": ["string", "null"]}}), "(string | null)[]"),
        (json!({"type": "array"}), "any[]"),
        (json!({"enum": ["a \"b\"", 2, null]}), r#""a \"b\"" | 2 | null"#),
        (json!({"const": "x"}), r#""x""#),
        (json!({"oneOf": [{"const": "x", "description": "X."}, {"const": "y"}]}), r#""x" | "y""#),
        (json!({"anyOf": [{"type": "string"}, {"type": "string"}, {"type": "null"}]}), "string | null"),
        (json!({"allOf": [{"type": "string"}]}), "string"),
        (json!({"type": "object"}), "object"),
        (json!({"type": "object", "additionalProperties": {"type": "integer"}}), "Record<string, integer>"),
        // Branches without a type.
        (json!({"type": "string", "anyOf": [{"minLength": 5}, {"const": ""}]}), r#"string | """#),
        (json!({"type": "string", "oneOf": [{"format": "email"}, {"format": "uri"}]}), "string"),
        (json!({"type": "integer", "allOf": [{"minimum": 1}, {"not": {"const": 5}}]}), "integer"),
        (
            json!({"allOf": [{"anyOf": [{"type": "string"}, {"type": "null"}]}, {"maxLength": 5}]}),
            "string | null",
        ),
        (
            json!({
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "anyOf": [{"required": ["a"]}, {"type": "object", "required": ["b"]}],
            }),
            "{a?: string, b?: string}",
        ),
        (
            json!({
                "properties": {"a": {"type": "string"}},
                "oneOf": [{"properties": {"b": {"type": "null"}}}, {"properties": {"c": {"type": "null"}}}],
            }),
            "{a?: string} & ({b?: null} | {c?: null})",
        ),
        (
            json!({
                "type": "object",
                "properties": {"street": {"type": "string"}, "zip": {"type": "string"}},
                "required": ["street"],
            }),
            "{street: string, zip?: string}",
        ),
        (json!({"type": "array", "items": {"properties": {"a b": {"type": "null"}}}}), r#"{"a b"?: null}[]"#),
        (json!({}), "any"),
        (json!(true), "any"),
        (json!({"type": "vector"}), "any"),
        (json!({"$ref": "https://example.com/schema"}), "any"),
    ] {
        assert_eq!(of(&schema), text, "{schema}");
    }
}

#[test]
fn references_are_resolved_and_recursive_ones_are_names() {
    let parameters = json!({
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/node"}, "unit": {"$ref": "#/$defs/unit"}},
        "required": ["unit"],
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
            },
            "unit": {"enum": ["c", "f"]},
        },
    });
    let text = r#"f(unit: "c" | "f", tree?: {children?: node[]})"#;
    assert_eq!(signature(&tool("f", "", &parameters)), text);
}

/// Look up the weather.
#[tool]
fn get_weather(
    /// City name,
    /// in English.
    city: &str,
    #[arg(default = 0)] days: u8,
    unit: Option<String>,
    at: Vec<f64>,
) {
}

#[test]
fn required_parameters_are_first_in_declared_order() {
    let registry = Registry::new(tools![get_weather]).expect("one tool");
    let schema = registry.tool("get_weather").expect("it is there").schema;
    assert_eq!(
        signature(schema),
        "get_weather(city: string, at: number[], days?: integer = 0, unit?: string | null)"
    );
    assert_eq!(
        documented_signature(schema),
        "get_weather(city: string (City name, in English.), at: number[], days?: integer = 0, unit?: string | null)"
    );
}

#[test]
fn long_parts_are_abbreviated() {
    let long = "word ".repeat(100);
    let values: Vec<usize> = (0..100).collect();
    let text = of(&json!({"enum": values}));
    assert!(text.ends_with("| 18 | 19 | .."), "{text}");
    let text = of(&json!({"const": long}));
    assert!(text.len() < 140 && text.ends_with("..\""), "{text}");
    assert_eq!(of(&json!({"type": "array", "default": values})), "any[] = [..]");
    let properties: Value =
        (0..1_000).map(|number| (format!("p{number}"), json!({"type": "string"}))).collect();
    let text = signature(&tool("f", "", &json!({"properties": properties, "required": ["p999"]})));
    assert!(text.starts_with("f(p999: string, p0?: string,") && text.ends_with(", ..)"), "{text}");
    assert!(text.len() < 2_000, "{text}");
}

#[test]
fn only_a_tool_without_parameters_has_empty_parentheses() {
    let defs = json!({
        "page": {"type": "object", "properties": {"url": {"type": "string"}, "tab": {"type": "integer"}}, "required": ["url"]},
        "again": {"$ref": "#/$defs/page"},
        "empty": {"type": "object", "properties": {}},
    });
    for (mut parameters, text) in [
        (json!({"type": "object", "properties": {}}), "f()"),
        (json!({"type": "object", "properties": {}, "additionalProperties": false}), "f()"),
        (json!({"type": "object", "additionalProperties": false}), "f()"),
        (json!({"$ref": "#/$defs/empty"}), "f()"),
        (json!({"type": "object"}), "f(object)"),
        (json!({}), "f(object)"),
        (json!({"type": "object", "properties": {}, "additionalProperties": true}), "f(object)"),
        (json!({"type": "object", "additionalProperties": true}), "f(object)"),
        (json!({"additionalProperties": false, "patternProperties": {"^x-": {}}}), "f(object)"),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            "f(Record<string, integer>)",
        ),
        (json!({"$ref": "#/$defs/page"}), "f(url: string, tab?: integer)"),
        (json!({"$ref": "#/$defs/again"}), "f(url: string, tab?: integer)"),
        (json!({"$ref": "#/$defs/lost"}), "f(object)"),
        (json!({"$ref": "#"}), "f(object)"),
        (
            json!({"allOf": [{"$ref": "#/$defs/page"}, {"properties": {"wait": {"type": "boolean"}}, "required": ["wait"]}]}),
            "f(url: string, wait: boolean, tab?: integer)",
        ),
        (
            json!({"anyOf": [{"$ref": "#/$defs/page"}, {"$ref": "#/$defs/page"}]}),
            "f({url: string, tab?: integer})",
        ),
        (
            json!({"oneOf": [{"properties": {"id": {"type": "integer"}}}, {"properties": {"name": {"type": "string"}}}]}),
            "f({id?: integer} | {name?: string})",
        ),
        (
            json!({
                "properties": {"a": {"type": "string"}},
                "anyOf": [{"properties": {"b": {"type": "null"}}}, {"properties": {"c": {"type": "null"}}}],
            }),
            "f({a?: string} & ({b?: null} | {c?: null}))",
        ),
        (
            json!({
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
            }),
            "f(a?: string, b?: string)",
        ),
        (json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}), "f(object)"),
    ] {
        parameters["$defs"] = defs.clone();
        assert_eq!(signature(&tool("f", "", &parameters)), text, "{parameters}");
    }
}

/// Return the time.
#[tool]
fn now() {}

#[test]
fn a_function_without_parameters_has_empty_parentheses() {
    let registry = Registry::new(tools![now]).expect("one tool");
    assert_eq!(signature(registry.tool("now").expect("it is there").schema), "now()");
}
