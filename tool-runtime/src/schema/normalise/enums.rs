//! The unit variants of an enum as one list, and their docs in its description.

use serde_json::{Map, Value, json};

/// A unit variant that is flattened into a struct is a key with null: schemars says so of those without docs alone.
pub(super) fn flattened(keywords: &mut Map<String, Value>) {
    if keywords.get("type").is_none_or(|kind| kind != "object") {
        return;
    }
    let Some(branches) = keywords.get_mut("oneOf").and_then(Value::as_array_mut) else { return };
    for branch in branches {
        let Some((name, doc)) =
            branch.get("const").and_then(Value::as_str).map(|name| (name, branch.get("description")))
        else {
            continue;
        };
        let mut object = Map::new();
        object.insert("type".to_owned(), "object".into());
        object.insert("properties".to_owned(), json!({ name: { "type": "null" } }));
        object.insert("required".to_owned(), json!([name]));
        object.extend(doc.map(|doc| ("description".to_owned(), doc.clone())));
        *branch = object.into();
    }
}

/// Variants that have docs come as a schema each: `oneOf: [{const: "a", description: ".."}, ..]`.
pub(super) fn merge(keywords: &mut Map<String, Value>) {
    for alternatives in ["oneOf", "anyOf"] {
        let Some(branches) = keywords.get(alternatives).and_then(Value::as_array) else { continue };
        let Some(kind) = branches.iter().find_map(Variant::of).map(|variant| variant.kind.clone()) else {
            continue;
        };
        let is_variant = |branch: &&Value| Variant::of(branch).is_some_and(|variant| *variant.kind == kind);
        let (variants, others): (Vec<&Value>, Vec<&Value>) = branches.iter().partition(is_variant);
        let variants: Vec<Variant> = variants.into_iter().filter_map(Variant::of).collect();
        let values: Vec<&Value> = variants.iter().flat_map(|variant| variant.values).collect();
        let docs = sentences(variants.iter().filter_map(Variant::doc));
        if others.is_empty() {
            let merged = [("type", json!(kind)), ("enum", json!(values))];
            describe(keywords, &docs);
            keywords.remove(alternatives);
            keywords.extend(merged.map(|(keyword, value)| (keyword.to_owned(), value)));
        } else if variants.len() > 1 {
            let mut merged = Map::new();
            merged.insert("type".to_owned(), json!(kind));
            merged.insert("enum".to_owned(), json!(values));
            describe(&mut merged, &docs);
            let merged: Vec<Value> =
                std::iter::once(Value::Object(merged)).chain(others.into_iter().cloned()).collect();
            keywords.insert(alternatives.to_owned(), merged.into());
        }
    }
}

/// A schema that lists scalars of one type and does nothing else.
struct Variant<'a> {
    kind: &'a Value,
    values: &'a [Value],
    description: Option<&'a str>,
}

impl<'a> Variant<'a> {
    fn of(schema: &'a Value) -> Option<Self> {
        let keywords = schema.as_object()?;
        let is_known =
            |keyword: &String| matches!(keyword.as_str(), "type" | "const" | "enum" | "description");
        let kind = keywords.get("type").filter(|kind| kind.is_string())?;
        let values = match (keywords.get("const"), keywords.get("enum")) {
            (Some(constant), None) => std::slice::from_ref(constant),
            (None, Some(Value::Array(values))) => values,
            _ => return None,
        };
        let description = keywords.get("description").and_then(Value::as_str);
        // A description of several belongs to them all.
        let is_one = values.len() == 1 || description.is_none();
        (is_one && keywords.keys().all(is_known)).then_some(Variant { kind, values, description })
    }

    /// `metric: In degrees Celsius.`
    fn doc(&self) -> Option<String> {
        let [value] = self.values else { return None };
        let name = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let doc = self.description?.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(format!("{name}: {doc}"))
    }
}

/// One after the other: a line break costs more tokens than it tells.
fn sentences<S: AsRef<str>>(parts: impl Iterator<Item = S>) -> String {
    parts.fold(String::new(), |mut told, part| {
        if !told.is_empty() {
            told.push_str(if told.ends_with(['.', '!', '?', ';', ':']) { " " } else { "; " });
        }
        told + part.as_ref()
    })
}

fn describe(keywords: &mut Map<String, Value>, docs: &str) {
    if docs.is_empty() {
        return;
    }
    let description = match keywords.get("description").and_then(Value::as_str) {
        Some(description) => sentences([description, docs].into_iter()),
        None => docs.to_owned(),
    };
    keywords.insert("description".to_owned(), description.into());
}
