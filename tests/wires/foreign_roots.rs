//! Foreign definitions with alternatives or a reference at the root: the request has one object, and its description the rules.

use crate::foreign_definitions::{definition, request, wires, written};
use serde_json::{Map, Value, json};
use tool_runtime::ToolSchema;
use tool_runtime::wire::{Anthropic, ChatCompletions};

#[test]
fn a_union_at_the_root_is_one_object() {
    let circle = json!({"type": "object", "description": "A round shape.",
        "properties": {"shape": {"const": "circle"}, "radius": {"type": "number"}}, "required": ["shape", "radius"], "additionalProperties": false});
    let square = json!({"type": "object",
        "properties": {"shape": {"const": "square"}, "width": {"type": "number"}}, "required": ["shape", "width"], "additionalProperties": false});
    for wire in wires() {
        let (description, parameters) = definition(&wire, &json!({"oneOf": [circle, square]}));
        assert_eq!(
            description,
            "Takes. The arguments must match exactly one of: `shape` \"circle\" and `radius` (A round shape) \
             without `width`; `shape` \"square\" and `width` without `radius`."
        );
        assert_eq!(
            parameters,
            json!({
                "type": "object",
                "properties": {"shape": {"type": "string", "enum": ["circle", "square"]}, "radius": {"type": "number"}, "width": {"type": "number"}},
                "required": ["shape"],
                "additionalProperties": false,
            })
        );
    }
}

#[test]
fn a_closed_root_gets_no_further_properties() {
    let parameters = json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false,
        "anyOf": [{"required": ["a"]}, {"properties": {"b": {"type": "string"}}, "required": ["b"]}]});
    let (_, written) = definition(&Anthropic::new(), &parameters);
    assert_eq!(
        written,
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false})
    );
}

/// The work grows with the size of a schema, not with the number of paths through it.
#[test]
fn references_inside_alternatives_are_followed_once() {
    let definition_of = |number: usize| match number {
        40 => json!({"properties": {"last": {"type": "string"}}}),
        number => {
            let next = json!({"$ref": format!("#/$defs/D{}", number + 1)});
            json!({"anyOf": [next, next, {"allOf": [next]}]})
        }
    };
    let definitions: Map<String, Value> =
        (0..=40).map(|number| (format!("D{number}"), definition_of(number))).collect();
    let parameters = json!({"type": "object", "anyOf": [{"$ref": "#/$defs/D0"}, {"required": ["a"]}], "$defs": definitions});
    let function = json!({"name": "take", "description": "Takes.", "parameters": parameters});
    let tool: ToolSchema = serde_json::from_value(json!({"type": "function", "function": function}))
        .expect("it is a definition");
    let (body, _) = request(&ChatCompletions::new(), &[tool]);
    let (_, written) = written(&ChatCompletions::new(), &body).remove(0);
    assert_eq!(written["properties"], json!({"last": {"type": "string"}}));
    let all = json!([{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}]);
    let (_, written) =
        definition(&Anthropic::new(), &json!({"type": "object", "properties": {"a": {}}, "anyOf": all}));
    assert_eq!(written, json!({"type": "object", "properties": {"a": {}}}));
}

#[test]
fn a_reference_at_the_root_is_merged_with_the_keywords_next_to_it() {
    let foo = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let next_to_it = json!({"type": "object", "properties": {"limit": {"type": "integer"}}, "required": ["limit"],
        "$ref": "#/definitions/Foo", "definitions": {"Foo": foo}});
    let type_only = json!({"type": "object", "default": {"city": "Rome"}, "$ref": "#/definitions/Foo", "definitions": {"Foo": foo}});
    let nothing = json!({"type": "object", "properties": {"a": {}}, "$recursiveRef": "#"});
    for wire in wires().iter().filter(|wire| !format!("{wire:?}").contains("strict: true")) {
        let (_, written) = definition(wire, &next_to_it);
        let properties = json!({"limit": {"type": "integer"}, "city": {"type": "string"}});
        assert_eq!(
            written,
            json!({"type": "object", "properties": properties, "required": ["limit", "city"]})
        );
        let (_, written) = definition(wire, &type_only);
        let mut expected = foo.clone();
        expected["default"] = json!({"city": "Rome"});
        assert_eq!(written, expected);
        assert_eq!(definition(wire, &nothing).1, json!({"type": "object", "properties": {"a": {}}}));
    }
}

#[test]
fn sentences_about_rules_have_the_written_keys() {
    let parameters = json!({"type": "object", "properties": {"filter[city]": {}, "name": {}},
        "oneOf": [{"required": ["filter[city]"]}, {"required": ["name"]}], "not": {"required": ["filter[city]", "name"]}});
    let (description, written) = definition(&Anthropic::new(), &parameters);
    assert_eq!(written["properties"], json!({"filter_city_": {}, "name": {}}));
    assert_eq!(
        description,
        "Takes. The arguments must match {\"not\":{\"required\":[\"filter_city_\",\"name\"]}}. \
         The arguments must match exactly one of: `filter_city_`; `name`."
    );
    let (description, _) = definition(&ChatCompletions::new(), &parameters);
    assert!(description.ends_with("exactly one of: `filter[city]`; `name`."));
}

#[test]
fn the_description_has_the_rules_of_alternatives() {
    let del = json!({"properties": {"op": {"const": "del", "description": "Deletes."}}, "required": ["op"], "additionalProperties": {"type": "integer"}});
    let add = json!({"properties": {"op": {"const": "add"}}, "required": ["op"]});
    let open = json!({"properties": {"a": {}, "b": {}}});
    let any_of = json!([del, add, open, {"type": "null"}, {"type": "string"}, false]);
    let (description, written) = definition(&Anthropic::new(), &json!({"type": "object", "anyOf": any_of}));
    assert_eq!(
        description,
        "Takes. The arguments must match at least one of: `op` \"del\" with {\"additionalProperties\":{\"type\":\"integer\"}}; \
         `op` \"add\"; optional `a` and `b`."
    );
    assert_eq!(
        written["properties"]["op"],
        json!({"type": "string", "description": "del: Deletes.", "enum": ["del", "add"]})
    );
    // The merged object has all rules of these.
    let id = |kind: &str| json!({"properties": {"id": {"type": kind}}, "required": ["id"]});
    let parameters = json!({"type": "object", "oneOf": [id("string"), id("integer")]});
    assert_eq!(definition(&Anthropic::new(), &parameters).0, "Takes.");
}

#[test]
fn the_rules_in_a_description_have_a_maximum_length() {
    let condition = |number: usize| json!({"if": {"properties": {"kind": {"const": number}}}, "then": {"required": [format!("key_{number}")]}});
    let conditions: Vec<Value> = (0..199).map(condition).collect();
    let (description, _) =
        definition(&Anthropic::new(), &json!({"type": "object", "properties": {}, "allOf": conditions}));
    assert!((3_500..4_500).contains(&description.len()), "{}", description.len());
    assert!(description.ends_with(" other rules"), "{description}");
    let branch = |number: usize| json!({"properties": {format!("key_{number}"): {}}, "required": [format!("key_{number}")]});
    let branches: Vec<Value> = (0..1_000).map(branch).collect();
    let (description, _) = definition(&Anthropic::new(), &json!({"type": "object", "anyOf": branches}));
    assert!((2_500..4_500).contains(&description.len()), "{}", description.len());
    assert!(description.ends_with(" other alternatives."), "{description}");
}

/// Generators of OpenAPI write inheritance in this way.
#[test]
fn alternatives_of_several_parts_have_the_rules_of_all_parts() {
    let part =
        |name: &str| json!({"type": "object", "required": [name], "properties": {name: {"type": "string"}}});
    let inherits = |name: &str| json!({"allOf": [{"$ref": "#/components/schemas/Base"}, part(name)]});
    let parameters = json!({
        "oneOf": [{"$ref": "#/components/schemas/Email"}, {"$ref": "#/components/schemas/Sms"}],
        "components": {"schemas": {"Base": part("to"), "Email": inherits("subject"), "Sms": inherits("text")}},
    });
    let expected = json!({
        "type": "object",
        "required": ["to"],
        "properties": {"to": {"type": "string"}, "subject": {"type": "string"}, "text": {"type": "string"}},
    });
    for wire in wires().iter().filter(|wire| !format!("{wire:?}").contains("strict: true")) {
        let (description, written) = definition(wire, &parameters);
        assert_eq!(
            description,
            "Takes. The arguments must match exactly one of: `to` and `subject`; `to` and `text`."
        );
        assert_eq!(written, expected);
        let names = |schema: &Value| schema["properties"].to_string();
        assert_eq!(names(&written), names(&expected));
    }
}

#[test]
fn the_description_has_the_rules_that_the_merged_object_does_not_have() {
    let alternatives = |parameters: Value| {
        let (description, _) = definition(&Anthropic::new(), &parameters);
        let (_, alternatives) = description.split_once("one of: ").expect("it lists them");
        alternatives.to_owned()
    };
    let requires = |name: &str| json!({"required": [name]});
    // Alternatives inside an alternative.
    let any_of = json!([requires("a"), {"oneOf": [requires("b"), requires("c")]}]);
    assert_eq!(
        alternatives(json!({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "anyOf": any_of})),
        r#"`a`; any arguments with {"oneOf":[{"required":["b"]},{"required":["c"]}]}."#
    );
    let any_of = json!([{"allOf": [requires("a")]}, {"allOf": [requires("b")]}]);
    assert_eq!(
        alternatives(json!({"type": "object", "properties": {"a": {}, "b": {}}, "anyOf": any_of})),
        "`a`; `b`."
    );
    // A property that the root has with another schema.
    let properties = json!({"n": {"type": "integer"}, "unit": {"type": "string"}});
    let small = json!({"properties": {"n": {"maximum": 10}, "unit": {"enum": ["kg"]}}, "required": ["unit"]});
    let large = json!({"properties": {"n": {"minimum": 100}, "unit": {"enum": ["t"]}}, "required": ["unit"]});
    assert_eq!(
        alternatives(json!({"type": "object", "properties": properties, "anyOf": [small, large]})),
        "`unit` [\"kg\"] with {\"properties\":{\"n\":{\"maximum\":10}}}; \
         `unit` [\"t\"] with {\"properties\":{\"n\":{\"minimum\":100}}}."
    );
    // A closed alternative rejects the properties of the others.
    let closed = |names: [&str; 2]| {
        let properties: Map<String, Value> =
            names.map(|name| (name.to_owned(), json!({}))).into_iter().collect();
        json!({"properties": properties, "required": [names[0]], "additionalProperties": false})
    };
    assert_eq!(
        alternatives(json!({"type": "object", "anyOf": [closed(["city", "unit"]), closed(["lat", "unit"])]})),
        "`city` without `lat`; `lat` without `city`."
    );
}

/// Each part applies, so that a closed part rejects the properties of the others.
#[test]
fn a_closed_part_leaves_out_the_properties_of_other_parts() {
    let a =
        json!({"properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
    let b = json!({"properties": {"b": {"type": "string"}}});
    let (_, written) = definition(&Anthropic::new(), &json!({"type": "object", "allOf": [a, b]}));
    assert_eq!(written["properties"], json!({"a": {"type": "string"}}));
}
