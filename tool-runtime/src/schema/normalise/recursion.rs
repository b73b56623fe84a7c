//! Types that refer to themselves.

use super::each_subschema;
use serde_json::{Map, Value};

/// Puts a reference where a definition was written in place: schemars inlines a recursive type once before it
/// defines it.
pub(in crate::schema) fn refer(schema: &mut Value, definitions: &Map<String, Value>) {
    let Value::Object(keywords) = schema else { return };
    match definitions.iter().find(|(_, definition)| is_same(keywords, definition)) {
        Some((name, definition)) => {
            let description =
                keywords.remove("description").filter(|own| definition.get("description") != Some(own));
            keywords.clear();
            keywords.insert("$ref".to_owned(), format!("#/$defs/{name}").into());
            keywords.extend(description.map(|description| ("description".to_owned(), description)));
        }
        None => each_subschema(keywords, &mut |subschema| refer(subschema, definitions)),
    }
}

/// But for the description, which a field replaces by its own.
fn is_same(keywords: &Map<String, Value>, definition: &Value) -> bool {
    let Some(definition) = definition.as_object() else { return false };
    let described = |keywords: &Map<String, Value>| usize::from(keywords.contains_key("description"));
    keywords.len() - described(keywords) == definition.len() - described(definition)
        && keywords
            .iter()
            .all(|(keyword, value)| keyword == "description" || definition.get(keyword) == Some(value))
}
