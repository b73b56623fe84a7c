//! The strict forms of given schemas, and the reasons why a schema has none.

use serde_json::{Value, json};
use tool_runtime::{DynamicTool, Registry};

#[test]
fn optional_properties_can_be_strict() {
    let tool = DynamicTool::new(
        "take",
        "",
        json!({"type": "object", "properties": {"d": {"$ref": "#/$defs/D"}}, "$defs": {"D": {"type": "integer"}}}),
        |_| async { Ok::<_, String>(()) },
    );
    let registry = Registry::builder().dynamic(tool).build().expect("one tool");
    let strict = registry.schemas()[0].openai_strict().expect("it is strict").get();
    assert!(strict.contains(r##""d":{"anyOf":[{"$ref":"#/$defs/D"},{"type":"null"}]}"##), "{strict}");
}

fn take(parameters: &Value) -> Registry {
    let tool = DynamicTool::new("take", "", parameters.clone(), |_| async { Ok::<_, String>(()) });
    Registry::builder().dynamic(tool).build().expect("one tool")
}

#[test]
fn the_reason_why_a_dynamic_tool_cannot_be_strict_is_reported() {
    for (parameters, reason) in [
        (
            json!({"type": "object", "properties": {"a": {"type": "object"}}}),
            "`a` is an object with any keys",
        ),
        (
            json!({"type": "object", "properties": {}, "required": ["z"]}),
            "requires `z`, which is not in its `properties`",
        ),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/D", "type": "integer"}}, "required": ["a"], "$defs": {"D": {"type": "integer"}}}),
            "`a` has `type` next to `$ref`",
        ),
        (json!({"type": "object", "properties": {"a": {"type": "array"}}}), "`a[]` takes any value"),
        (
            json!({"type": "object", "oneOf": [{"properties": {"a": {"type": "null"}}}]}),
            "has `oneOf` at the root",
        ),
    ] {
        let registry = take(&parameters);
        let [schema] = registry.schemas() else { panic!("one tool") };
        for not_strict in [schema.openai_strict().map(|_| ()), schema.anthropic_strict().map(|_| ())] {
            let not_strict = not_strict.expect_err("it is not strict");
            assert!(
                not_strict.iter().any(|not_strict| not_strict.to_string() == reason),
                "{not_strict:?} for {parameters}"
            );
        }
    }
}

/// The parameters of a dynamic tool in Anthropic's form, or the reasons why there is none.
fn anthropic(parameters: &Value) -> Result<Value, Vec<String>> {
    let registry = take(parameters);
    match registry.schemas()[0].anthropic_strict() {
        Ok(form) => Ok(json!(form.parameters)),
        Err(reasons) => Err(reasons.iter().map(ToString::to_string).collect()),
    }
}

#[test]
fn the_anthropic_form_of_a_given_schema_has_only_accepted_keywords() {
    let form = anthropic(&json!({
        "type": "object",
        "properties": {
            "count": {"$ref": "#/definitions/Count", "description": "How many."},
            "size": {"allOf": [{"$ref": "#/$defs/Size"}], "description": "How large.", "default": "s"},
            "mixed": {"type": ["string", "integer", "null"], "format": "date", "minimum": 1},
            "pinned": {"type": "string", "enum": ["a", 1]},
            "listed": {"enum": [null, 2, "b"]},
            "items": {"type": "array", "items": {"oneOf": [{"type": "string", "x-note": true}, {"type": ["null", "boolean"]}]},
                "minItems": 1, "maxItems": 3},
            "whole": {"allOf": [
                {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"type": "object", "properties": {"b": {"type": "string"}}},
            ]},
        },
        "required": ["count"],
        "$defs": {"Size": {"type": "string", "enum": ["s", "l"]}},
        "definitions": {"Count": {"type": "integer", "minimum": 1}},
    }));
    let expected = json!({
        "type": "object",
        "properties": {
            "count": {"anyOf": [{"$ref": "#/$defs/Count"}], "description": "How many."},
            "size": {"anyOf": [{"$ref": "#/$defs/Size"}], "description": "How large. (default: \"s\")"},
            "mixed": {
                "anyOf": [{"type": "string", "format": "date"}, {"type": "integer"}, {"type": "null"}],
                "description": "(minimum: 1)",
            },
            "pinned": {"enum": ["a"]},
            "listed": {"enum": [null, 2, "b"]},
            "items": {
                "type": "array",
                "items": {"anyOf": [
                    {"type": "string", "description": "(x-note: true)"}, {"type": "null"}, {"type": "boolean"},
                ]},
                "minItems": 1,
                "description": "(maxItems: 3)",
            },
            "whole": {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "required": ["a"],
                "additionalProperties": false,
            },
        },
        "required": ["count"],
        "additionalProperties": false,
        "$defs": {"Size": {"enum": ["s", "l"]}, "Count": {"type": "integer", "description": "(minimum: 1)"}},
    });
    assert_eq!(form, Ok(expected));
}

#[test]
fn the_reason_why_there_is_no_anthropic_form_is_reported() {
    let a = |schema: Value| json!({"type": "object", "properties": {"a": schema}});
    let with = |mut schema: Value, keyword: &str, value: Value| {
        schema[keyword] = value;
        schema
    };
    let reference = |name: &str| json!({"$ref": format!("#/$defs/{name}")});
    let list = |name: &str| json!({"type": "array", "items": reference(name)});
    for (parameters, reason) in [
        (a(json!({"$ref": "#"})), "`a` refers to \"#\", which is not one of the definitions"),
        (a(reference("Missing")), "`a` takes any value"),
        (
            with(a(reference("A")), "$defs", json!({"A": list("B"), "B": list("C"), "C": list("B")})),
            "`B` is recursive",
        ),
        (
            with(
                a(reference("A")),
                "definitions",
                json!({"A": {"type": "array", "items": {"$ref": "#/definitions/A"}}}),
            ),
            "`A` is recursive",
        ),
        (
            with(
                with(a(reference("A")), "$defs", json!({"A": {"type": "string"}})),
                "definitions",
                json!({"A": {}}),
            ),
            "`A` is defined twice, in `$defs` and in `definitions`",
        ),
        (a(json!(true)), "`a` takes any value"),
        (a(json!({"enum": [[1]]})), "`a` is an array of any values"),
        (
            a(json!({"allOf": [{"type": "string"}, {"type": "integer"}]})),
            "`a` has `allOf`, which strict schemas do not allow",
        ),
    ] {
        let reasons = anthropic(&parameters).expect_err("it is not strict");
        assert!(reasons.iter().any(|one| one == reason), "{reasons:?} for {parameters}");
    }
}

#[test]
fn the_limits_of_anthropic_schemas_are_enforced() {
    let properties = |count: usize, schema: &Value| {
        let property = |index: usize| (format!("p{index}"), schema.clone());
        (0..count).map(property).collect::<serde_json::Map<_, _>>()
    };
    let optional =
        |count| json!({"type": "object", "properties": properties(count, &json!({"type": "string"}))});
    let unions = |count| {
        let properties = properties(count, &json!({"type": ["string", "integer"]}));
        let required: Vec<&String> = properties.keys().collect();
        json!({"type": "object", "properties": properties, "required": required})
    };
    for (parameters, reason) in [
        (optional(23), None),
        (optional(24), Some("has 24 optional properties, and strict schemas may have at most 23")),
        (unions(15), None),
        (unions(16), Some("has 16 unions, and strict schemas may have at most 15")),
    ] {
        let reasons = anthropic(&parameters).err().unwrap_or_default();
        assert_eq!(reasons, Vec::from_iter(reason));
    }
}

#[test]
fn the_limits_of_strict_schemas_are_enforced() {
    fn objects(depth: usize) -> Value {
        match depth {
            0 => json!({"type": "string"}),
            _ => json!({"type": "object", "properties": {"deeper": objects(depth - 1)}}),
        }
    }
    let properties = |count: usize| -> Value {
        let property = |index: usize| (format!("p{index}"), json!({"type": "string"}));
        json!({"type": "object", "properties": (0..count).map(property).collect::<serde_json::Map<_, _>>()})
    };
    let values = |count: usize, length: usize| -> Value {
        let values: Vec<String> = (0..count).map(|index| format!("{index:0length$}")).collect();
        json!({"type": "object", "properties": {"one": {"type": "string", "enum": values}}, "required": ["one"]})
    };
    for (parameters, reason) in [
        (objects(10), None),
        (objects(11), Some("has 11 levels of nesting, and strict schemas may have at most 10")),
        (properties(5_000), None),
        (properties(5_001), Some("has 5001 properties, and strict schemas may have at most 5000")),
        (values(1_000, 4), None),
        (values(1_001, 4), Some("has 1001 values of enums, and strict schemas may have at most 1000")),
        (values(250, 70), None),
        (
            values(251, 70),
            Some("has 17570 characters of one large enum, and strict schemas may have at most 15000"),
        ),
        (
            values(200, 700),
            Some("has 140003 characters of names and enums, and strict schemas may have at most 120000"),
        ),
    ] {
        let registry = take(&parameters);
        let not_strict = registry.schemas()[0].openai_strict().map_or_else(
            |reasons| reasons.iter().map(ToString::to_string).collect::<Vec<_>>(),
            |_| Vec::new(),
        );
        assert_eq!(not_strict, Vec::from_iter(reason));
    }
}
