//! The limits of a strict schema.
//! <https://platform.openai.com/docs/guides/structured-outputs#limitations>

use crate::schema::NotStrict;
use crate::schema::strict::subschemas;
use serde_json::{Map, Value};

const MAX_PROPERTIES: usize = 5_000;
const MAX_DEPTH: usize = 10;
const MAX_VALUES: usize = 1_000;
/// Characters of the names of properties and definitions, and of the values of `enum` and `const`, together.
const MAX_CHARACTERS: usize = 120_000;
/// A large `enum` has more string values than this.
const LARGE_ENUM: usize = 250;
/// Characters of the values of a large `enum`.
const MAX_CHARACTERS_OF_LARGE_ENUM: usize = 15_000;

/// The counts of a schema that the server limits.
#[derive(Debug, Default)]
pub(super) struct Limits {
    properties: usize,
    depth: usize,
    values: usize,
    characters: usize,
    characters_of_large_enum: usize,
}

impl Limits {
    /// Counts a converted schema.
    pub(super) fn of(root: &Map<String, Value>) -> Self {
        let mut limits = Limits::default();
        for (keywords, depth) in subschemas(root) {
            limits.add(keywords, depth);
        }
        limits
    }

    fn add(&mut self, keywords: &Map<String, Value>, depth: usize) {
        self.depth = self.depth.max(depth);
        if let Some(values) = keywords.get("enum").and_then(Value::as_array) {
            self.add_values(values);
        }
        if let Some(constant) = keywords.get("const") {
            self.add_values(std::slice::from_ref(constant));
        }
        let names =
            |keyword: &str| keywords.get(keyword).and_then(Value::as_object).into_iter().flat_map(Map::keys);
        self.properties += names("properties").count();
        let all_names = ["properties", "$defs", "definitions"].into_iter().flat_map(names);
        self.characters += all_names.map(|name| name.chars().count()).sum::<usize>();
    }

    fn add_values(&mut self, values: &[Value]) {
        let characters: usize =
            values.iter().filter_map(Value::as_str).map(|text| text.chars().count()).sum();
        self.values += values.len();
        self.characters += characters;
        if values.len() > LARGE_ENUM {
            self.characters_of_large_enum = self.characters_of_large_enum.max(characters);
        }
    }

    /// A reason for each limit that the schema exceeds.
    pub(super) fn exceeded(&self) -> impl Iterator<Item = NotStrict> {
        let counts = [
            (self.properties, MAX_PROPERTIES, "properties"),
            (self.depth, MAX_DEPTH, "levels of nesting"),
            (self.values, MAX_VALUES, "values of enums"),
            (self.characters, MAX_CHARACTERS, "characters of names and enums"),
            (self.characters_of_large_enum, MAX_CHARACTERS_OF_LARGE_ENUM, "characters of one large enum"),
        ];
        counts.into_iter().filter_map(|(count, max, unit)| NotStrict::too_many(count, max, unit))
    }
}
