//! Strict schemas, as OpenAI accepts them: every object is closed, every property is required, and there is no keyword
//! that the server rejects. <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>

mod infer_type;
mod limits;

use super::keywords::{each_subschema, names, take_object};
use super::normalise::is_closed_tuple;
use super::nullable::nullable;
use super::parameters::Ordered;
use super::{description, publish};
use crate::json::pairs;
use crate::validator::push_key;
use infer_type::infer_type;
use limits::Limits;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Why a tool cannot be strict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotStrict {
    /// For example `stops[].notes`; empty for the parameters as a whole.
    pub(crate) path: String,
    pub(crate) reason: String,
}

/// Returns the parameters of a tool in strict form, or every reason why there is none. The properties keep their order,
/// in which a model writes the arguments.
pub(crate) fn strict_parameters(parameters: &RawValue) -> Result<Box<RawValue>, Vec<NotStrict>> {
    let mut converter = Converter { errors: Vec::new(), limits: Limits::default() };
    let root = converter.root(parameters);
    converter.errors.extend(converter.limits.exceeded());
    match root {
        Ok(strict) if converter.errors.is_empty() => Ok(strict),
        Ok(_) => Err(converter.errors),
        Err(error) => Err(vec![NotStrict { path: String::new(), reason: error.to_string() }]),
    }
}

#[derive(Serialize)]
struct Root {
    properties: Ordered,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The maximum number of reasons that are collected.
const MAX_ERRORS: usize = 100;

struct Converter {
    errors: Vec<NotStrict>,
    limits: Limits,
}

/// The location of a subschema.
#[derive(Clone, Copy)]
struct Location<'a> {
    path: &'a str,
    /// The number of objects and arrays around it.
    depth: usize,
}

impl Converter {
    fn reject(&mut self, at: Location<'_>, reason: impl Into<String>) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(NotStrict { path: at.path.to_owned(), reason: reason.into() });
        }
    }

    fn root(&mut self, parameters: &RawValue) -> serde_json::Result<Box<RawValue>> {
        let at = Location { path: "", depth: 0 };
        let mut keywords: Map<String, Value> = serde_json::from_str(parameters.get())?;
        each_subschema(&mut keywords, &mut merge_unions);
        let in_order = pairs(parameters.get()).unwrap_or_default();
        let properties = in_order.iter().find(|(keyword, _)| keyword == "properties");
        let properties = properties.and_then(|(_, properties)| pairs(properties)).unwrap_or_default();
        let order: Vec<String> = properties.into_iter().map(|(name, _)| name.into_owned()).collect();
        for keyword in ["anyOf", "oneOf", "enum", "const", "not", "$ref"] {
            if keywords.contains_key(keyword) {
                self.reject(at, format!("has `{keyword}` at the root"));
            }
        }
        for keyword in ["$defs", "definitions"] {
            for (name, definition) in
                keywords.get_mut(keyword).and_then(Value::as_object_mut).into_iter().flatten()
            {
                self.limits.add_name(name);
                self.schema(definition, Location { path: name, depth: 0 });
            }
        }
        remove_annotations(&mut keywords);
        move_to_description(&mut keywords);
        if let Some(keyword) = keywords.keys().find(|keyword| is_rejected(keyword)) {
            let reason = format!("has `{keyword}`, which strict schemas do not allow");
            self.reject(at, reason);
        }
        self.object(&mut keywords, at);
        let mut properties = take_object(&mut keywords, "properties");
        let ordered =
            order.into_iter().filter_map(|name| properties.remove(&name).map(|schema| (name, schema)));
        to_raw_value(&Root { properties: Ordered(ordered.collect()), rest: keywords })
    }

    fn schema(&mut self, schema: &mut Value, at: Location<'_>) {
        let Value::Object(keywords) = schema else {
            return self.reject(at, "takes any value");
        };
        remove_annotations(keywords);
        self.limits.add_depth(at.depth);
        if let Some(values) = keywords.get("enum").and_then(Value::as_array) {
            self.limits.add_values(values);
        }
        if let Some(constant) = keywords.get("const") {
            self.limits.add_values(std::slice::from_ref(constant));
        }
        move_to_description(keywords);
        if keywords.contains_key("$ref") {
            return self.reference(keywords, at);
        }
        if let Some(keyword) = keywords.keys().find(|keyword| is_rejected(keyword)) {
            let reason = format!("has `{keyword}`, which strict schemas do not allow");
            return self.reject(at, reason);
        }
        infer_type(keywords);
        let accepts = |kind: &str| match keywords.get("type") {
            Some(Value::String(only)) => only == kind,
            Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
            _ => false,
        };
        let (is_object, is_array) = (accepts("object"), accepts("array"));
        if keywords.contains_key("anyOf") {
            return self.union(keywords, at);
        }
        if is_object {
            self.object(keywords, at);
        }
        if is_array {
            self.array(keywords, at);
        }
        if !["type", "enum", "const"].iter().any(|keyword| keywords.contains_key(*keyword)) {
            self.reject(at, "takes any value");
        }
    }

    fn object(&mut self, keywords: &mut Map<String, Value>, at: Location<'_>) {
        let is_open = |value: &Value| *value != Value::Bool(false);
        if keywords.get("additionalProperties").is_some_and(is_open)
            || keywords.contains_key("patternProperties")
        {
            return self.reject(at, "is a map, whose keys are not fixed");
        }
        if !keywords.contains_key("properties") {
            return self.reject(at, "is an object with any keys");
        }
        let mut required = names(keywords.get("required"));
        let known: HashSet<String> = required.iter().cloned().collect();
        let mut properties = take_object(keywords, "properties");
        if let Some(unknown) = required.iter().find(|name| !properties.contains_key(*name)) {
            let reason = format!("requires `{unknown}`, which is not in its `properties`");
            self.reject(at, reason);
        }
        for (name, schema) in &mut properties {
            self.limits.add_name(name);
            self.limits.properties += 1;
            if !known.contains(name) {
                if let Value::Object(keywords) = schema {
                    infer_type(keywords);
                    nullable(keywords);
                }
                required.push(name.clone());
            }
            let mut path = at.path.to_owned();
            push_key(&mut path, name);
            self.schema(schema, Location { path: &path, depth: at.depth + 1 });
        }
        keywords.insert("properties".to_owned(), properties.into());
        keywords.insert("required".to_owned(), required.into());
        keywords.insert("additionalProperties".to_owned(), false.into());
    }

    /// Strict schemas do not support tuples: the tool checks the order of the items.
    fn array(&mut self, keywords: &mut Map<String, Value>, at: Location<'_>) {
        if keywords.contains_key("prefixItems") && !is_closed_tuple(keywords) {
            return self.reject(at, "has items after those of `prefixItems`");
        }
        keywords.remove("prefixItems");
        match keywords.get_mut("items") {
            Some(items) => {
                let path = format!("{}[]", at.path);
                self.schema(items, Location { path: &path, depth: at.depth + 1 });
            }
            None => self.reject(at, "is an array of any values"),
        }
    }

    /// Wraps a `$ref` with a description, which the server rejects: "$ref cannot have keywords {'description'}".
    fn reference(&mut self, keywords: &mut Map<String, Value>, at: Location<'_>) {
        let Some(reference) = keywords.remove("$ref") else { return };
        let description = keywords.remove("description");
        if let Some(keyword) = keywords.keys().next() {
            let reason = format!("has `{keyword}` next to `$ref`");
            return self.reject(at, reason);
        }
        match description {
            Some(description) => {
                keywords.insert("anyOf".to_owned(), json!([{ "$ref": reference }]));
                keywords.insert("description".to_owned(), description);
            }
            None => drop(keywords.insert("$ref".to_owned(), reference)),
        }
    }

    /// Converts a union. The server accepts only a description next to it.
    fn union(&mut self, keywords: &mut Map<String, Value>, at: Location<'_>) {
        let Some(Value::Array(mut branches)) = keywords.remove("anyOf") else { return };
        let description = keywords.remove("description");
        if let Some(keyword) = keywords.keys().next() {
            let reason = format!("has `{keyword}` next to alternatives");
            self.reject(at, reason);
        }
        for branch in &mut branches {
            self.schema(branch, at);
        }
        keywords.insert("anyOf".to_owned(), branches.into());
        keywords.extend(description.map(|description| ("description".to_owned(), description)));
    }
}

/// Replaces `oneOf` with `anyOf`, which the server accepts, and merges the keywords next to it into its branches.
fn merge_unions(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    each_subschema(keywords, &mut merge_unions);
    publish::replace_one_of(keywords);
    publish::distribute(keywords);
}

/// Whether the server rejects a keyword that nothing else can express.
fn is_rejected(keyword: &str) -> bool {
    const REJECTED: [&[&str]; 4] = [
        &["allOf", "if", "then", "else"],
        &["dependentRequired", "dependentSchemas", "dependencies"],
        &["contains", "minContains", "maxContains"],
        &["unevaluatedProperties", "unevaluatedItems", "additionalItems"],
    ];
    REJECTED.iter().any(|keywords| keywords.contains(&keyword))
}

/// Removes keywords that are of no use to a model, or that the server rejects.
fn remove_annotations(keywords: &mut Map<String, Value>) {
    for keyword in ["title", "default", "$schema", "$comment", "deprecated", "readOnly", "writeOnly"] {
        keywords.remove(keyword);
    }
}

/// Moves keywords that the server rejects, and formats and patterns that it does not support, into the description: the
/// model reads them, and the tool enforces them.
fn move_to_description(keywords: &mut Map<String, Value>) {
    const LIMITS: [&str; 6] =
        ["minLength", "maxLength", "minProperties", "maxProperties", "uniqueItems", "not"];
    const OPEN_AI_FORMATS: [&str; 9] =
        ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
    let text_of = |keyword: &str| keywords.get(keyword).and_then(Value::as_str);
    let is_unknown_format = text_of("format").is_some_and(|format| !OPEN_AI_FORMATS.contains(&format));
    // Engines do not support lookahead and lookbehind.
    let has_lookaround = text_of("pattern")
        .is_some_and(|pattern| ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| pattern.contains(look)));
    let unknown = [("format", is_unknown_format), ("pattern", has_lookaround)];
    let unknown = unknown.into_iter().filter(|&(_, is_unknown)| is_unknown).map(|(keyword, _)| keyword);
    description::move_keywords(
        keywords,
        &LIMITS.into_iter().chain(["examples", "propertyNames"]).chain(unknown).collect::<Vec<_>>(),
    );
}
