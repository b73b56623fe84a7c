//! The limits of a strict schema.
//! <https://platform.openai.com/docs/guides/structured-outputs#limitations>

use super::NotStrict;
use serde_json::Value;

const MAX_PROPERTIES: usize = 5_000;
const MAX_DEPTH: usize = 10;
const MAX_VALUES: usize = 1_000;
/// Characters of the names of properties and definitions, and of the values of `enum` and `const`, together.
const MAX_CHARACTERS: usize = 120_000;
/// A large `enum` has more string values than this.
const LARGE_ENUM: usize = 250;
/// Characters of the values of a large `enum`.
const MAX_CHARACTERS_OF_LARGE_ENUM: usize = 15_000;

#[derive(Debug, Default)]
pub(super) struct Limits {
    pub(super) properties: usize,
    depth: usize,
    values: usize,
    characters: usize,
    characters_of_large_enum: usize,
}

impl Limits {
    pub(super) fn add_name(&mut self, name: &str) {
        self.characters += name.chars().count();
    }

    pub(super) fn add_depth(&mut self, depth: usize) {
        self.depth = self.depth.max(depth);
    }

    pub(super) fn add_values(&mut self, values: &[Value]) {
        let characters: usize =
            values.iter().filter_map(Value::as_str).map(|text| text.chars().count()).sum();
        self.values += values.len();
        self.characters += characters;
        if values.len() > LARGE_ENUM {
            self.characters_of_large_enum = self.characters_of_large_enum.max(characters);
        }
    }

    pub(super) fn exceeded(&self) -> impl Iterator<Item = NotStrict> {
        let counts = [
            (self.properties, MAX_PROPERTIES, "properties"),
            (self.depth, MAX_DEPTH, "levels of nesting"),
            (self.values, MAX_VALUES, "values of enums"),
            (self.characters, MAX_CHARACTERS, "characters of names and enums"),
            (self.characters_of_large_enum, MAX_CHARACTERS_OF_LARGE_ENUM, "characters of one large enum"),
        ];
        counts.into_iter().filter(|(count, max, _)| count > max).map(|(count, max, unit)| NotStrict {
            path: String::new(),
            reason: format!("has {count} {unit}, and strict schemas may have at most {max}"),
        })
    }
}
