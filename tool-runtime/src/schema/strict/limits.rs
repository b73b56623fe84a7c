//! How much one strict schema may hold.
//! <https://platform.openai.com/docs/guides/structured-outputs#limitations>

use super::NotStrict;
use serde_json::Value;

const MOST_PROPERTIES: usize = 5_000;
const DEEPEST: usize = 10;
const MOST_VALUES: usize = 1_000;
/// Characters of the names of properties and definitions, and of the values of `enum` and `const`, together.
const MOST_CHARACTERS: usize = 120_000;
/// An `enum` of text with more values than this..
const LARGE_ENUM: usize = 250;
/// .. may have this many characters.
const MOST_CHARACTERS_OF_LARGE_ENUM: usize = 15_000;

#[derive(Debug, Default)]
pub(super) struct Limits {
    pub(super) properties: usize,
    depth: usize,
    values: usize,
    characters: usize,
    characters_of_large_enum: usize,
}

impl Limits {
    pub(super) fn name(&mut self, name: &str) {
        self.characters += name.chars().count();
    }

    pub(super) fn deepest(&mut self, depth: usize) {
        self.depth = self.depth.max(depth);
    }

    pub(super) fn values(&mut self, values: &[Value]) {
        let characters: usize =
            values.iter().filter_map(Value::as_str).map(|text| text.chars().count()).sum();
        self.values += values.len();
        self.characters += characters;
        if values.len() > LARGE_ENUM {
            self.characters_of_large_enum = self.characters_of_large_enum.max(characters);
        }
    }

    pub(super) fn exceeded(&self) -> impl Iterator<Item = NotStrict> {
        let told = [
            (self.properties, MOST_PROPERTIES, "properties"),
            (self.depth, DEEPEST, "levels of nesting"),
            (self.values, MOST_VALUES, "values of enums"),
            (self.characters, MOST_CHARACTERS, "characters of names and enums"),
            (self.characters_of_large_enum, MOST_CHARACTERS_OF_LARGE_ENUM, "characters of one large enum"),
        ];
        told.into_iter().filter(|(count, most, _)| count > most).map(|(count, most, what)| NotStrict {
            path: String::new(),
            reason: format!("has {count} {what}, and strict schemas may have {most}"),
        })
    }
}
