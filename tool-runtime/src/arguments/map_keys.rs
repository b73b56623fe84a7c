//! The keys of maps that are keyed by an enum with documented variants. schemars describes such a map as one with any
//! keys. Building a registry decodes such a map with one wrong key, and reads the names of the variants from serde's
//! error.

use super::ParamSchema;
use crate::json::{descendants, escaped_token, object, to_text};
use serde_json::Value;

/// A value with one wrong key, for a map inside a parameter.
#[derive(Debug)]
pub(crate) struct KeyProbe {
    /// The index of the parameter.
    pub(crate) parameter: usize,
    /// The value, as JSON.
    pub(crate) value: String,
    /// JSON pointer from the parameter's schema to that of the map.
    pointer: String,
}

/// No enum has such a variant.
const WRONG_KEY: &str = "tool_runtime::wrong_key";

/// Names the keys of the maps that are keyed by an enum: first those of outer maps, then those of the maps inside.
/// `decode_errors` decodes the values, and returns the error of each.
pub(crate) fn name_map_keys(
    parameters: &mut [ParamSchema],
    mut decode_errors: impl FnMut(&[KeyProbe]) -> Vec<Option<String>>,
) {
    const MAX_PASSES: usize = 4;
    for _ in 0..MAX_PASSES {
        let probes = key_probes(parameters);
        if probes.is_empty() {
            return;
        }
        let mut has_named = false;
        for (probe, error) in probes.iter().zip(&decode_errors(&probes)) {
            has_named |= error.as_ref().is_some_and(|error| name_keys(parameters, probe, error));
        }
        if !has_named {
            return;
        }
    }
}

/// Returns a probe for each map with any keys, except inside tuples and untagged enums, where the decoder's error is
/// about something else. Recursive types get no probes: their definitions must equal their copies.
fn key_probes(parameters: &[ParamSchema]) -> Vec<KeyProbe> {
    let mut probes = Vec::new();
    for (parameter, schema) in parameters.iter().enumerate() {
        let root =
            Position { parameter, pointer: String::new(), before: String::new(), after: String::new() };
        let has_reference =
            descendants([schema.schema.as_value()]).any(|(value, _)| value.get("$ref").is_some());
        if !has_reference {
            collect(schema.schema.as_value(), &root, &mut probes);
        }
    }
    probes
}

/// Adds the keys of the map to its schema. Returns false if the decoder's error does not list them.
fn name_keys(parameters: &mut [ParamSchema], probe: &KeyProbe, error: &str) -> bool {
    let Some(names) = variant_names(error) else { return false };
    let schema =
        parameters.get_mut(probe.parameter).and_then(|schema| schema.schema.pointer_mut(&probe.pointer));
    let Some(keywords) = schema.and_then(Value::as_object_mut) else { return false };
    let Some(value) = keywords.insert("additionalProperties".to_owned(), false.into()) else { return false };
    let properties = object(names.into_iter().map(|name| (name, value.clone())));
    keywords.insert("properties".to_owned(), properties.into());
    true
}

/// A position in a schema, and the JSON around a value there.
struct Position {
    parameter: usize,
    pointer: String,
    before: String,
    after: String,
}

impl Position {
    fn child(&self, keyword: &str, before: &str, after: &str) -> Self {
        Position {
            parameter: self.parameter,
            pointer: format!("{}/{keyword}", self.pointer),
            before: format!("{}{before}", self.before),
            after: format!("{after}{}", self.after),
        }
    }
}

fn collect(schema: &Value, position: &Position, probes: &mut Vec<KeyProbe>) {
    let Some(keywords) = schema.as_object() else { return };
    let properties = keywords.get("properties").and_then(Value::as_object);
    // The subschemas, each with its pointer and the JSON around a value of it.
    let mut subschemas: Vec<(&Value, String, String, &str)> = Vec::new();
    if let Some(value) = keywords.get("additionalProperties").filter(|value| value.is_object()) {
        if properties.is_none() && !keywords.contains_key("patternProperties") {
            probes.push(KeyProbe {
                parameter: position.parameter,
                value: format!("{}{{\"{WRONG_KEY}\":null}}{}", position.before, position.after),
                pointer: position.pointer.clone(),
            });
        }
        subschemas.push((value, "additionalProperties".to_owned(), "{\"key\":".to_owned(), "}"));
    }
    // The decoder of an internally tagged enum reads the fields only if the tag is there.
    let mut tags = String::new();
    for (name, property) in properties.into_iter().flatten() {
        if let Some(constant) = property.get("const") {
            tags += &[&to_text(&name.as_str().into()), ":", &to_text(constant), ","].concat();
        }
    }
    for (name, property) in properties.into_iter().flatten() {
        let before = format!("{{{tags}{}:", to_text(&name.as_str().into()));
        subschemas.push((property, format!("properties/{}", escaped_token(name)), before, "}"));
    }
    for (pattern, value) in keywords.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
    {
        // A map with integer keys.
        let keyword = format!("patternProperties/{}", escaped_token(pattern));
        subschemas.push((value, keyword, "{\"1\":".to_owned(), "}"));
    }
    if let Some(items) = keywords.get("items") {
        subschemas.push((items, "items".to_owned(), "[".to_owned(), "]"));
    }
    for union in ["oneOf", "anyOf", "allOf"] {
        let branches = keywords.get(union).and_then(Value::as_array);
        for (index, branch) in branches.into_iter().flatten().enumerate() {
            subschemas.push((branch, format!("{union}/{index}"), String::new(), ""));
        }
    }
    for (subschema, keyword, before, after) in subschemas {
        collect(subschema, &position.child(&keyword, &before, after), probes);
    }
}

/// The names in serde's error about a variant: ``unknown variant `x`, expected one of `a`, `b` at line 1 column 7``.
/// <https://docs.rs/serde/1/serde/de/trait.Error.html#method.unknown_variant>
fn variant_names(error: &str) -> Option<Vec<String>> {
    let expected =
        error.strip_prefix("unknown variant `")?.strip_prefix(WRONG_KEY)?.strip_prefix("`, expected ")?;
    let expected = expected.rsplit_once(" at line ").map_or(expected, |(expected, _)| expected);
    let names: Vec<String> = expected.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    // A name with a backtick is split in two, and then the message differs.
    let is_exact = match &quoted[..] {
        [] => false,
        [only] => expected == only,
        [first, second] => expected == format!("{first} or {second}"),
        several => expected == format!("one of {}", several.join(", ")),
    };
    is_exact.then_some(names)
}
