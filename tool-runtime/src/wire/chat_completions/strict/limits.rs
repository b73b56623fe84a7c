//! The limits of a strict schema.
//! <https://platform.openai.com/docs/guides/structured-outputs#limitations>

use crate::schema::NotStrict;
use serde_json::{Map, Value};
use tool_runtime_schema::strict::subschemas;

const MAX_PROPERTIES: usize = 5_000;
const MAX_DEPTH: usize = 10;
const MAX_VALUES: usize = 1_000;
/// Characters of the names of properties and definitions, and of the values of `enum` and `const`, together.
const MAX_CHARACTERS: usize = 120_000;
/// A large `enum` has more string values than this.
const LARGE_ENUM: usize = 250;
/// Characters of the values of a large `enum`.
const MAX_CHARACTERS_OF_LARGE_ENUM: usize = 15_000;

/// A reason for each limit that a converted schema exceeds.
pub(super) fn exceeded_limits(root: &Map<String, Value>) -> impl Iterator<Item = NotStrict> {
    let (mut properties, mut depth, mut values, mut characters, mut characters_of_large_enum) =
        (0, 0, 0, 0, 0);
    for (keywords, level) in subschemas(root) {
        depth = depth.max(level);
        let names =
            |keyword: &str| keywords.get(keyword).and_then(Value::as_object).into_iter().flat_map(Map::keys);
        properties += names("properties").count();
        let all_names = ["properties", "$defs", "definitions"].into_iter().flat_map(names);
        characters += all_names.map(|name| name.chars().count()).sum::<usize>();
        let enum_values = keywords.get("enum").and_then(Value::as_array).map(Vec::as_slice);
        let constant = keywords.get("const").map(std::slice::from_ref);
        for literals in enum_values.into_iter().chain(constant) {
            let texts = literals.iter().filter_map(Value::as_str);
            let characters_of_texts = texts.map(|text| text.chars().count()).sum();
            values += literals.len();
            characters += characters_of_texts;
            if literals.len() > LARGE_ENUM {
                characters_of_large_enum = characters_of_large_enum.max(characters_of_texts);
            }
        }
    }
    let counts = [
        (properties, MAX_PROPERTIES, "properties"),
        (depth, MAX_DEPTH, "levels of nesting"),
        (values, MAX_VALUES, "values of enums"),
        (characters, MAX_CHARACTERS, "characters of names and enums"),
        (characters_of_large_enum, MAX_CHARACTERS_OF_LARGE_ENUM, "characters of one large enum"),
    ];
    counts.into_iter().filter_map(|(count, max, unit)| NotStrict::too_many(count, max, unit))
}
