//! The values inside JSON values.

use serde_json::Value;

/// Each root and all values inside it, with their levels; the level of a root is 1. Without recursion, since a value
/// may be of any depth.
pub fn descendants<'v>(
    roots: impl IntoIterator<Item = &'v Value>,
) -> impl Iterator<Item = (&'v Value, usize)> {
    let mut rest: Vec<(&Value, usize)> = roots.into_iter().map(|root| (root, 1)).collect();
    std::iter::from_fn(move || next(&mut rest))
}

/// Takes the last value, and adds the values inside it.
fn next<'v>(rest: &mut Vec<(&'v Value, usize)>) -> Option<(&'v Value, usize)> {
    let (value, level) = rest.pop()?;
    match value {
        Value::Object(entries) => rest.extend(entries.values().map(|value| (value, level + 1))),
        Value::Array(items) => rest.extend(items.iter().map(|item| (item, level + 1))),
        _ => {}
    }
    Some((value, level))
}
