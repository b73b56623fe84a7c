//! Schemas without references, constants, parts and `false`, for a server that does not read them.

use super::Conversion;
use super::engines::remove_false;
use crate::json::{referenced, remove_entry};
use crate::keywords::{MAX_COPIED_VALUES, count_values, each_subschema};
use crate::unions::{merge_all_of, replace_one_of};
use serde_json::{Map, Value, json};

/// References in schemas that are nested deeper than this stay.
const MAX_DEPTH: usize = 60;

/// The rule that a schema has the keywords `anyOf` and `enum` in place of references, `oneOf`, `allOf`, `const` and `false`.
/// Recursive references stay.
pub fn inline_definitions(conversion: &mut Conversion<'_>) {
    let document = Value::Object(conversion.root.clone());
    let definitions =
        ["$defs", "definitions"].map(|keyword| (keyword, remove_entry(&mut conversion.root, keyword)));
    let mut root = conversion.root.clone();
    let mut inliner =
        Inliner { document: &document, open: Vec::new(), depth: 0, copied_values: 0, stays: false };
    inliner.schema(&mut root);
    let is_needed = inliner.stays || inliner.copied_values == 0;
    let change = "references, `const`, `oneOf`, `allOf` and `false` become keywords that the server reads";
    conversion.replace_root(root, change);
    let definitions = definitions.into_iter().filter(|_| is_needed);
    conversion.root.extend(definitions.filter_map(|(keyword, value)| Some((keyword.to_owned(), value?))));
}

struct Inliner<'a> {
    document: &'a Value,
    /// The references around the current schema.
    open: Vec<String>,
    depth: usize,
    copied_values: usize,
    /// Whether a reference stays.
    stays: bool,
}

impl Inliner<'_> {
    fn schema(&mut self, keywords: &mut Map<String, Value>) {
        let opened = self.open.len();
        self.depth += 1;
        while self.inline(keywords) {}
        if let Some(constant) = remove_entry(keywords, "const") {
            keywords.insert("enum".to_owned(), json!([constant]));
        }
        each_subschema(keywords, &mut |subschema| {
            subschema.as_object_mut().into_iter().for_each(|keywords| self.schema(keywords));
        });
        remove_false(keywords, &mut Vec::new());
        replace_one_of(keywords);
        merge_all_of(keywords);
        self.depth -= 1;
        self.open.truncate(opened);
    }

    /// Replaces the reference of a schema; returns whether it did.
    fn inline(&mut self, keywords: &mut Map<String, Value>) -> bool {
        let Some(Value::String(reference)) = keywords.get("$ref").cloned() else { return false };
        let target = referenced(self.document, &reference);
        let target = target.filter(|_| self.depth < MAX_DEPTH && !self.open.contains(&reference));
        self.copied_values += target.map_or(0, |target| count_values([target]));
        let target = target.and_then(Value::as_object).filter(|_| self.copied_values <= MAX_COPIED_VALUES);
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
