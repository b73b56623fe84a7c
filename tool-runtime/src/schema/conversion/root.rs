//! The parameters as one object without alternatives.
//!
//! Anthropic: "`input_schema` does not support oneOf, allOf, or anyOf at the top level"
//! (<https://github.com/makenotion/notion-mcp-server/issues/340>). OpenAI: "schema must have type 'object' and not have
//! 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level".

use super::Conversion;
use crate::json::{referenced, remove_entry, to_text};
use crate::schema::NotStrict;
use crate::schema::keywords::{names, take_object, unique};
use serde_json::{Map, Value, json};

/// The maximum number of parts of `allOf` that are merged, since a part may have parts.
const MAX_PARTS: usize = 200;
/// The maximum depth of alternatives inside alternatives, and of references to references.
const MAX_DEPTH: usize = 20;
/// The maximum number of alternatives that the description lists.
const MAX_LISTED: usize = 30;

/// The rule that merges the alternatives of the root into one object with the properties of all of them. The description of the
/// tool has the requirements of each; the tool validates against the original schema.
pub(crate) fn merge_root(conversion: &mut Conversion) {
    const MERGED: [&str; 6] = ["allOf", "anyOf", "oneOf", "enum", "const", "not"];
    let present: Vec<&str> =
        MERGED.into_iter().filter(|keyword| conversion.root.contains_key(*keyword)).collect();
    if present.is_empty() {
        return;
    }
    let document = Value::Object(conversion.root.clone());
    let mut merger = Merger::new(&document);
    let mut parts = vec![std::mem::take(&mut conversion.root)];
    let mut position = 0;
    let mut unions = Vec::new();
    while position < parts.len().min(MAX_PARTS) {
        let part = &mut parts[position];
        let inner = alternatives(part, "allOf");
        for keyword in ["anyOf", "oneOf"] {
            unions.push((keyword, alternatives(part, keyword)));
        }
        merger.part(part, position > 0);
        parts.extend(inner.iter().map(|part| merger.object(part)));
        position += 1;
    }
    for (keyword, branches) in unions.into_iter().filter(|(_, branches)| !branches.is_empty()) {
        let branches = branches.iter().map(|branch| merger.object(branch)).collect::<Vec<_>>();
        merger.union(keyword, &branches);
    }
    conversion.root = parts.swap_remove(0);
    merger.finish(conversion);
    for keyword in &present {
        conversion.not_strict.push(NotStrict::new("", format!("has `{keyword}` at the root")));
    }
    let present: Vec<String> = present.iter().map(|keyword| format!("`{keyword}`")).collect();
    let change = format!(
        "the object has the properties of all alternatives in {}, which the provider rejects at the root; the description \
         has the rules",
        present.join(", ")
    );
    conversion.report("", change);
}

/// The rule that adds missing properties.
pub(crate) fn add_properties(conversion: &mut Conversion) {
    if !conversion.root.contains_key("properties") {
        conversion.root.insert("properties".to_owned(), json!({}));
        conversion.report("", "the object has `properties`, which the provider requires");
    }
}

fn alternatives(keywords: &mut Map<String, Value>, keyword: &str) -> Vec<Value> {
    match remove_entry(keywords, keyword) {
        Some(Value::Array(alternatives)) => alternatives,
        _ => Vec::new(),
    }
}

/// The merged object while it is collected.
struct Merger<'a> {
    document: &'a Value,
    /// The different schemas of each property, in the order of the properties.
    properties: Vec<(String, Vec<Value>)>,
    required: Vec<String>,
    sentences: Vec<String>,
    /// Whether each part and each alternative names all keys. `None` before the first one.
    is_closed: Option<bool>,
}

impl<'a> Merger<'a> {
    fn new(document: &'a Value) -> Self {
        let (properties, required, sentences) = (Vec::new(), Vec::new(), Vec::new());
        Merger { document, properties, required, sentences, is_closed: None }
    }

    /// The keywords of a part, with those of the schema that it refers to.
    fn object(&self, part: &Value) -> Map<String, Value> {
        let mut keywords = part.as_object().cloned().unwrap_or_default();
        for _ in 0..MAX_DEPTH {
            let Some(Value::String(reference)) = remove_entry(&mut keywords, "$ref") else { break };
            let target = referenced(self.document, &reference).and_then(Value::as_object);
            for (keyword, value) in target.into_iter().flatten() {
                keywords.entry(keyword.clone()).or_insert_with(|| value.clone());
            }
        }
        keywords
    }

    /// Adds the root, or a part of `allOf`: all of them apply.
    fn part(&mut self, part: &mut Map<String, Value>, is_inner: bool) {
        self.required.extend(names(part.get("required")));
        self.properties(part, 0);
        if is_inner {
            self.closes(part);
            self.sentences.extend(description(part).map(str::to_owned));
            self.sentences.extend(rules(rest(part)));
        } else {
            let values = ["enum", "const", "not"].into_iter();
            let values =
                values.filter_map(|keyword| Some((keyword.to_owned(), remove_entry(part, keyword)?)));
            self.sentences.extend(rules(values));
        }
    }

    /// Adds alternatives. A property that each of them requires is required.
    fn union(&mut self, keyword: &str, branches: &[Map<String, Value>]) {
        for branch in branches {
            self.closes(branch);
            self.properties(branch, 0);
        }
        let requires =
            |branch: &Map<String, Value>, name: &String| names(branch.get("required")).contains(name);
        let first = branches.first().map(|branch| names(branch.get("required"))).unwrap_or_default();
        self.required
            .extend(first.into_iter().filter(|name| branches.iter().all(|branch| requires(branch, name))));
        self.sentences.push(list_alternatives(keyword, branches));
    }

    fn closes(&mut self, keywords: &Map<String, Value>) {
        let is_closed = keywords.get("additionalProperties") == Some(&Value::Bool(false));
        self.is_closed = Some(is_closed && self.is_closed.unwrap_or(true));
    }

    /// Adds the properties of a schema, and those of schemas that may apply with it.
    fn properties(&mut self, keywords: &Map<String, Value>, depth: usize) {
        for (name, schema) in keywords.get("properties").and_then(Value::as_object).into_iter().flatten() {
            match self.properties.iter_mut().find(|(known, _)| known == name) {
                Some((_, schemas)) if schemas.contains(schema) => {}
                Some((_, schemas)) => schemas.push(schema.clone()),
                None => self.properties.push((name.clone(), vec![schema.clone()])),
            }
        }
        if depth == MAX_DEPTH {
            return;
        }
        let lists =
            ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|keyword| keywords.get(keyword)?.as_array());
        let conditional = ["then", "else"].into_iter().filter_map(|keyword| keywords.get(keyword));
        for inner in lists.flatten().chain(conditional) {
            self.properties(&self.object(inner), depth + 1);
        }
    }

    /// Completes the root.
    fn finish(self, conversion: &mut Conversion) {
        let root = &mut conversion.root;
        let own = take_object(root, "properties");
        // A closed root rejects each property that it does not name.
        let is_root_closed = root.get("additionalProperties") == Some(&Value::Bool(false));
        let mut properties = Map::new();
        for (name, mut schemas) in self.properties {
            // The schema of the root applies in each alternative.
            let own = own.get(&name);
            let schema = match own {
                Some(own) if !is_unconstrained(own) => own.clone(),
                None if is_root_closed => continue,
                _ => {
                    schemas.retain(|schema| Some(schema) != own);
                    if schemas.is_empty() { own.cloned().unwrap_or_default() } else { any_of(schemas) }
                }
            };
            properties.insert(name, schema);
        }
        let required =
            unique(self.required.into_iter().filter(|name| properties.contains_key(name) || !is_root_closed));
        root.insert("properties".to_owned(), properties.into());
        if !required.is_empty() {
            root.insert("required".to_owned(), required.into());
        }
        if self.is_closed == Some(true) {
            root.entry("additionalProperties").or_insert_with(|| false.into());
        }
        conversion.sentences.extend(self.sentences.into_iter().filter(|sentence| !sentence.is_empty()));
    }
}

fn is_unconstrained(schema: &Value) -> bool {
    schema
        .as_object()
        .is_none_or(|keywords| keywords.keys().all(|keyword| keyword == "description" || keyword == "title"))
}

/// A schema that accepts what any of these accepts. Constants become one list of values.
fn any_of(mut schemas: Vec<Value>) -> Value {
    if schemas.len() == 1 {
        return schemas.swap_remove(0);
    }
    let constant = |schema: &Value| {
        let keywords = schema.as_object()?;
        let is_known = |keyword: &String| {
            matches!(keyword.as_str(), "const" | "enum" | "type" | "description" | "title")
        };
        let values = match (keywords.get("const"), keywords.get("enum").and_then(Value::as_array)) {
            (Some(value), None) => vec![value.clone()],
            (None, Some(values)) => values.clone(),
            _ => return None,
        };
        keywords.keys().all(is_known).then_some(values)
    };
    match schemas.iter().map(constant).collect::<Option<Vec<_>>>() {
        Some(values) => {
            let mut merged = json!({ "enum": unique(values.into_iter().flatten()) });
            let kind = schemas[0]
                .get("type")
                .filter(|kind| schemas.iter().all(|schema| schema.get("type") == Some(kind)));
            if let (Some(kind), Some(merged)) = (kind, merged.as_object_mut()) {
                merged.insert("type".to_owned(), kind.clone());
            }
            merged
        }
        None => json!({ "anyOf": schemas }),
    }
}

fn description(keywords: &Map<String, Value>) -> Option<&str> {
    keywords.get("description").and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A sentence with the rules that are not in the merged object.
fn rules(keywords: impl Iterator<Item = (String, Value)>) -> Option<String> {
    let rules = Value::Object(keywords.collect());
    (rules != json!({})).then(|| format!("The arguments must match {}.", to_text(&rules)))
}

/// The keywords of a part that are not in the merged object.
fn rest(part: &Map<String, Value>) -> impl Iterator<Item = (String, Value)> {
    part.iter()
        .filter(|(keyword, _)| !is_merged(keyword))
        .map(|(keyword, value)| (keyword.clone(), value.clone()))
}

/// Whether a keyword of a part is in the merged object, or is no rule.
fn is_merged(keyword: &str) -> bool {
    const COMBINED: [&str; 7] =
        ["type", "properties", "required", "additionalProperties", "allOf", "anyOf", "oneOf"];
    const NO_RULES: [&[&str]; 2] = [
        &["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"],
        &["$schema", "$id", "$anchor", "$dynamicAnchor", "$comment", "$defs", "definitions"],
    ];
    COMBINED.contains(&keyword) || NO_RULES.iter().any(|keywords| keywords.contains(&keyword))
}

/// `Pass exactly one of: `id`; `path` and `name`.`
fn list_alternatives(keyword: &str, branches: &[Map<String, Value>]) -> String {
    let mut texts = unique(branches.iter().map(alternative));
    let omitted = texts.len().saturating_sub(MAX_LISTED);
    texts.truncate(MAX_LISTED);
    if omitted > 0 {
        texts.push(format!("{omitted} others"));
    }
    let count = if keyword == "oneOf" { "exactly one" } else { "at least one" };
    format!("The arguments must match {count} of: {}.", texts.join("; "))
}

/// The requirements of one alternative: `` `kind` "circle" and `radius` ``.
fn alternative(branch: &Map<String, Value>) -> String {
    let schema = |name: &str| branch.get("properties").and_then(|properties| properties.get(name));
    let value = |name: &str| {
        let values = schema(name).and_then(|schema| schema.get("const").or(schema.get("enum")));
        values.map_or_else(String::new, |value| format!(" {}", to_text(value)))
    };
    let required = names(branch.get("required"));
    let fixed = branch.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let fixed = fixed.filter(|name| schema(name).is_some_and(|schema| schema.get("const").is_some()));
    let shown = unique(required.iter().chain(fixed));
    let shown: Vec<String> = shown.into_iter().map(|name| format!("`{name}`{}", value(name))).collect();
    let mut texts = vec![if shown.is_empty() { "any arguments".to_owned() } else { shown.join(" and ") }];
    texts.extend(description(branch).map(|description| format!("({})", description.trim_end_matches('.'))));
    let rest = Value::Object(rest(branch).collect());
    if rest != json!({}) {
        texts.push(format!("with {}", to_text(&rest)));
    }
    texts.join(" ")
}
