//! References that stand alone, and cycles of references through optional properties, as the Gemini API requires.

mod cycles;

use super::Conversion;
use crate::json::remove_entry;
use crate::keywords::{each_subschema, make_optional, take_object};
use cycles::Cycles;
use serde_json::{Map, Value, json};

/// The rule that the Gemini API accepts references: a `$ref` has no other keywords next to it, and a cycle passes through an
/// optional property. From the documentation of `responseJsonSchema`: "Cyclic references are unrolled to a limited degree
/// and, as such, may only be used within non-required properties. [..] If `$ref` is set on a sub-schema, no other
/// properties, except for than those starting as a `$`, may be set."
/// (<https://ai.google.dev/api/generate-content#generationconfig>)
///
/// The tool still requires a property that is optional only here.
pub fn separate_references(conversion: &mut Conversion<'_>) {
    let change =
        "each reference stands alone, and a property in a cycle is optional, as the provider requires";
    conversion.replace_root(separated(conversion.root.clone()), change);
}

fn separated(mut root: Map<String, Value>) -> Map<String, Value> {
    let has_properties = root.contains_key("properties");
    let cycles = Cycles::new(&mut root);
    let [mut properties, mut definitions, mut older_definitions] =
        ["properties", "$defs", "definitions"].map(|keyword| take_object(&mut root, keyword));
    for (name, definition) in definitions.iter_mut().chain(&mut older_definitions) {
        separate(definition, &cycles, cycles.definition_cycle(name));
    }
    let mut optional = Vec::new();
    for (name, schema) in &mut properties {
        if separate(schema, &cycles, cycles.property_cycle(name)) {
            optional.push(name.clone());
        }
    }
    each_subschema(&mut root, &mut |schema| {
        separate(schema, &cycles, Cycles::ROOT);
    });
    make_optional(&mut root, &optional);
    wrap_reference(&mut root);
    for (keyword, definitions) in [("$defs", definitions), ("definitions", older_definitions)] {
        if !definitions.is_empty() {
            root.insert(keyword.to_owned(), definitions.into());
        }
    }
    if has_properties {
        root.insert("properties".to_owned(), properties.into());
    }
    root
}

/// Converts a schema inside this node. Returns whether a reference in it is in a cycle with the node.
fn separate(schema: &mut Value, cycles: &Cycles, node: usize) -> bool {
    let Value::Object(keywords) = schema else { return false };
    let reference = keywords.get("$ref").and_then(Value::as_str);
    let mut is_cyclic = reference.is_some_and(|reference| cycles.is_in_cycle(node, reference));
    let mut optional = Vec::new();
    let mut properties = remove_entry(keywords, "properties");
    for (name, schema) in properties.iter_mut().filter_map(Value::as_object_mut).flatten() {
        if separate(schema, cycles, node) {
            optional.push(name.clone());
        }
    }
    each_subschema(keywords, &mut |schema| is_cyclic |= separate(schema, cycles, node));
    keywords.extend(properties.map(|properties| ("properties".to_owned(), properties)));
    make_optional(keywords, &optional);
    wrap_reference(keywords);
    is_cyclic
}

/// Moves a reference with other keywords next to it into a union of one schema.
fn wrap_reference(keywords: &mut Map<String, Value>) {
    if keywords.keys().all(|keyword| keyword.starts_with('$')) {
        return;
    }
    let Some(reference) = remove_entry(keywords, "$ref") else { return };
    let union = if keywords.contains_key("anyOf") { "allOf" } else { "anyOf" };
    let branch = json!({ "$ref": reference });
    match keywords.get_mut(union) {
        Some(Value::Array(branches)) => branches.push(branch),
        _ => drop(keywords.insert(union.to_owned(), json!([branch]))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    fn separated(schema: &Value) -> Value {
        super::separated(schema.as_object().cloned().unwrap_or_default()).into()
    }

    #[test]
    fn a_reference_is_alone() {
        let schema = json!({
            "type": "object",
            "properties": { "from": { "$ref": "#/$defs/stop", "description": "The start." }, "to": { "$ref": "#/$defs/stop" } },
            "required": ["from", "to"],
            "$defs": { "stop": { "type": "string" } },
        });
        let mut expected = schema.clone();
        expected["properties"]["from"] =
            json!({ "anyOf": [{ "$ref": "#/$defs/stop" }], "description": "The start." });
        assert_eq!(separated(&schema), expected);
        let schema =
            json!({ "properties": { "a": { "$ref": "#/$defs/b", "anyOf": [{}] } }, "$defs": { "b": {} } });
        let expected = json!({ "anyOf": [{}], "allOf": [{ "$ref": "#/$defs/b" }] });
        assert_eq!(separated(&schema)["properties"]["a"], expected);
    }

    #[test]
    fn only_properties_in_cycles_become_optional() {
        let schema = json!({
            "type": "object",
            "properties": { "tree": { "$ref": "#/$defs/Tree" }, "again": { "$ref": "#" }, "same": { "$ref": "#/properties/tree" } },
            "required": ["tree", "again", "same"],
            "$defs": {
                "Tree": {
                    "type": "object",
                    "properties": {
                        "label": { "$ref": "#/$defs/Label" },
                        "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } },
                        "next": { "anyOf": [{ "$ref": "#/$defs/Next" }, { "type": "null" }] },
                    },
                    "required": ["label", "children", "next"],
                },
                "Next": { "type": "object", "properties": { "tree": { "$ref": "#/$defs/Tree" } }, "required": ["tree"] },
                "Label": { "type": "string" },
            },
        });
        let separated = separated(&schema);
        assert_eq!(separated["required"], json!(["tree", "same"]));
        assert_eq!(separated["$defs"]["Tree"]["required"], json!(["label"]));
        assert_eq!(separated["$defs"]["Next"].get("required"), None);
    }

    #[test]
    fn a_cycle_that_ends_at_an_optional_property_does_not_continue() {
        let operands = json!({ "type": "object", "properties": { "left": { "$ref": "#/$defs/Expr" } }, "required": ["left"] });
        let add = json!({ "type": "object", "properties": { "Add": operands }, "required": ["Add"] });
        let schema = json!({ "properties": { "a": { "$ref": "#/$defs/Expr" } }, "$defs": { "Expr": { "anyOf": [add, { "type": "number" }] } } });
        let separated = separated(&schema);
        let add = &separated["$defs"]["Expr"]["anyOf"][0];
        assert_eq!(add["required"], json!(["Add"]));
        assert_eq!(add["properties"]["Add"].get("required"), None);
    }

    #[test]
    fn a_long_chain_of_references_is_converted() {
        let definitions: serde_json::Map<String, Value> = (0..20_000)
            .map(|number| {
                let next = json!({ "$ref": format!("#/$defs/d{}", (number + 1) % 20_000) });
                let definition = json!({ "properties": { "next": next }, "required": ["next"] });
                (format!("d{number}"), definition)
            })
            .collect();
        let schema = json!({ "properties": { "a": { "$ref": "#/$defs/d0" } }, "required": ["a"], "$defs": definitions });
        let separated = separated(&schema);
        assert_eq!(separated["required"], json!(["a"]));
        assert_eq!(separated["$defs"]["d7"].get("required"), None);
    }
}
