//! Fields that stand beside alternatives, as the common fields of a flattened enum do.

use super::{names, take_object};
use serde_json::{Map, Value};

/// Puts the properties of an object into one of its alternatives.
pub(super) fn into(branch: &mut Value, shared: &Map<String, Value>) {
    let Value::Object(branch) = branch else { return };
    if branch.get("type").is_some_and(|kind| kind == "null") {
        return;
    }
    branch.entry("type").or_insert_with(|| "object".into());
    let mut properties = shared.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    properties.extend(take_object(branch, "properties"));
    branch.insert("properties".to_owned(), properties.into());
    let mut required = names(shared.get("required"));
    for name in names(branch.get("required")) {
        if !required.contains(&name) {
            required.push(name);
        }
    }
    branch.insert("required".to_owned(), required.into());
    for keyword in ["additionalProperties", "patternProperties"] {
        if let (Some(value), false) = (shared.get(keyword), branch.contains_key(keyword)) {
            branch.insert(keyword.to_owned(), value.clone());
        }
    }
}
