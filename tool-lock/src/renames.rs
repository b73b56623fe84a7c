//! Removed and added names that are probably renames.

use super::similar_name::similar_name;
use serde_json::{Map, Value};

/// A tool or a property that only one side has.
pub(super) struct Named {
    pub(super) name: String,
    /// A value that only the same tool or property has, such as its schema; `None` if nothing identifies it.
    pub(super) identity: Option<Value>,
}

/// The pairs of a removed name and the added name in its place: a similar one, or the only one with the same identity.
pub(super) fn renames(mut removed: Vec<Named>, mut added: Vec<Named>) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    removed.retain(|old| {
        let nearest = similar_name(&old.name, added.iter().map(|new| &*new.name)).map(str::to_owned);
        let Some(index) = added.iter().position(|new| Some(&new.name) == nearest.as_ref()) else {
            return true;
        };
        pairs.push((old.name.clone(), added.remove(index).name));
        false
    });
    for old in &removed {
        let equal = |other: &&Named| old.identity.is_some() && other.identity == old.identity;
        let mut found = added.iter().filter(equal);
        if let (Some(new), None, 1) = (found.next(), found.next(), removed.iter().filter(equal).count()) {
            pairs.push((old.name.clone(), new.name.clone()));
        }
    }
    pairs
}

/// The schema without the keywords that describe it.
pub(super) fn without_description(schema: &Value) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    let is_constraint = |keyword: &str| !matches!(keyword, "description" | "title" | "default" | "examples");
    let constraints = keywords.iter().filter(|(keyword, _)| is_constraint(keyword));
    constraints.map(|(keyword, value)| (keyword.clone(), value.clone())).collect::<Map<_, _>>().into()
}
