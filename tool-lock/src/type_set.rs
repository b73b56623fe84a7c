//! The types of JSON.

use serde_json::Value;

/// A set of the types of JSON values.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct TypeSet(u8);

impl TypeSet {
    pub(super) const NONE: TypeSet = TypeSet(0);
    pub(super) const NULL: TypeSet = TypeSet(1);
    pub(super) const BOOLEAN: TypeSet = TypeSet(1 << 1);
    pub(super) const INTEGER: TypeSet = TypeSet(1 << 2);
    pub(super) const NON_INTEGER: TypeSet = TypeSet(1 << 3);
    pub(super) const NUMBER: TypeSet = TypeSet(Self::INTEGER.0 | Self::NON_INTEGER.0);
    pub(super) const STRING: TypeSet = TypeSet(1 << 4);
    pub(super) const ARRAY: TypeSet = TypeSet(1 << 5);
    pub(super) const OBJECT: TypeSet = TypeSet(1 << 6);
    pub(super) const ALL: TypeSet = TypeSet((1 << 7) - 1);

    /// The type that a value of the keyword `type` names.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    /// The type of a value. `1.0` may have both types of numbers.
    pub(super) fn from_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number.is_f64() => Self::NUMBER,
            Value::Number(_) => Self::INTEGER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// `string or null`
    pub(super) fn names(self) -> String {
        if self == Self::ALL {
            return "any type".to_owned();
        }
        let number = if self.intersects(Self::NON_INTEGER) { "number" } else { "integer" };
        let all = [
            (Self::STRING, "string"),
            (Self::NUMBER, number),
            (Self::BOOLEAN, "boolean"),
            (Self::ARRAY, "array"),
            (Self::OBJECT, "object"),
            (Self::NULL, "null"),
        ];
        let names = all.into_iter().filter(|(kind, _)| self.intersects(*kind)).map(|(_, name)| name);
        let names: Vec<&str> = names.collect();
        if names.is_empty() { "no type".to_owned() } else { names.join(" or ") }
    }

    pub(super) fn union(self, other: Self) -> Self {
        TypeSet(self.0 | other.0)
    }

    pub(super) fn intersection(self, other: Self) -> Self {
        TypeSet(self.0 & other.0)
    }

    pub(super) fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}
