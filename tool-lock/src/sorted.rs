//! Schemas as JSON that is the same on each machine.

use serde::{Serialize, Serializer};
use serde_json::Value;

/// Writes one schema, or an option of one that is there.
pub(super) fn sorted<'v, T, S: Serializer>(schema: &'v T, serializer: S) -> Result<S::Ok, S::Error>
where
    Option<&'v Value>: From<&'v T>,
{
    Option::<&Value>::from(schema).map(Sorted::schema).serialize(serializer)
}

/// Writes the keys of objects in order, whatever the features of `serde_json` are, and the names in `required`, whose order
/// has no meaning.
struct Sorted<'v> {
    value: &'v Value,
    /// Whether this is the list of the keyword `required`.
    is_required: bool,
    /// Whether this is in a value, such as a default, and not in a schema.
    is_data: bool,
}

impl<'v> Sorted<'v> {
    fn schema(value: &'v Value) -> Self {
        Sorted { value, is_required: false, is_data: false }
    }
}

impl Serialize for Sorted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Sorted { value, is_required, is_data } = *self;
        match value {
            Value::Object(entries) => {
                let mut entries: Vec<(&String, &Value)> = entries.iter().collect();
                entries.sort_unstable_by_key(|(key, _)| *key);
                serializer.collect_map(entries.into_iter().map(|(key, value)| {
                    let is_data = is_data || matches!(&**key, "const" | "enum" | "default" | "examples");
                    (key, Sorted { value, is_required: key == "required" && !is_data, is_data })
                }))
            }
            Value::Array(items) => {
                let mut items: Vec<&Value> = items.iter().collect();
                if is_required && items.iter().all(|item| item.is_string()) {
                    items.sort_unstable_by_key(|item| item.as_str());
                }
                serializer.collect_seq(items.into_iter().map(|value| Sorted {
                    value,
                    is_required: false,
                    is_data,
                }))
            }
            other => other.serialize(serializer),
        }
    }
}
