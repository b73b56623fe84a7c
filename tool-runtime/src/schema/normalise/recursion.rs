//! Types that refer to themselves.

use super::each_subschema;
use serde_json::{Map, Value, json};

/// Puts a reference where a definition was written in place: schemars inlines a recursive type once before it
/// defines it.
pub(in crate::schema) fn refer(schema: &mut Value, definitions: &Map<String, Value>) {
    let Value::Object(keywords) = schema else { return };
    let found = definitions.iter().find_map(|(name, definition)| {
        let definition = definition.as_object()?;
        let likeness = likeness(keywords, definition)?;
        Some((format!("#/$defs/{name}"), definition.get("description").cloned(), likeness))
    });
    let Some((reference, description, likeness)) = found else {
        return each_subschema(keywords, &mut |subschema| refer(subschema, definitions));
    };
    let own = keywords.remove("description").filter(|own| Some(own) != description.as_ref());
    keywords.clear();
    match likeness {
        Likeness::Same => drop(keywords.insert("$ref".to_owned(), reference.into())),
        Likeness::Nullable => {
            keywords.insert("anyOf".to_owned(), json!([{ "$ref": reference }, { "type": "null" }]));
        }
    }
    keywords.extend(own.map(|own| ("description".to_owned(), own)));
}

enum Likeness {
    Same,
    /// The same, or null.
    Nullable,
}

/// But for the description, which a field replaces by its own.
fn likeness(keywords: &Map<String, Value>, definition: &Map<String, Value>) -> Option<Likeness> {
    let described = |keywords: &Map<String, Value>| usize::from(keywords.contains_key("description"));
    if keywords.len() - described(keywords) != definition.len() - described(definition) {
        return None;
    }
    let mut likeness = Likeness::Same;
    for (keyword, value) in keywords.iter().filter(|(keyword, _)| *keyword != "description") {
        let defined = definition.get(keyword)?;
        if keyword == "type" && *value == json!([defined, "null"]) {
            likeness = Likeness::Nullable;
        } else if value != defined {
            return None;
        }
    }
    Some(likeness)
}
