//! Keys of properties that a provider rejects, and the names that are written in their place.
//!
//! The names depend on the parameters alone, so that all processes agree. A name is unique in its tool: no property has it, and
//! each name belongs to one key.

mod arguments;

use crate::json::Scanner;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use tool_runtime_schema::property_names::{self, WrittenNames as _, write_schema};
#[cfg(feature = "search")]
use tool_runtime_schema::schema_text;

/// The rejected keys of a tool, with their written names.
#[derive(Debug)]
pub(crate) struct PropertyKeys {
    written: BTreeMap<String, String>,
    /// The keys of the tool, by their written names.
    own: BTreeMap<String, String>,
    /// The parameters with the tool's keys, and the keywords of JSON Schema 2020-12.
    schema: Value,
}

impl PropertyKeys {
    /// `None` if the parameters have no rejected key. `standardise` gives them the keywords of JSON Schema 2020-12.
    pub(crate) fn new(parameters: &RawValue, standardise: fn(Value) -> Value) -> Option<Self> {
        if !may_have_rejected_key(parameters.get()) {
            return None;
        }
        let schema = standardise(serde_json::from_str(parameters.get()).ok()?);
        let written = property_names::written_names(&schema);
        let own = written.iter().map(|(own, written)| (written.clone(), own.clone())).collect();
        (!written.is_empty()).then_some(PropertyKeys { written, own, schema })
    }

    /// The path of an argument, such as `stops[2].city`, with written names.
    pub(crate) fn written_path(&self, path: &str) -> String {
        let mut written = String::with_capacity(path.len());
        let mut rest = path;
        while !rest.is_empty() {
            let is_start = written.is_empty() || written.ends_with(['.', ']']);
            let is_whole = |key: &&String| {
                let after = rest.strip_prefix(key.as_str());
                !key.is_empty()
                    && after.is_some_and(|after| after.is_empty() || after.starts_with(['.', '[']))
            };
            let key = self.written.keys().filter(|_| is_start).filter(is_whole).max_by_key(|key| key.len());
            let length = key.map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), String::len);
            let (head, tail) = rest.split_at(length);
            written.push_str(key.and_then(|key| self.written(key)).unwrap_or(head));
            rest = tail;
        }
        written
    }

    /// The parameters with written names.
    #[cfg(feature = "search")]
    pub(super) fn written_parameters(&self) -> Option<Box<RawValue>> {
        let mut root = self.schema.as_object()?.clone();
        self.write_schema(&mut root);
        schema_text(&root.into()).ok()
    }

    /// Gives a form of the tool's parameters the written names: see [`write_schema`].
    pub(crate) fn write_schema(&self, root: &mut Map<String, Value>) -> Vec<(String, String)> {
        write_schema(root, self)
    }
}

/// Whether a key of the text may be a rejected key. It saves the parsing of most schemas.
fn may_have_rejected_key(json: &str) -> bool {
    let mut scanner = Scanner::new(json);
    loop {
        match scanner.peek() {
            0 => return false,
            b'"' => {
                let text = scanner.string().json;
                let key = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
                if scanner.peek() == b':' && key != "$ref" && !property_names::is_accepted(key) {
                    return true;
                }
            }
            _ => scanner.skip(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PropertyKeys;
    use serde_json::json;
    use serde_json::value::to_raw_value;
    use tool_runtime_schema::property_names::WrittenNames as _;

    #[test]
    fn each_change_has_its_place_and_its_reason() {
        let long = "a".repeat(65);
        let stop = json!({ "type": "object", "properties": { "@id": {}, "more": { "properties": { "größe": {} } } } });
        let schema = json!({
            "properties": { "filter[city]": {}, "stops": { "items": { "$ref": "#/$defs/stop" } }, &long: {} },
            "$defs": { "stop": stop },
        });
        let keys = PropertyKeys::new(&to_raw_value(&schema).expect("it is JSON"), |schema| schema)
            .expect("it has such keys");
        let long_name = keys.written(&long).expect("it is too long").to_owned();
        let mut changes = keys.write_schema(&mut schema.as_object().cloned().unwrap_or_default());
        changes.sort();
        let letters = "the provider accepts only letters, digits, `_`, `.` and `-` in keys";
        let expected = [
            ("/$defs/stop/properties/@id".to_owned(), format!("sent as `_id`, since {letters}")),
            (
                "/$defs/stop/properties/more/properties/größe".to_owned(),
                format!("sent as `gr__e`, since {letters}"),
            ),
            (
                format!("/properties/{long}"),
                format!(
                    "sent as `{long_name}`, since the provider accepts only keys of at most 64 characters"
                ),
            ),
            ("/properties/filter[city]".to_owned(), format!("sent as `filter_city_`, since {letters}")),
        ];
        assert_eq!(changes, expected);
    }

    #[test]
    fn the_keys_in_a_path_have_their_written_names() {
        let properties = json!({ "a": {}, "a[b]": {}, "größe": {}, "größe.x": {}, "": {} });
        let keys = PropertyKeys::new(
            &to_raw_value(&json!({ "properties": properties })).expect("it is JSON"),
            |schema| schema,
        );
        let keys = keys.expect("it has such keys");
        for (path, written) in [
            ("größe", "gr__e"),
            ("größe[2].größe", "gr__e[2].gr__e"),
            ("größe.x.a[b][0].a", "gr__e.x.a_b_[0].a"),
            ("Größe.größen", "Größe.größen"),
            ("", ""),
        ] {
            assert_eq!(keys.written_path(path), written);
        }
    }
}
