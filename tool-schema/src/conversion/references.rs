//! References to definitions at the root.
//!
//! Engines and providers resolve `#/$defs/name` only: no anchor, no pointer into the properties, no definition of a subschema.
//! A reference that points nowhere makes every request fail
//! (<https://github.com/spring-projects/spring-ai/issues/5888>, <https://github.com/langchain4j/langchain4j/issues/5783>).

use super::Conversion;
use crate::json::{percent_decoded, remove_entry, to_text, unescaped_token};
use crate::keywords::{MAX_COPIED_VALUES, count_values, visit_schemas};
use crate::normalise::plain_name;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

const REASON: &str = "since references refer to definitions at the root";

/// Who reads the converted references.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// It ignores a reference that points nowhere.
    Validator,
    Provider,
    /// llama.cpp does not resolve `#` either.
    Engine,
}

/// The rule that references refer to definitions at the root. One that refers to nothing is left out.
pub fn resolve_references(conversion: &mut Conversion<'_>) {
    resolve(conversion, Reader::Provider);
}

/// The schema that a reference of the root refers to.
pub(super) fn referenced_by_root<'a>(document: &'a Value, reference: &str) -> Option<&'a Value> {
    let mut root = document.as_object()?.clone();
    let target = Resolver::new(&mut root, document, Reader::Provider).target(reference, "")?;
    document.pointer(&target)
}

/// Makes every reference one to a definition at the root, with a name that engines accept.
pub(crate) fn resolve(conversion: &mut Conversion<'_>, reader: Reader) {
    let document = Value::Object(conversion.root.clone());
    let mut root = std::mem::take(&mut conversion.root);
    let mut resolver = Resolver::new(&mut root, &document, reader);
    resolver.schema(&mut root, "", conversion);
    // A definition may refer to others.
    while let Some((target, name)) = resolver.pending.pop() {
        let Some(Value::Object(mut definition)) = document.pointer(&target).cloned() else { continue };
        if target.is_empty() {
            const ROOT_KEYWORDS: [&str; 6] =
                ["$defs", "definitions", "$schema", "$id", "$anchor", "$dynamicAnchor"];
            definition.retain(|keyword, _| !ROOT_KEYWORDS.contains(&keyword.as_str()));
        }
        resolver.schema(&mut definition, &target, conversion);
        conversion.report(&target, format!("it becomes the definition `#/$defs/{name}` too, {REASON}"));
        // Each reference to a definition with another name refers to the copy.
        let renamed = ["$defs", "definitions"].into_iter().find_map(|keyword| {
            let name = target.strip_prefix(&format!("/{keyword}/")).filter(|name| !name.contains('/'))?;
            Some((keyword, unescaped_token(name)))
        });
        if let Some((keyword, old)) = renamed {
            if let Some(Value::Object(definitions)) = root.get_mut(keyword) {
                remove_entry(definitions, &old);
            }
        }
        if let Value::Object(definitions) = root.entry("$defs").or_insert_with(|| Map::new().into()) {
            definitions.insert(name, definition.into());
        }
    }
    if remove_entry(&mut root, "components").is_some() {
        conversion.report("", format!("`components` is left out, {REASON}"));
    }
    conversion.root = root;
}

/// Leaves out the definitions that no reference names, also none in a sentence or in a definition that is left out.
pub(super) fn leave_out_definitions(conversion: &mut Conversion<'_>) {
    const MAX_PASSES: usize = 8;
    (0..MAX_PASSES).all(|_| leave_out_unnamed(conversion));
}

/// Returns whether it has left out a definition.
fn leave_out_unnamed(conversion: &mut Conversion<'_>) -> bool {
    let text = to_text(&conversion.root.clone().into()) + &conversion.sentences.join(" ");
    let is_end = |letter: char| !letter.is_ascii_alphanumeric() && !"$/_-.".contains(letter);
    let used: HashSet<&str> =
        text.split("#/").skip(1).filter_map(|place| place.split(is_end).next()).collect();
    let changes = conversion.changes.len();
    for keyword in ["$defs", "definitions"] {
        let Some(Value::Object(definitions)) = conversion.root.get_mut(keyword) else { continue };
        let count = definitions.len();
        definitions.retain(|name, _| used.contains(&*format!("{keyword}/{name}")));
        if definitions.len() == count && count > 0 {
            continue;
        }
        if definitions.is_empty() {
            remove_entry(&mut conversion.root, keyword);
        }
        conversion.report("", "definitions that no reference names are left out");
    }
    conversion.changes.len() > changes
}

/// Whether the metaschema has a pattern for these identifiers that rejects this one.
fn is_rejected(keyword: &str, text: &str) -> bool {
    let is_rejected_start = |first: char| "-.0123456789".contains(first);
    match keyword {
        "$id" => text.strip_suffix('#').unwrap_or(text).contains('#'),
        _ => text.is_empty() || text.starts_with(is_rejected_start) || plain_name(text) != text,
    }
}

fn ancestors(place: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(place), |place| Some(place.rsplit_once('/')?.0))
}

/// A reference is relative to the schema with an identifier around it.
fn base_of(place: &str, bases: &HashSet<String>) -> String {
    ancestors(place).find(|place| bases.contains(*place)).unwrap_or_default().to_owned()
}

struct Resolver<'a> {
    document: &'a Value,
    reader: Reader,
    has_references: bool,
    /// The places of the schemas with these anchors, as JSON pointers, by their bases and names.
    anchors: HashMap<(String, String), String>,
    /// The places of the schemas with these identifiers.
    ids: HashMap<String, String>,
    /// The places of the schemas with identifiers.
    bases: HashSet<String>,
    /// The names of the definitions that are added, by the places of their schemas.
    names: HashMap<String, String>,
    taken_names: HashSet<String>,
    /// The highest number that was tried for a name.
    number: usize,
    /// The added definitions that are not yet converted: place and name.
    pending: Vec<(String, String)>,
    copied_values: usize,
}

impl<'a> Resolver<'a> {
    /// `root` is the content of the document. It does not change.
    fn new(root: &mut Map<String, Value>, document: &'a Value, reader: Reader) -> Self {
        let (mut anchors, mut ids, mut has_references) = (Vec::new(), Vec::new(), false);
        let (mut known, mut ambiguous) = (HashSet::new(), HashSet::new());
        visit_schemas(root, "", &mut |keywords, place| {
            let text = |keyword: &str| keywords.get(keyword).and_then(Value::as_str);
            has_references |= text("$ref").is_some();
            let dynamic = text("$dynamicAnchor").map(str::to_owned);
            ambiguous.extend(dynamic.filter(|name| !known.insert(name.clone())));
            let names = ["$anchor", "$dynamicAnchor"].into_iter().filter_map(text);
            anchors.extend(names.map(|name| (name.to_owned(), place.to_owned())));
            // `id` is that of draft 4. Until draft 7, an identifier may also be an anchor.
            for id in ["$id", "id"].into_iter().filter_map(text) {
                let (id, anchor) = id.split_once('#').unwrap_or((id, ""));
                for (found, name) in [(&mut ids, id), (&mut anchors, anchor)] {
                    if !name.is_empty() {
                        found.push((name.to_owned(), place.to_owned()));
                    }
                }
            }
        });
        // The first of several with one name, which comes last, is the one that counts.
        let ids: HashMap<_, _> = ids.into_iter().rev().collect();
        let bases = ids.values().cloned().collect();
        // Which of several a reference means depends on the references that lead to it.
        anchors.retain(|(anchor, _)| !ambiguous.contains(anchor));
        // A generator may refer to an anchor in another schema.
        anchors.sort_by_key(|(_, place)| !base_of(place, &bases).is_empty());
        let by_base = |(anchor, place): (String, String)| {
            [base_of(&place, &bases), String::new()].map(|base| ((base, anchor.clone()), place.clone()))
        };
        let anchors = anchors.into_iter().rev().flat_map(by_base).collect();
        Resolver {
            document,
            reader,
            has_references,
            anchors,
            ids,
            bases,
            names: HashMap::new(),
            taken_names: HashSet::new(),
            number: 1,
            pending: Vec::new(),
            copied_values: 0,
        }
    }

    /// Converts the references of the schema at this place.
    fn schema(&mut self, schema: &mut Map<String, Value>, place: &str, conversion: &mut Conversion<'_>) {
        visit_schemas(schema, place, &mut |keywords, place| {
            // Each reference to one of them refers to the root then.
            let is_unused = !place.is_empty() && self.has_references;
            for keyword in ["$defs", "definitions", "$id", "$anchor", "$dynamicAnchor"] {
                let is_removed = keywords.get(keyword).is_some_and(|value| match value {
                    Value::String(text) => is_unused || is_rejected(keyword, text),
                    value => is_unused && value.is_object(),
                });
                if is_removed {
                    remove_entry(keywords, keyword);
                    conversion.report(place, format!("`{keyword}` is left out, {REASON}"));
                }
            }
            let Some(Value::String(reference)) = keywords.get("$ref") else { return };
            match self.converted(reference, place) {
                Some(converted) if converted == *reference => {}
                Some(converted) => {
                    conversion.report(
                        place,
                        format!("the reference `{reference}` becomes `{converted}`, {REASON}"),
                    );
                    keywords.insert("$ref".to_owned(), converted.into());
                }
                None if self.reader == Reader::Validator => {}
                None => {
                    let change =
                        format!("the reference `{reference}` is left out, since it refers to no schema");
                    conversion.report(place, change);
                    remove_entry(keywords, "$ref");
                }
            }
        });
    }

    /// The reference to a definition at the root; `None` for a reference that refers to no schema.
    fn converted(&mut self, reference: &str, place: &str) -> Option<String> {
        let target = self.target(reference, place)?;
        let name = target.strip_prefix("/$defs/").or_else(|| target.strip_prefix("/definitions/"));
        let is_root = target.is_empty() && self.reader != Reader::Engine;
        if is_root || name.is_some_and(|name| plain_name(name) == name) {
            return Some(format!("#{target}"));
        }
        if let Some(name) = self.names.get(&target) {
            return Some(format!("#/$defs/{name}"));
        }
        let schema = self.document.pointer(&target)?;
        self.copied_values += count_values([schema]);
        if self.copied_values > MAX_COPIED_VALUES {
            return None;
        }
        let name = self.new_name(&target);
        self.names.insert(target.clone(), name.clone());
        self.taken_names.insert(name.clone());
        let reference = format!("#/$defs/{name}");
        self.pending.push((target, name));
        Some(reference)
    }

    /// The place of the schema that a reference at this place refers to.
    fn target(&self, reference: &str, place: &str) -> Option<String> {
        let is_schema = |place: &String| self.document.pointer(place).is_some_and(Value::is_object);
        let decoded = percent_decoded(reference);
        let (base, fragment) = decoded.split_once('#').unwrap_or((&decoded, ""));
        let base = match base {
            "" => base_of(place, &self.bases),
            // A name alone is that of a definition.
            name => self.identified(name).or_else(|| Some(format!("/$defs/{name}")).filter(is_schema))?,
        };
        if !fragment.is_empty() && !fragment.starts_with('/') {
            let anchors = [base, String::new()].map(|base| self.anchors.get(&(base, fragment.to_owned())));
            return anchors.into_iter().flatten().next().cloned();
        }
        let target = [format!("{base}{fragment}"), fragment.to_owned()].into_iter().find(is_schema);
        target.or_else(|| {
            let name = fragment.strip_prefix("/$defs/").or_else(|| fragment.strip_prefix("/definitions/"))?;
            // A generator put the definitions next to the reference.
            let places = ancestors(place).flat_map(|ancestor| {
                ["$defs", "definitions"].map(|keyword| format!("{ancestor}/{keyword}/{name}"))
            });
            places.into_iter().find(is_schema)
        })
    }

    /// The place of the schema with this identifier, which may be relative.
    fn identified(&self, id: &str) -> Option<String> {
        let id = id.trim_start_matches(['.', '/']);
        let is_same =
            |known: &str| known.strip_suffix(id).is_some_and(|base| base.is_empty() || base.ends_with('/'));
        let known = self.ids.iter().filter(|(known, _)| is_same(known)).min();
        known.map(|(_, place)| place.clone())
    }

    /// A name for the definition of the schema at this place, which no other definition has.
    fn new_name(&mut self, place: &str) -> String {
        let last = place.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or("arguments");
        let name = plain_name(&unescaped_token(last));
        let mut unique = name.clone();
        while self.is_taken(&unique) {
            // Numbers are not tried again for another name, so that the time stays linear.
            self.number += 1;
            unique = format!("{name}_{}", self.number);
        }
        unique
    }

    fn is_taken(&self, name: &str) -> bool {
        let is_defined = |keyword: &str| self.document.pointer(&format!("/{keyword}/{name}")).is_some();
        is_defined("$defs") || is_defined("definitions") || self.taken_names.contains(name)
    }
}
