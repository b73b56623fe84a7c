//! All values inside of JSON values.

use serde_json::Value;

/// Each value and all that it contains, with its level; 1 for the roots. Without recursion, since a value may be of any depth.
pub(crate) fn descendants<'v>(
    roots: impl IntoIterator<Item = &'v Value>,
) -> impl Iterator<Item = (&'v Value, usize)> {
    let mut rest: Vec<(&Value, usize)> = roots.into_iter().map(|root| (root, 1)).collect();
    std::iter::from_fn(move || {
        let (value, level) = rest.pop()?;
        match value {
            Value::Object(entries) => rest.extend(entries.values().map(|value| (value, level + 1))),
            Value::Array(items) => rest.extend(items.iter().map(|item| (item, level + 1))),
            _ => {}
        }
        Some((value, level))
    })
}
