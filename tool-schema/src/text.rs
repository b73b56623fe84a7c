//! The text of a finished schema.

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// The keywords that come first. A small model copies keywords that follow the properties of an object into its arguments.
const FIRST: [&str; 5] = ["type", "description", "required", "additionalProperties", "properties"];

/// The text of a schema. In each subschema, the keywords of `FIRST` come first, and the others follow as they are.
///
/// # Errors
///
/// Those of `serde_json`, which writes every [`Value`].
pub fn schema_text(schema: &Value) -> serde_json::Result<Box<RawValue>> {
    to_raw_value(&Written { value: schema, content: Content::Schema })
}

#[derive(Clone, Copy)]
enum Content {
    /// A schema or a list of schemas.
    Schema,
    /// Schemas by name. A property may have the name of a keyword.
    Named,
    Data,
}

impl Content {
    /// The content of a keyword.
    fn new(keyword: &str) -> Self {
        match keyword {
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
            | "dependencies" => Content::Named,
            "const" | "enum" | "default" | "examples" => Content::Data,
            _ => Content::Schema,
        }
    }
}

struct Written<'v> {
    value: &'v Value,
    content: Content,
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Written { value, content } = *self;
        match (value, content) {
            (Value::Object(keywords), Content::Schema) => {
                let first = FIRST.iter().filter_map(|keyword| keywords.get_key_value(*keyword));
                let others = keywords.iter().filter(|(keyword, _)| !FIRST.contains(&keyword.as_str()));
                serializer.collect_map(
                    first
                        .chain(others)
                        .map(|(keyword, value)| (keyword, Written { value, content: Content::new(keyword) })),
                )
            }
            (Value::Object(schemas), Content::Named) => serializer.collect_map(
                schemas.iter().map(|(name, value)| (name, Written { value, content: Content::Schema })),
            ),
            (Value::Array(schemas), Content::Schema) => {
                serializer.collect_seq(schemas.iter().map(|value| Written { value, content }))
            }
            _ => value.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::schema_text;
    use serde_json::json;

    #[test]
    fn only_keywords_are_reordered() {
        let property =
            json!({ "properties": { "required": {} }, "required": ["required"], "type": "object" });
        let schema = json!({
            "anyOf": [property],
            "default": { "properties": 1, "type": 2 },
            "description": "A test.",
        });
        let schema = schema_text(&schema).expect("it is JSON");
        assert_eq!(
            schema.get(),
            concat!(
                r#"{"description":"A test.","anyOf":[{"type":"object","required":["required"],"properties":{"required":{}}}],"#,
                r#""default":{"properties":1,"type":2}}"#,
            )
        );
    }
}
