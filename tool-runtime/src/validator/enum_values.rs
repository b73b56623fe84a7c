//! The values of `enum` and `const`.

use super::expectation::Instance;
use super::number::canonical;
use serde_json::Value;

#[derive(Debug)]
pub(super) struct EnumValues {
    /// In the order of the schema.
    values: Vec<Value>,
    /// The strings among them, sorted.
    strings: Vec<String>,
    /// The others in canonical form, sorted.
    others: Vec<String>,
}

impl EnumValues {
    pub(super) fn new(values: &[Value]) -> Self {
        let (mut strings, mut others) = (Vec::new(), Vec::new());
        for value in values {
            match value {
                Value::String(text) => strings.push(text.clone()),
                other => others.push(canonical(other)),
            }
        }
        strings.sort_unstable();
        others.sort_unstable();
        EnumValues { values: values.to_vec(), strings, others }
    }

    pub(super) fn contains_string(&self, text: &str) -> bool {
        self.strings.binary_search_by(|known| known.as_str().cmp(text)).is_ok()
    }

    /// Whether a scalar is among them.
    pub(super) fn contains(&self, instance: &Instance<'_>) -> bool {
        match instance {
            Instance::String(text) => self.contains_string(text),
            Instance::Null => self.contains_canonical("null"),
            Instance::Boolean(boolean) => self.contains_canonical(if *boolean { "true" } else { "false" }),
            Instance::Number(number) => self.contains_canonical(&number.canonical()),
            Instance::Array | Instance::Object { .. } => false,
        }
    }

    pub(super) fn contains_canonical(&self, canonical: &str) -> bool {
        self.others.binary_search_by(|known| known.as_str().cmp(canonical)).is_ok()
    }

    pub(super) fn values(&self) -> &[Value] {
        &self.values
    }

    /// The strings in the order of the schema.
    pub(super) fn strings(&self) -> impl Iterator<Item = &str> {
        self.values.iter().filter_map(Value::as_str)
    }

    /// The string, if it is the only value.
    pub(super) fn only_string(&self) -> Option<&str> {
        match &self.values[..] {
            [Value::String(text)] => Some(text),
            _ => None,
        }
    }
}
