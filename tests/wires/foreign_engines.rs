//! Foreign definitions for servers with a grammar engine.

use crate::foreign_definitions::{definition, request, wires, written};
use serde_json::{Value, json};
use tool_runtime::wire::{Anthropic, ChatCompletions};
use tool_runtime::{Registry, tool, tools};
use tool_runtime_testing::check_request;

/// The patterns that llama.cpp rejects: <https://github.com/openclaw/openclaw/issues/113562>,
/// <https://github.com/ggml-org/llama.cpp/issues/16714>.
#[test]
fn a_pattern_goes_to_engines_in_a_form_that_they_compile() {
    let cases = [
        (r"^\d{4}-\d{2}$", Some(r"^[0-9]{4}-[0-9]{2}$")),
        (r"^[a-z]+$", Some(r"^[a-z]+$")),
        (r"^a$|^b$", Some(r"^(a|b)$")),
        (r"\S", None),
        (r"^(?!con$)[a-z]+$", None),
        (r"^\p{L}+$", None),
    ];
    for (pattern, expected) in cases {
        let parameters = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": pattern, "description": "A name."}}});
        let (_, written) = definition(&ChatCompletions::new(), &parameters);
        let a = &written["properties"]["a"];
        assert_eq!(a.get("pattern").and_then(Value::as_str), expected, "{pattern}");
        let description = match expected {
            Some(_) => "A name.".to_owned(),
            None => format!("A name. (pattern: {})", json!(pattern)),
        };
        assert_eq!(a["description"], json!(description));
        // Anthropic makes no grammar of it. Its server may read the syntax of Python only.
        let (_, written) = definition(&Anthropic::new(), &parameters);
        let is_kept = written["properties"]["a"]["pattern"] == pattern;
        assert_eq!(is_kept, !pattern.contains(r"\p"), "{pattern}");
    }
}

/// Writes to an address.
#[tool]
fn write_to(
    #[arg(schema(pattern = r"^[\w-\.]+@([\w-]+\.)+[\w-]{2,4}$"))] address: String,
    #[arg(schema(pattern = r"^\S+$"))] subject: &str,
) -> String {
    address + subject
}

#[test]
fn the_pattern_of_a_function_stays_on_each_wire() {
    let registry = Registry::new(tools![write_to]).expect("one tool");
    for wire in wires().iter().filter(|wire| !format!("{wire:?}").contains("strict: true")) {
        let (body, report) = request(wire, registry.schemas());
        check_request(wire, &body).unwrap_or_else(|error| panic!("{wire:?}: {error}"));
        let (_, parameters) = written(wire, &body).remove(0);
        let pattern = |name: &str| parameters["properties"][name]["pattern"].clone();
        assert_eq!(pattern("address"), r"^[A-Za-z0-9_.-]+@([A-Za-z0-9_-]+\.)+[A-Za-z0-9_-]{2,4}$");
        assert_eq!(pattern("subject"), r"^[^ \t\n\r]+$");
        assert_eq!(report, [""; 0]);
    }
}

/// The property `v` of the definition for a server with a grammar engine.
fn for_engines(schema: &Value) -> Value {
    let parameters = json!({"type": "object", "properties": {"v": schema}});
    definition(&ChatCompletions::new(), &parameters).1["properties"]["v"].clone()
}

/// llama.cpp: "Unrecognized schema: false"; xgrammar: "Schema 'false' cannot accept any value", "maxLength must be an integer",
/// "Invalid range: empty range"; llguidance: "patternProperty regexes are not disjoint". llama.cpp reads a `$ref` in data
/// as a reference.
#[test]
fn schemas_go_to_engines_without_the_keywords_that_they_reject() {
    let text = json!({"type": "string"});
    let map = |patterns: Value| json!({"type": "object", "patternProperties": patterns});
    let kept =
        [map(json!({"^x-": text})), map(json!({r"^\d+$": text})), map(json!({r"^(0|-?[1-9]\d*)$": text}))];
    for schema in kept {
        assert_eq!(for_engines(&schema), schema);
    }
    for patterns in [
        json!({r"\p{L}": text}),
        json!({"([": text}),
        json!({"x": text, r"^\S+$": text}),
        json!({"^x": false}),
    ] {
        let description = format!("(patternProperties: {patterns})");
        assert_eq!(
            for_engines(&map(patterns.clone())),
            json!({"type": "object", "description": description})
        );
        let mut closed = map(patterns.clone());
        closed["additionalProperties"] = json!(false);
        let description = format!("(patternProperties: {patterns}, additionalProperties: false)");
        assert_eq!(for_engines(&closed), json!({"type": "object", "description": description}));
    }
    let cases = [
        (
            json!({"type": "object", "properties": {"a": text, "b": false}, "required": ["a", "b"]}),
            json!({"type": "object", "properties": {"a": text}, "required": ["a"]}),
        ),
        (json!({"anyOf": [false, text]}), json!({"anyOf": [text]})),
        (json!({"oneOf": [text, false]}), json!({"anyOf": [text]})),
        (
            json!({"type": "array", "prefixItems": [text, false], "items": {"type": "integer"}}),
            json!({"type": "array", "prefixItems": [text], "items": {"type": "integer"}}),
        ),
        (
            json!({"type": "string", "allOf": [false]}),
            json!({"type": "string", "description": "(allOf: [false])"}),
        ),
        (json!({"type": "string", "maxLength": 10.0}), json!({"type": "string", "maxLength": 10})),
        (json!({"type": "string", "default": {"a": [{"$ref": 5}]}, "x-link": {"$ref": "#/x"}}), text.clone()),
        (json!({"enum": [{"$ref": "#/x"}], "type": "object"}), json!({"type": "object"})),
        (
            json!({"type": "integer", "minimum": 3, "maximum": 2}),
            json!({"type": "integer", "description": "(minimum: 3, maximum: 2)"}),
        ),
        (
            json!({"type": "number", "exclusiveMinimum": 3, "exclusiveMaximum": 3}),
            json!({"type": "number", "description": "(exclusiveMinimum: 3, exclusiveMaximum: 3)"}),
        ),
        (
            json!({"type": "integer", "minimum": 2, "maximum": 2}),
            json!({"type": "integer", "minimum": 2, "maximum": 2}),
        ),
    ];
    for (schema, expected) in cases {
        assert_eq!(for_engines(&schema), expected);
    }
}

/// The keys in a text stay, since only the keys of arguments have another form.
#[test]
fn the_schema_of_a_text_has_the_references_and_the_keys_of_the_tool() {
    let content = json!({"$ref": "#/$defs/a b"});
    let text = json!({"type": "string", "contentSchema": content});
    let mut parameters = json!({"type": "object", "properties": {"text": text}, "$defs": {"a b": {"properties": {"in cm": {}}}}});
    let (_, written) = definition(&ChatCompletions::new(), &parameters);
    let reference = written["properties"]["text"]["contentSchema"]["$ref"].as_str().expect("a reference");
    let target = written.pointer(reference.trim_start_matches('#')).expect("a definition");
    assert!(
        reference.starts_with("#/$defs/a_b") && target["properties"] == json!({"in cm": {}}),
        "{written}"
    );
    parameters["$defs"] = json!({});
    parameters["properties"]["text"]["contentSchema"] = json!({"properties": {"in cm": {}}});
    let (_, written) = definition(&Anthropic::new(), &parameters);
    let text = json!({"type": "string", "description": "(contentSchema: {\"properties\":{\"in cm\":{}}})"});
    assert_eq!(written["properties"]["text"], text);
}
