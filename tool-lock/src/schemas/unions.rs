//! Unions: `anyOf` and `oneOf`.

use super::{Comparison, Schema};
use crate::change::Direction;
use crate::json_type::{JsonType, type_names};
use crate::line_diff::{json_diff, sorted_text};
use crate::location::Location;
use crate::references::definition_name;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The alternatives of a union.
struct Union<'a> {
    alternatives: Vec<Schema<'a>>,
    /// Whether a value may match several alternatives. `oneOf` rejects it then, so that each change may reject values.
    may_overlap: bool,
    /// Whether no other keyword constrains the values.
    is_alone: bool,
}

fn union(schema: Schema<'_>) -> Option<Union<'_>> {
    let (keyword, is_one_of) = if schema.get("anyOf").is_some() { ("anyOf", false) } else { ("oneOf", true) };
    let alternatives: Vec<_> = schema.array(keyword)?.iter().map(|value| schema.inner(value)).collect();
    let may_overlap = is_one_of && !are_exclusive(&alternatives);
    Some(Union { alternatives, may_overlap, is_alone: schema.constraints().count() == 1 })
}

/// Whether a value can match only one alternative, since each lists other values, or has another tag.
fn are_exclusive(alternatives: &[Schema<'_>]) -> bool {
    let keys: Vec<_> = alternatives.iter().map(|schema| key(schema.resolved())).collect();
    let is_new = |(index, key): (usize, &Option<_>)| {
        key.is_some() && !keys.iter().take(index).any(|known| known == key)
    };
    let [Some((first, _)), ..] = &*keys else { return false };
    keys.iter().all(|key| key.as_ref().is_some_and(|(tag, _)| tag == first))
        && keys.iter().enumerate().all(is_new)
}

/// The name of a tag and its value; no name for the value itself.
fn key(schema: Schema<'_>) -> Option<(Option<&str>, &Value)> {
    if let Some([value]) = schema.values() {
        // `1` and `1.0` are the same value in a schema.
        return Some((None, value)).filter(|_| !value.is_f64());
    }
    let properties = schema.object("properties")?.iter();
    let mut tags = properties.filter(|(name, _)| schema.requires(name) && schema.has_only(JsonType::Object));
    tags.find_map(|(name, property)| Some((Some(&**name), property.get("const")?)))
}

impl Comparison {
    /// Compares unions. Returns true if nothing else needs to be compared.
    pub(super) fn compare_unions(&mut self, old: Schema<'_>, new: Schema<'_>, at: &Location) -> bool {
        let single = |schema| Union { alternatives: vec![schema], may_overlap: false, is_alone: true };
        match (union(old), union(new)) {
            (None, None) => false,
            (Some(before), Some(after)) => {
                self.compare_alternatives(&before, &after, at);
                before.is_alone && after.is_alone
            }
            (None, Some(after)) if after.is_alone => {
                self.compare_alternatives(&single(old), &after, at);
                true
            }
            (Some(before), None) if before.is_alone => {
                self.compare_alternatives(&before, &single(new), at);
                true
            }
            (None, Some(_)) => {
                self.push(Direction::Incompatible, format!("{at}: a choice of alternatives is added"));
                false
            }
            (Some(_), None) => {
                self.push(Direction::Incompatible, format!("{at}: a choice of alternatives is removed"));
                false
            }
        }
    }

    fn compare_alternatives(&mut self, old: &Union<'_>, new: &Union<'_>, at: &Location) {
        let outer = self.is_in_one_of;
        self.is_in_one_of |= old.may_overlap || new.may_overlap;
        let (mut rest_old, mut rest_new) = (old.alternatives.clone(), new.alternatives.clone());
        // Null needs no name for the other alternative.
        let values = |union: &Union<'_>| {
            union.alternatives.iter().filter(|schema| !schema.resolved().has_only(JsonType::Null)).count()
        };
        let is_named = values(old).max(values(new)) > 1;
        for (before, after) in take_partners(&mut rest_old, &mut rest_new) {
            let name = label(before);
            // The path names its only property.
            let is_named = is_named && before.resolved().property(&name).is_none();
            let inside = if is_named { at.with(&format!("({name})")) } else { at.clone() };
            self.compare(before, after, &inside);
        }
        for schema in rest_old {
            let line = format!("{at}: the alternative `{}` is removed", label(schema));
            self.push_diff(Direction::Narrower, line, diff(Some(schema), None));
        }
        for schema in rest_new {
            let line = format!("{at}: the alternative `{}` is new", label(schema));
            self.push_diff(Direction::Wider, line, diff(None, Some(schema)));
        }
        self.is_in_one_of = outer;
    }
}

fn diff(old: Option<Schema<'_>>, new: Option<Schema<'_>>) -> Vec<String> {
    let value = |schema: Option<Schema<'_>>| {
        Some(schema?.value.clone()).filter(|value| *value != serde_json::json!({ "type": "null" }))
    };
    json_diff(value(old).as_ref(), value(new).as_ref())
}

/// Takes the forms of the same alternative from both lists: equal ones, then those of which each is the only one with its
/// label.
fn take_partners<'a>(old: &mut Vec<Schema<'a>>, new: &mut Vec<Schema<'a>>) -> Vec<(Schema<'a>, Schema<'a>)> {
    let mut partners = Vec::new();
    take_equal(old, new, |schema| sorted_text(schema.value.clone()), false, &mut partners);
    take_equal(old, new, label, true, &mut partners);
    partners
}

/// Takes pairs with an equal key. `is_unique`: only those whose key no other alternative has.
fn take_equal<'a>(
    old: &mut Vec<Schema<'a>>,
    new: &mut Vec<Schema<'a>>,
    key: fn(Schema<'_>) -> String,
    is_unique: bool,
    partners: &mut Vec<(Schema<'a>, Schema<'a>)>,
) {
    let positions = |schemas: &[Schema<'a>]| {
        let mut positions: HashMap<String, Vec<usize>> = HashMap::new();
        for (position, schema) in schemas.iter().enumerate() {
            positions.entry(key(*schema)).or_default().push(position);
        }
        positions
    };
    let (olds, news) = (positions(old), positions(new));
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (key, olds) in &olds {
        let Some(news) = news.get(key) else { continue };
        if !is_unique || (olds.len() == 1 && news.len() == 1) {
            pairs.extend(olds.iter().copied().zip(news.iter().copied()));
        }
    }
    pairs.sort_unstable();
    partners.extend(pairs.iter().filter_map(|&(before, after)| Some((*old.get(before)?, *new.get(after)?))));
    let (old_taken, new_taken): (HashSet<usize>, HashSet<usize>) = pairs.into_iter().unzip();
    for (schemas, taken) in [(old, old_taken), (new, new_taken)] {
        let mut positions = 0..;
        schemas.retain(|_| positions.next().is_some_and(|position| !taken.contains(&position)));
    }
}

/// The name of an alternative: its definition or title, its only value or its tag, its only required property, or its type.
fn label(schema: Schema<'_>) -> String {
    const MAX_LABEL: usize = 40;
    let reference = schema.get("$ref").and_then(Value::as_str).and_then(definition_name);
    let title = || schema.annotation("title").and_then(Value::as_str).map(str::to_owned);
    let schema = schema.resolved();
    let tag = || match key(schema)?.1 {
        Value::String(tag) => Some(tag.clone()),
        other => Some(sorted_text(other.clone())),
    };
    let only_required = || match schema.array("required")? {
        [name] => name.as_str().map(str::to_owned),
        _ => None,
    };
    let name = reference.or_else(title).or_else(tag).or_else(only_required);
    let name = name.unwrap_or_else(|| type_names(&schema.types()));
    match name.char_indices().nth(MAX_LABEL) {
        Some((end, _)) => format!("{}..", name.get(..end).unwrap_or_default()),
        None => name,
    }
}
