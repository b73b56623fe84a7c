//! Schemas without references, constants and parts, for a server that reads none of these keywords.

use super::Conversion;
use crate::json::{referenced, remove_entry};
use crate::schema::keywords::{MAX_COPIED_VALUES, count_values, each_subschema};
use crate::schema::publish::{merge_all_of, replace_one_of};
use serde_json::{Map, Value, json};

/// References inside more references than these stay.
const MAX_DEPTH: usize = 20;

/// The rule that a schema has the keywords `anyOf` and `enum` in place of references, `oneOf`, `allOf` and `const`. Recursive
/// references stay.
pub(crate) fn inline_definitions(conversion: &mut Conversion) {
    let document = Value::Object(conversion.root.clone());
    let definitions =
        ["$defs", "definitions"].map(|keyword| (keyword, remove_entry(&mut conversion.root, keyword)));
    let mut root = Value::Object(std::mem::take(&mut conversion.root));
    let mut inliner = Inliner { document: &document, open: Vec::new(), copied_values: 0, stays: false };
    let schema = root.clone();
    inliner.schema(&mut root);
    let is_changed = root != schema;
    if let Value::Object(mut root) = root {
        let definitions = definitions.into_iter().filter(|_| inliner.stays || !is_changed);
        root.extend(definitions.filter_map(|(keyword, value)| Some((keyword.to_owned(), value?))));
        conversion.root = root;
    }
    if is_changed {
        let change = "references are replaced by their schemas, `const` is `enum`, and `oneOf` and `allOf` are merged, since the \
                      server reads none of them";
        conversion.report("", change);
    }
}

struct Inliner<'a> {
    document: &'a Value,
    /// The references around the current schema.
    open: Vec<String>,
    copied_values: usize,
    /// Whether a reference stays.
    stays: bool,
}

impl Inliner<'_> {
    fn schema(&mut self, schema: &mut Value) {
        let Value::Object(keywords) = schema else { return };
        let opened = self.inline(keywords);
        if let Some(constant) = remove_entry(keywords, "const") {
            keywords.insert("enum".to_owned(), json!([constant]));
        }
        each_subschema(keywords, &mut |subschema| self.schema(subschema));
        replace_one_of(keywords);
        merge_all_of(keywords);
        self.open.truncate(self.open.len() - usize::from(opened));
    }

    /// Replaces the reference of a schema; returns whether it did.
    fn inline(&mut self, keywords: &mut Map<String, Value>) -> bool {
        let Some(Value::String(reference)) = keywords.get("$ref").cloned() else { return false };
        let target = referenced(self.document, &reference).and_then(Value::as_object);
        let target = target.filter(|_| self.open.len() < MAX_DEPTH && !self.open.contains(&reference));
        self.copied_values += target.map_or(0, |target| count_values(target.values()));
        let target = target.filter(|_| self.copied_values <= MAX_COPIED_VALUES);
        self.stays |= target.is_none();
        let Some(target) = target else { return false };
        remove_entry(keywords, "$ref");
        for (keyword, value) in
            target.iter().filter(|(keyword, _)| !matches!(keyword.as_str(), "$defs" | "definitions"))
        {
            keywords.entry(keyword.clone()).or_insert_with(|| value.clone());
        }
        self.open.push(reference);
        true
    }
}
