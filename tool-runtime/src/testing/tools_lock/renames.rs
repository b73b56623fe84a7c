//! Names that go, and the names that come in their place.

use crate::suggest::suggest;
use serde_json::{Map, Value};

/// The product of the numbers of removed and added names up to which renames are searched.
const MAX_PAIRS: usize = 40_000;

/// A tool or a property that only one side has.
pub(super) struct Named<'a> {
    pub(super) name: &'a str,
    /// Its schema with its description, or whatever identifies it.
    pub(super) content: Value,
    /// Its schema without descriptions; `None` if it is too small to identify it.
    pub(super) schema: Option<Value>,
}

/// The pairs of positions of a removed name and the added name in its place: one with an equal schema and description, a
/// similar name, or the only one with an equal schema, in this order.
pub(super) fn renames(removed: &[Named<'_>], added: &[Named<'_>]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    if removed.len() * added.len() > MAX_PAIRS {
        return pairs;
    }
    let content = |removed: &Named<'_>, added: &Named<'_>| removed.content == added.content;
    let schema =
        |removed: &Named<'_>, added: &Named<'_>| removed.schema.is_some() && removed.schema == added.schema;
    pair_unique(removed, added, &content, &mut pairs);
    for (old, named) in removed.iter().enumerate() {
        let free = |position: usize| !pairs.iter().any(|&(_, new)| new == position);
        let names = added.iter().enumerate().filter(|&(position, _)| free(position));
        let nearest = suggest(named.name, names.map(|(_, added)| added.name));
        let position = added.iter().position(|added| Some(added.name) == nearest);
        if let (Some(new), false) = (position, pairs.iter().any(|&(paired, _)| paired == old)) {
            pairs.push((old, new));
        }
    }
    pair_unique(removed, added, &schema, &mut pairs);
    pairs.sort_unstable();
    pairs
}

/// Adds each pair whose names match each other and no other.
fn pair_unique(
    removed: &[Named<'_>],
    added: &[Named<'_>],
    matches: &dyn Fn(&Named<'_>, &Named<'_>) -> bool,
    pairs: &mut Vec<(usize, usize)>,
) {
    let free_old = |position: &usize| !pairs.iter().any(|(old, _)| old == position);
    let free_new = |position: &usize| !pairs.iter().any(|(_, new)| new == position);
    let olds: Vec<_> = removed.iter().enumerate().filter(|(position, _)| free_old(position)).collect();
    let news: Vec<_> = added.iter().enumerate().filter(|(position, _)| free_new(position)).collect();
    let mut found = Vec::new();
    for &(old, before) in &olds {
        let mut candidates = news.iter().filter(|(_, after)| matches(before, after));
        let (Some(&(new, after)), None) = (candidates.next(), candidates.next()) else { continue };
        if olds.iter().filter(|(_, other)| matches(other, after)).count() == 1 {
            found.push((old, new));
        }
    }
    pairs.extend(found);
}

/// The schema without the keywords that describe it.
pub(super) fn without_description(schema: &Value) -> Value {
    match schema {
        Value::Object(keywords) => {
            let constraints = keywords.iter().filter(|(keyword, _)| {
                !matches!(keyword.as_str(), "description" | "title" | "default" | "examples")
            });
            constraints.map(|(keyword, value)| (keyword.clone(), value.clone())).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}
