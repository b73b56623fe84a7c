//! The parameters as one object without alternatives.
//!
//! Anthropic: "`input_schema` does not support oneOf, allOf, or anyOf at the top level"
//! (<https://github.com/makenotion/notion-mcp-server/issues/340>). OpenAI: "schema must have type 'object' and not have
//! 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level".

use super::Conversion;
use crate::description::append;
use crate::json::{object, referenced, remove_entry, to_text};
use crate::keywords::{accepts, count_values, names, take_list, unique};
use crate::normalise::merge_unit_variants;
use crate::strict::{NotStrict, infer_type};
use crate::unions::merge_all_of;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// The maximum number of values that references of parts and alternatives add.
const MAX_REFERENCES: usize = 30_000;
/// The maximum length of the list of alternatives in the description.
const MAX_LISTED: usize = 3_000;
/// Parts of `allOf` inside more parts than these are not merged.
const MAX_NESTED_PARTS: usize = 8;

/// Whether a keyword rejects nothing.
pub(super) fn rejects_nothing(keyword: &str) -> bool {
    const ANNOTATIONS: [&str; 8] =
        ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "definitions"];
    let is_identifier = keyword.starts_with('$') && !keyword.ends_with("Ref") && keyword != "$ref";
    is_identifier || ANNOTATIONS.contains(&keyword)
}

/// The rule that merges the alternatives of the root into one object with the properties of all of them. The description of the
/// tool has the requirements of each; the tool validates against the original schema.
pub fn merge_root(conversion: &mut Conversion<'_>) {
    const MERGED: [&str; 6] = ["allOf", "anyOf", "oneOf", "enum", "const", "not"];
    let present: Vec<&str> =
        MERGED.into_iter().filter(|keyword| conversion.root.contains_key(*keyword)).collect();
    if present.is_empty() {
        return;
    }
    let document = Value::Object(conversion.root.clone());
    let own = conversion.root.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut merger = Merger { document, own, ..Merger::default() };
    let mut parts = vec![std::mem::take(&mut conversion.root)];
    let mut position = 0;
    let mut unions = Vec::new();
    let mut known = HashSet::new();
    while position < parts.len() {
        let part = &mut parts[position];
        let inner = take_list(part, "allOf");
        for keyword in ["anyOf", "oneOf"] {
            unions.push((keyword, take_list(part, keyword)));
        }
        merger.part(part, position > 0);
        for part in inner.into_iter().filter(|part| known.insert(part.clone())) {
            parts.push(merger.object(&part, 0));
        }
        position += 1;
    }
    for (keyword, branches) in unions.into_iter().filter(|(_, branches)| !branches.is_empty()) {
        let branches = unique(branches.iter()).into_iter().filter(|branch| **branch != Value::Bool(false));
        let mut branches = branches.map(|branch| merger.object(branch, 0)).collect::<Vec<_>>();
        // Arguments are an object.
        branches.retain(|branch| !branch.contains_key("type") || accepts(branch, "object"));
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
pub fn add_properties(conversion: &mut Conversion<'_>) {
    if !conversion.root.contains_key("properties") {
        conversion.root.insert("properties".to_owned(), json!({}));
        conversion.report("", "the object has `properties`, which the provider requires");
    }
}

/// The merged object while it is collected.
#[derive(Default)]
struct Merger {
    document: Value,
    /// The properties of the root itself.
    own: Map<String, Value>,
    /// The schemas of each property.
    properties: Map<String, Value>,
    /// The references whose properties are collected.
    known: HashSet<String>,
    resolved: usize,
    required: Vec<String>,
    sentences: Vec<String>,
    /// Whether each part and each alternative names all keys. `None` before the first one.
    is_closed: Option<bool>,
    /// The keys that each closed part names; `None` if no part is closed.
    named: Option<HashSet<String>>,
}

impl Merger {
    /// The keywords of a part, with those of the schemas that it refers to, and of its own parts.
    fn object(&mut self, part: &Value, depth: usize) -> Map<String, Value> {
        let mut keywords = part.as_object().cloned().unwrap_or_default();
        while let Some(Value::String(reference)) = remove_entry(&mut keywords, "$ref") {
            let target = referenced(&self.document, &reference).filter(|_| self.resolved < MAX_REFERENCES);
            self.resolved += count_values(target);
            let Some(Value::Object(target)) = target else { continue };
            let is_same = |(keyword, value): (&String, &Value)| {
                rejects_nothing(keyword) || keywords.get(keyword).is_none_or(|known| known == value)
            };
            if target.iter().all(is_same) {
                let target =
                    target.clone().into_iter().filter(|(keyword, _)| !keywords.contains_key(keyword));
                keywords.extend(target.collect::<Map<_, _>>());
            } else if let Value::Array(parts) = keywords.entry("allOf").or_insert_with(|| json!([])) {
                parts.push(target.clone().into());
            }
        }
        let parts =
            keywords.get_mut("allOf").and_then(Value::as_array_mut).filter(|_| depth < MAX_NESTED_PARTS);
        for part in parts.into_iter().flatten().filter(|part| part.is_object()) {
            *part = self.object(part, depth + 1).into();
        }
        merge_all_of(&mut keywords);
        keywords
    }

    /// Adds the root, or a part of `allOf`: all of them apply.
    fn part(&mut self, part: &mut Map<String, Value>, is_inner: bool) {
        self.required.extend(names(part.get("required")));
        self.properties(part);
        if is_closed(part) {
            let is_named = |name: &&String| self.named.as_ref().is_none_or(|named| named.contains(*name));
            let names = properties(part).map(|(name, _)| name).filter(is_named).cloned().collect();
            self.named = Some(names);
        }
        if is_inner {
            self.closes(part);
            self.sentences.extend(description(part).map(str::to_owned));
            self.sentences.extend(rules(rest(part)));
        } else {
            let values = ["enum", "const", "not"]
                .map(|keyword| Some((keyword.to_owned(), remove_entry(part, keyword)?)));
            self.sentences.extend(rules(values.into_iter().flatten()));
        }
    }

    /// Adds alternatives. A property that each of them requires is required.
    fn union(&mut self, keyword: &str, branches: &[Map<String, Value>]) {
        for branch in branches {
            self.closes(branch);
            self.properties(branch);
        }
        let mut required = branches.first().map(|branch| names(branch.get("required"))).unwrap_or_default();
        for branch in branches {
            let required_by_branch: HashSet<String> = names(branch.get("required")).into_iter().collect();
            required.retain(|name| required_by_branch.contains(name));
        }
        self.required.extend(required);
        self.sentences.push(self.list_alternatives(keyword, branches));
    }

    fn closes(&mut self, keywords: &Map<String, Value>) {
        self.is_closed = Some(is_closed(keywords) && self.is_closed.unwrap_or(true));
    }

    /// Adds the properties of a schema, and those of schemas that may apply with it, each once.
    fn properties(&mut self, keywords: &Map<String, Value>) {
        let mut schemas = vec![keywords];
        let mut position = 0;
        while let Some(keywords) = schemas.get(position).copied() {
            position += 1;
            for (name, schema) in properties(keywords) {
                let known = self.properties.entry(name.clone()).or_insert_with(|| json!([]));
                known.as_array_mut().into_iter().for_each(|known| known.push(schema.clone()));
            }
            let lists = ["allOf", "anyOf", "oneOf"].into_iter();
            let lists = lists.filter_map(|keyword| keywords.get(keyword)?.as_array()).flatten();
            let conditional = ["then", "else"].into_iter().filter_map(|keyword| keywords.get(keyword));
            schemas.extend(lists.chain(conditional).filter_map(Value::as_object));
            if let Some(Value::String(reference)) = keywords.get("$ref") {
                let target = referenced(&self.document, reference).and_then(Value::as_object);
                schemas.extend(target.filter(|_| self.known.insert(reference.clone())));
            }
        }
    }

    /// ``The arguments must match exactly one of: `id`; `path` and `name`.`` Empty if all of them require the same properties and
    /// nothing else, since the merged object requires them too.
    fn list_alternatives(&self, keyword: &str, branches: &[Map<String, Value>]) -> String {
        let texts = unique(branches.iter().map(|branch| self.alternative(branch)));
        let (mut texts, is_merged): (Vec<_>, Vec<_>) = texts.into_iter().unzip();
        if texts.len() < 2 && !is_merged.contains(&false) {
            return String::new();
        }
        let count = if keyword == "oneOf" { "exactly one" } else { "at least one" };
        shorten(&mut texts, MAX_LISTED, "alternatives");
        format!("The arguments must match {count} of: {}.", texts.join("; "))
    }

    /// The requirements of one alternative: `` `kind` "circle" and `radius` ``. Whether the merged object has all its rules, if
    /// it is the only one.
    fn alternative(&self, branch: &Map<String, Value>) -> (String, bool) {
        let properties = properties(branch);
        let shown = |name: &String| {
            let schema = branch.get("properties").and_then(|properties| properties.get(name));
            let values = schema.and_then(|schema| schema.get("const").or(schema.get("enum")));
            format!("`{name}`{}", values.map_or_else(String::new, |value| format!(" {}", to_text(value))))
        };
        let required = names(branch.get("required"));
        let fixed = properties.clone().filter(|(_, schema)| schema.get("const").is_some());
        let named = unique(required.iter().chain(fixed.map(|(name, _)| name)));
        let mut rest: Map<String, Value> = rest(branch).collect();
        // The merged object has the schema of the root for these.
        let narrowed = properties.clone().filter_map(|(name, schema)| {
            let own = self.own.get(name).filter(|own| !is_unconstrained(own))?;
            let rules = schema.as_object()?.iter().filter(|(keyword, value)| {
                let is_shown = matches!(keyword.as_str(), "const" | "enum") && named.contains(&name);
                !is_shown && !rejects_nothing(keyword) && own.get(*keyword) != Some(value)
            });
            let rules = object(rules.map(|(keyword, value)| (keyword.clone(), value.clone())));
            (!rules.is_empty()).then(|| (name.clone(), rules.into()))
        });
        let narrowed: Map<String, Value> = narrowed.collect();
        if !narrowed.is_empty() {
            rest.insert("properties".to_owned(), narrowed.into());
        }
        let mut texts = vec![named.into_iter().map(shown).collect::<Vec<_>>().join(" and ")];
        if texts[0].is_empty() {
            let optional: Vec<String> = properties.clone().map(|(name, _)| format!("`{name}`")).collect();
            let is_any = optional.is_empty();
            texts[0] =
                if is_any { "any arguments".into() } else { format!("optional {}", optional.join(" and ")) };
        }
        texts.extend(
            description(branch).map(|description| format!("({})", description.trim_end_matches('.'))),
        );
        if is_closed(branch) {
            let named: HashSet<&String> = properties.map(|(name, _)| name).collect();
            let rejected = self.properties.keys().filter(|name| !named.contains(name));
            let others: Vec<String> = rejected.map(|name| format!("`{name}`")).collect();
            if !others.is_empty() {
                texts.push(format!("without {}", others.join(" and ")));
            }
        }
        if !rest.is_empty() {
            texts.push(format!("with {}", to_text(&rest.into())));
        }
        (texts.join(" "), texts.len() == 1)
    }

    /// Completes the root.
    fn finish(self, conversion: &mut Conversion<'_>) {
        let root = &mut conversion.root;
        // A closed part rejects each property that it does not name.
        let is_rejected = |name: &String| self.named.as_ref().is_some_and(|named| !named.contains(name));
        let mut properties = Map::new();
        for (name, schemas) in self.properties {
            let Value::Array(schemas) = schemas else { continue };
            // The schema of the root applies in each alternative.
            let own = self.own.get(&name);
            let schema = match own {
                _ if is_rejected(&name) => continue,
                Some(own) if !is_unconstrained(own) => own.clone(),
                _ => {
                    let mut merged = any_of(unique(schemas.into_iter().filter(|schema| Some(schema) != own)));
                    if let Some(Value::Object(own)) = own {
                        let docs =
                            merged.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
                        merged.extend(own.clone());
                        append(&mut merged, &docs);
                    }
                    merged.into()
                }
            };
            properties.insert(name, schema);
        }
        let required = unique(self.required.iter().filter(|name| !is_rejected(name)).cloned());
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

/// Whether a schema names all keys of its objects.
fn is_closed(keywords: &Map<String, Value>) -> bool {
    keywords.get("additionalProperties") == Some(&Value::Bool(false))
        && !keywords.contains_key("patternProperties")
}

fn properties(keywords: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> + Clone {
    keywords.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn is_unconstrained(schema: &Value) -> bool {
    schema.as_object().is_none_or(|keywords| keywords.keys().all(|keyword| rejects_nothing(keyword)))
}

/// A schema that accepts what any of these accepts. Constants become one list of values.
fn any_of(mut schemas: Vec<Value>) -> Map<String, Value> {
    if schemas.len() < 2 {
        return schemas.pop().and_then(|only| only.as_object().cloned()).unwrap_or_default();
    }
    for keywords in schemas.iter_mut().filter_map(Value::as_object_mut) {
        if keywords.contains_key("const") || keywords.contains_key("enum") {
            remove_entry(keywords, "title");
            infer_type(keywords);
        }
    }
    let mut merged = object([("anyOf".to_owned(), schemas.into())]);
    merge_unit_variants(&mut merged);
    if let Some(Value::Array(values)) = merged.get_mut("enum") {
        *values = unique(values.drain(..));
    }
    merged
}

fn description(keywords: &Map<String, Value>) -> Option<&str> {
    keywords.get("description").and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A sentence with the rules that are not in the merged object.
fn rules(keywords: impl Iterator<Item = (String, Value)>) -> Option<String> {
    let rules = Value::Object(keywords.collect());
    (rules != json!({})).then(|| format!("The arguments must match {}.", to_text(&rules)))
}

/// The rules of a part that are not in the merged object.
fn rest(part: &Map<String, Value>) -> impl Iterator<Item = (String, Value)> {
    const MERGED: [&str; 3] = ["type", "properties", "required"];
    let is_merged = |keyword: &str, value: &Value| match keyword {
        "additionalProperties" => value.is_boolean() || *value == json!({}),
        keyword => MERGED.contains(&keyword) || rejects_nothing(keyword),
    };
    part.iter()
        .filter(move |(keyword, value)| !is_merged(keyword, value))
        .map(|(keyword, value)| (keyword.clone(), value.clone()))
}

/// Leaves out the texts that would exceed a total of `max` bytes, and appends their number: `and 3 other rules`.
pub(super) fn shorten(texts: &mut Vec<String>, max: usize, what: &str) {
    let (mut length, count) = (0, texts.len());
    texts.retain(|text| {
        let is_short = length + text.len() <= max;
        length += if is_short { text.len() } else { 0 };
        is_short
    });
    if texts.len() < count {
        texts.push(format!("and {} other {what}", count - texts.len()));
    }
}
