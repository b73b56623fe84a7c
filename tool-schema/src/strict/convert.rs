//! The conversion of a schema to a strict one, as far as providers agree: every object is closed, every value has a
//! type, and there is no keyword that the server rejects.

use super::NotStrict;
use super::infer_type::infer_type;
use crate::json::{definition_name, remove_entry};
use crate::keywords::{accepts, each_subschema, names, take_object};
use crate::normalise::is_closed_tuple;
use crate::nullable::nullable;
use crate::text::schema_text;
use crate::unions;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// The rules of a provider that the conversion applies to each subschema.
pub struct Rules {
    /// Whether every property must be required, so that the model sends null for an absent one.
    pub requires_all: bool,
    /// Whether a reference may only refer to an entry of `$defs`.
    pub refers_to_definitions: bool,
    /// Adds a missing type, and moves keywords that the server rejects into the description: the model reads them, and
    /// the tool enforces them.
    pub simplify: fn(&mut Map<String, Value>),
}

/// The parameters of a tool while they are converted.
pub struct Parameters {
    /// The schema.
    pub keywords: Map<String, Value>,
    /// The reasons why there is no strict form.
    pub errors: Vec<NotStrict>,
    push_key: PushKey,
}

/// Appends a key to the path of an argument.
pub type PushKey = fn(&mut String, &str);

impl Parameters {
    /// Reads the schema of a tool's parameters.
    ///
    /// # Errors
    ///
    /// It is not the schema of an object.
    pub fn read(parameters: &RawValue, push_key: PushKey) -> Result<Self, Vec<NotStrict>> {
        let keywords: Map<String, Value> = serde_json::from_str(parameters.get()).unwrap_or_default();
        if keywords.get("type").is_none_or(|kind| kind != "object") {
            return Err(vec![NotStrict::new("", "is not the schema of an object")]);
        }
        Ok(Parameters { keywords, errors: Vec::new(), push_key })
    }

    /// Converts the schema, and collects the reasons why it cannot be strict.
    pub fn convert(&mut self, rules: &Rules) {
        let keywords = &mut self.keywords;
        each_subschema(keywords, &mut merge_unions);
        let mut definitions =
            ["$defs", "definitions"].map(|keyword| (keyword, take_object(keywords, keyword)));
        let [(_, known), _] = &definitions;
        let known = known.keys().cloned().collect();
        let mut converter =
            Converter { rules, definitions: known, errors: &mut self.errors, push_key: self.push_key };
        for keyword in ["anyOf", "oneOf", "enum", "const", "not", "$ref"] {
            if keywords.contains_key(keyword) {
                converter.reject("", format!("has `{keyword}` at the root"));
            }
        }
        for (name, definition) in definitions.iter_mut().flat_map(|(_, definitions)| definitions) {
            converter.schema(definition, name);
        }
        remove_annotations(keywords);
        (rules.simplify)(keywords);
        converter.reject_keywords(keywords, "");
        converter.object(keywords, "");
        for (keyword, definitions) in definitions {
            if !definitions.is_empty() {
                keywords.insert(keyword.to_owned(), definitions.into());
            }
        }
    }

    /// The converted schema.
    ///
    /// # Errors
    ///
    /// Every reason why there is none.
    pub fn finish(self) -> Result<Box<RawValue>, Vec<NotStrict>> {
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        schema_text(&self.keywords.into()).map_err(|error| vec![NotStrict::new("", error.to_string())])
    }
}

/// The maximum number of reasons that are collected.
const MAX_ERRORS: usize = 100;

struct Converter<'a> {
    rules: &'a Rules,
    /// The names of the definitions in `$defs`.
    definitions: HashSet<String>,
    errors: &'a mut Vec<NotStrict>,
    push_key: PushKey,
}

impl Converter<'_> {
    fn reject(&mut self, path: &str, reason: impl Into<String>) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(NotStrict::new(path, reason));
        }
    }

    /// Rejects a keyword that nothing else can express; returns whether there is one.
    fn reject_keywords(&mut self, keywords: &Map<String, Value>, path: &str) -> bool {
        let rejected = keywords.keys().find(|keyword| is_rejected(keyword));
        if let Some(keyword) = rejected {
            self.reject(path, format!("has `{keyword}`, which strict schemas do not allow"));
        }
        rejected.is_some()
    }

    fn schema(&mut self, schema: &mut Value, path: &str) {
        let Value::Object(keywords) = schema else {
            return self.reject(path, "takes any value");
        };
        remove_annotations(keywords);
        (self.rules.simplify)(keywords);
        if let Some(reference) = remove_entry(keywords, "$ref") {
            return self.reference(reference, keywords, path);
        }
        if self.reject_keywords(keywords, path) {
            return;
        }
        if let Some(alternatives) = remove_entry(keywords, "anyOf") {
            return self.union(alternatives, keywords, path);
        }
        if accepts(keywords, "object") {
            self.object(keywords, path);
        }
        if accepts(keywords, "array") {
            self.array(keywords, path);
        }
        if !["type", "enum", "const"].iter().any(|keyword| keywords.contains_key(*keyword)) {
            self.reject(path, "takes any value");
        }
    }

    fn object(&mut self, keywords: &mut Map<String, Value>, path: &str) {
        let is_open = |value: &Value| *value != Value::Bool(false);
        if keywords.get("additionalProperties").is_some_and(is_open)
            || keywords.contains_key("patternProperties")
        {
            return self.reject(path, "is a map, whose keys are not fixed");
        }
        if !keywords.contains_key("properties") {
            return self.reject(path, "is an object with any keys");
        }
        let mut required = names(remove_entry(keywords, "required").as_ref());
        let known: HashSet<String> = required.iter().cloned().collect();
        let mut properties = take_object(keywords, "properties");
        if let Some(unknown) = required.iter().find(|name| !properties.contains_key(*name)) {
            self.reject(path, format!("requires `{unknown}`, which is not in its `properties`"));
        }
        for (name, schema) in &mut properties {
            if self.rules.requires_all && !known.contains(name) {
                if let Value::Object(keywords) = schema {
                    infer_type(keywords);
                    nullable(keywords);
                }
                required.push(name.clone());
            }
            let mut path = path.to_owned();
            (self.push_key)(&mut path, name);
            self.schema(schema, &path);
        }
        keywords.insert("properties".to_owned(), properties.into());
        if self.rules.requires_all || !required.is_empty() {
            keywords.insert("required".to_owned(), required.into());
        }
        keywords.insert("additionalProperties".to_owned(), false.into());
    }

    /// Strict schemas do not support tuples: the tool checks the order of the items.
    fn array(&mut self, keywords: &mut Map<String, Value>, path: &str) {
        if keywords.contains_key("prefixItems") && !is_closed_tuple(keywords) {
            return self.reject(path, "has items after those of `prefixItems`");
        }
        remove_entry(keywords, "prefixItems");
        match keywords.get_mut("items") {
            Some(items) => self.schema(items, &format!("{path}[]")),
            None => self.reject(path, "is an array of any values"),
        }
    }

    /// Wraps a `$ref` with a description, which OpenAI's server rejects ("$ref cannot have keywords {'description'}"),
    /// and Anthropic's client removes.
    fn reference(&mut self, reference: Value, keywords: &mut Map<String, Value>, path: &str) {
        let name = reference.as_str().and_then(definition_name);
        if self.rules.refers_to_definitions && name.is_none_or(|name| !self.definitions.contains(&name)) {
            return self.reject(path, format!("refers to {reference}, which is not one of the definitions"));
        }
        if let Some(keyword) = keywords.keys().find(|keyword| *keyword != "description") {
            return self.reject(path, format!("has `{keyword}` next to `$ref`"));
        }
        if keywords.is_empty() {
            keywords.insert("$ref".to_owned(), reference);
        } else {
            keywords.insert("anyOf".to_owned(), json!([{ "$ref": reference }]));
        }
    }

    /// Converts a union. Servers accept only a description next to it.
    fn union(&mut self, alternatives: Value, keywords: &mut Map<String, Value>, path: &str) {
        let Value::Array(branches) = alternatives else { return };
        if let Some(keyword) = keywords.keys().find(|keyword| *keyword != "description") {
            self.reject(path, format!("has `{keyword}` next to alternatives"));
        }
        let mut converted = Vec::new();
        for mut branch in branches {
            self.schema(&mut branch, path);
            let inner = branch.as_object_mut().filter(|keywords| keywords.len() == 1);
            match inner.and_then(|keywords| remove_entry(keywords, "anyOf")) {
                Some(Value::Array(inner)) => converted.extend(inner),
                _ => converted.push(branch),
            }
        }
        keywords.insert("anyOf".to_owned(), converted.into());
    }
}

/// Replaces `oneOf` with `anyOf`, which servers accept, and merges the keywords next to it into its branches.
fn merge_unions(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    each_subschema(keywords, &mut merge_unions);
    unions::replace_one_of(keywords);
    unions::merge_all_of(keywords);
    unions::distribute(keywords);
}

/// Whether servers reject a keyword that nothing else can express.
#[must_use]
pub fn is_rejected(keyword: &str) -> bool {
    const REJECTED: [&[&str]; 5] = [
        &["allOf", "if", "then", "else"],
        &["dependentRequired", "dependentSchemas", "dependencies"],
        &["contains", "minContains", "maxContains"],
        &["unevaluatedProperties", "unevaluatedItems", "additionalItems"],
        &["$dynamicRef", "$recursiveRef"],
    ];
    REJECTED.iter().any(|keywords| keywords.contains(&keyword))
}

/// Removes keywords that are of no use to a model.
fn remove_annotations(keywords: &mut Map<String, Value>) {
    for keyword in ["title", "$schema", "$comment", "deprecated", "readOnly", "writeOnly"] {
        remove_entry(keywords, keyword);
    }
}
