//! A schema as OpenAI's strict mode takes it: every object closed, every property required, and none of the keywords
//! that it is known to refuse. <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>

mod hints;
mod implied;
mod limits;
mod merge;
mod nullable;

use crate::json::Pairs;
use limits::Limits;
use nullable::nullable;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// Why a tool cannot be strict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotStrict {
    /// As in `stops[].notes`; empty for the parameters as a whole.
    pub(crate) path: String,
    pub(crate) reason: String,
}

/// The parameters of a tool in strict form, or everything that stands against it. The arguments keep their order, which
/// is the order in which a model writes them.
pub(crate) fn parameters(parameters: &RawValue) -> Result<Box<RawValue>, Vec<NotStrict>> {
    let mut strict = Strict { faults: Vec::new(), limits: Limits::default() };
    let written = strict.root(parameters);
    strict.faults.extend(strict.limits.exceeded());
    match written {
        Ok(written) if strict.faults.is_empty() => Ok(written),
        Ok(_) => Err(strict.faults),
        Err(error) => Err(vec![NotStrict { path: String::new(), reason: error.to_string() }]),
    }
}

#[derive(Serialize)]
struct Root {
    properties: super::parameters::Ordered,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

struct Strict {
    faults: Vec<NotStrict>,
    limits: Limits,
}

/// Where a subschema stands.
#[derive(Clone, Copy)]
struct At<'a> {
    path: &'a str,
    /// Objects and lists around it.
    depth: usize,
}

impl Strict {
    fn refuse(&mut self, at: At<'_>, reason: impl Into<String>) {
        self.faults.push(NotStrict { path: at.path.to_owned(), reason: reason.into() });
    }

    fn root(&mut self, parameters: &RawValue) -> serde_json::Result<Box<RawValue>> {
        let at = At { path: "", depth: 0 };
        let mut keywords: Map<String, Value> = serde_json::from_str(parameters.get())?;
        let Pairs(written) = serde_json::from_str(parameters.get())?;
        let order: Vec<String> = match written.iter().find(|(keyword, _)| keyword == "properties") {
            Some((_, properties)) => {
                let Pairs(properties) = serde_json::from_str(properties.get())?;
                properties.into_iter().map(|(name, _)| name.into_owned()).collect()
            }
            None => Vec::new(),
        };
        for keyword in ["anyOf", "oneOf", "enum", "const", "not", "$ref"] {
            if keywords.contains_key(keyword) {
                self.refuse(at, format!("has `{keyword}` at the root"));
            }
        }
        for keyword in ["$defs", "definitions"] {
            for (name, definition) in
                keywords.get_mut(keyword).and_then(Value::as_object_mut).into_iter().flatten()
            {
                self.limits.name(name);
                self.schema(definition, At { path: name, depth: 0 });
            }
        }
        remove_annotations(&mut keywords);
        hints::describe_what_is_not_known(&mut keywords);
        if let Some(keyword) = keywords.keys().find(|keyword| is_refused(keyword)) {
            let reason = format!("has `{keyword}`, which strict schemas may not");
            self.refuse(at, reason);
        }
        self.object(&mut keywords, at);
        let mut properties = take_object(&mut keywords, "properties");
        let ordered =
            order.into_iter().filter_map(|name| properties.remove(&name).map(|schema| (name, schema)));
        to_raw_value(&Root { properties: super::parameters::Ordered(ordered.collect()), rest: keywords })
    }

    fn schema(&mut self, schema: &mut Value, at: At<'_>) {
        let Value::Object(keywords) = schema else {
            return self.refuse(at, "takes any value");
        };
        remove_annotations(keywords);
        self.limits.deepest(at.depth);
        if let Some(values) = keywords.get("enum").and_then(Value::as_array) {
            self.limits.values(values);
        }
        if let Some(constant) = keywords.get("const") {
            self.limits.values(std::slice::from_ref(constant));
        }
        hints::describe_what_is_not_known(keywords);
        if let Some(Value::Array(branches)) = keywords.remove("oneOf") {
            let together = keywords.insert("anyOf".to_owned(), branches.into());
            if together.is_some() {
                self.refuse(at, "has `oneOf` and `anyOf` together");
            }
        }
        if keywords.contains_key("$ref") {
            return self.reference(keywords, at);
        }
        if let Some(keyword) = keywords.keys().find(|keyword| is_refused(keyword)) {
            let reason = format!("has `{keyword}`, which strict schemas may not");
            return self.refuse(at, reason);
        }
        implied::name_type(keywords);
        let admits = |kind: &str| match keywords.get("type") {
            Some(Value::String(only)) => only == kind,
            Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
            _ => false,
        };
        let (is_object, is_array) = (admits("object"), admits("array"));
        if keywords.contains_key("anyOf") {
            return self.alternatives(keywords, at);
        }
        if is_object {
            self.object(keywords, at);
        }
        if is_array {
            self.array(keywords, at);
        }
        if !["type", "enum", "const"].iter().any(|keyword| keywords.contains_key(*keyword)) {
            self.refuse(at, "takes any value");
        }
    }

    fn object(&mut self, keywords: &mut Map<String, Value>, at: At<'_>) {
        let is_open = |value: &Value| *value != Value::Bool(false);
        if keywords.get("additionalProperties").is_some_and(is_open)
            || keywords.contains_key("patternProperties")
        {
            return self.refuse(at, "is a map, whose keys are not known beforehand");
        }
        if !keywords.contains_key("properties") {
            return self.refuse(at, "is an object with any keys");
        }
        let mut required = names(keywords.get("required"));
        let mut properties = take_object(keywords, "properties");
        if let Some(unknown) = required.iter().find(|name| !properties.contains_key(*name)) {
            let reason = format!("requires `{unknown}`, of which it says nothing else");
            self.refuse(at, reason);
        }
        for (name, schema) in &mut properties {
            self.limits.name(name);
            self.limits.properties += 1;
            if !required.contains(name) {
                nullable(schema);
                required.push(name.clone());
            }
            let path = if at.path.is_empty() { name.clone() } else { format!("{}.{name}", at.path) };
            self.schema(schema, At { path: &path, depth: at.depth + 1 });
        }
        keywords.insert("properties".to_owned(), properties.into());
        keywords.insert("required".to_owned(), required.into());
        keywords.insert("additionalProperties".to_owned(), false.into());
    }

    /// A tuple has no place in strict schemas: its entries are told apart when they are decoded.
    fn array(&mut self, keywords: &mut Map<String, Value>, at: At<'_>) {
        if let Some(Value::Array(entries)) = keywords.remove("prefixItems") {
            let mut kinds: Vec<Value> = Vec::new();
            for entry in entries {
                if !kinds.contains(&entry) {
                    kinds.push(entry);
                }
            }
            keywords.insert("items".to_owned(), json!({ "anyOf": kinds }));
        }
        match keywords.get_mut("items") {
            Some(items) => {
                let path = format!("{}[]", at.path);
                self.schema(items, At { path: &path, depth: at.depth + 1 });
            }
            None => self.refuse(at, "is a list of any values"),
        }
    }

    /// "$ref cannot have keywords {'description'}": it goes around it.
    fn reference(&mut self, keywords: &mut Map<String, Value>, at: At<'_>) {
        let Some(reference) = keywords.remove("$ref") else { return };
        let description = keywords.remove("description");
        if let Some(keyword) = keywords.keys().next() {
            let reason = format!("has `{keyword}` beside `$ref`");
            return self.refuse(at, reason);
        }
        match description {
            Some(description) => {
                keywords.insert("anyOf".to_owned(), json!([{ "$ref": reference }]));
                keywords.insert("description".to_owned(), description);
            }
            None => drop(keywords.insert("$ref".to_owned(), reference)),
        }
    }

    /// What stands beside alternatives, as the tag and the common fields of an enum do, goes into each of them.
    fn alternatives(&mut self, keywords: &mut Map<String, Value>, at: At<'_>) {
        let Some(Value::Array(mut branches)) = keywords.remove("anyOf") else { return };
        let description = keywords.remove("description");
        if keywords.contains_key("properties") {
            let shared = std::mem::take(keywords);
            for branch in &mut branches {
                merge::into(branch, &shared);
            }
        }
        keywords.remove("type");
        if let Some(keyword) = keywords.keys().next() {
            let reason = format!("has `{keyword}` beside alternatives");
            self.refuse(at, reason);
        }
        for branch in &mut branches {
            self.schema(branch, at);
        }
        keywords.insert("anyOf".to_owned(), branches.into());
        keywords.extend(description.map(|description| ("description".to_owned(), description)));
    }
}

/// What the server is known to refuse, and what cannot be said in another way.
fn is_refused(keyword: &str) -> bool {
    matches!(
        keyword,
        "allOf"
            | "if"
            | "then"
            | "else"
            | "dependentRequired"
            | "dependentSchemas"
            | "dependencies"
            | "contains"
            | "minContains"
            | "maxContains"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "additionalItems"
    )
}

/// What says nothing to a model, or that the server refuses.
fn remove_annotations(keywords: &mut Map<String, Value>) {
    for keyword in ["title", "default", "$schema", "$comment", "deprecated", "readOnly", "writeOnly"] {
        keywords.remove(keyword);
    }
}

fn take_object(keywords: &mut Map<String, Value>, keyword: &str) -> Map<String, Value> {
    match keywords.remove(keyword) {
        Some(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

fn names(value: Option<&Value>) -> Vec<String> {
    value
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}
