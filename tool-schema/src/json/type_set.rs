//! The types of JSON.

use serde_json::Value;

/// A set of the types of JSON values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TypeSet(u8);

impl TypeSet {
    /// No type.
    pub const NONE: TypeSet = TypeSet(0);
    /// `null`
    pub const NULL: TypeSet = TypeSet(1);
    /// `true` and `false`
    pub const BOOLEAN: TypeSet = TypeSet(1 << 1);
    /// A number without a fraction, also one that is written as `1.0`.
    pub const INTEGER: TypeSet = TypeSet(1 << 2);
    /// A number with a fraction.
    pub const NON_INTEGER: TypeSet = TypeSet(1 << 3);
    /// Every number.
    pub const NUMBER: TypeSet = TypeSet(Self::INTEGER.0 | Self::NON_INTEGER.0);
    /// A string.
    pub const STRING: TypeSet = TypeSet(1 << 4);
    /// An array.
    pub const ARRAY: TypeSet = TypeSet(1 << 5);
    /// An object.
    pub const OBJECT: TypeSet = TypeSet(1 << 6);
    /// Every type.
    pub const ALL: TypeSet = TypeSet((1 << 7) - 1);

    /// Each name in the keyword `type`, and its words in an error message.
    const NAMES: [(TypeSet, &'static str, &'static str); 7] = [
        (Self::NULL, "null", "null"),
        (Self::BOOLEAN, "boolean", "a boolean"),
        (Self::INTEGER, "integer", "an integer"),
        (Self::NUMBER, "number", "a number"),
        (Self::STRING, "string", "a string"),
        (Self::ARRAY, "array", "a list"),
        (Self::OBJECT, "object", "an object"),
    ];

    /// The type that a value of the keyword `type` names.
    #[inline]
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|&(_, known, _)| known == name).map(|(types, ..)| types)
    }

    /// The type of JSON text by its first byte; a number may have both its types.
    #[inline]
    #[must_use]
    pub fn from_json(json: &str) -> Self {
        match json.trim_start().as_bytes().first() {
            Some(b'n') => Self::NULL,
            Some(b't' | b'f') => Self::BOOLEAN,
            Some(b'"') => Self::STRING,
            Some(b'[') => Self::ARRAY,
            Some(b'{') => Self::OBJECT,
            _ => Self::NUMBER,
        }
    }

    /// The type of a value; `1.0` is not an integer here.
    #[inline]
    #[must_use]
    pub fn from_value(value: &Value) -> Self {
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

    /// The name of one type in the keyword `type`.
    #[inline]
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().1
    }

    /// `a string`, `a list`
    #[inline]
    #[must_use]
    pub fn with_article(self) -> &'static str {
        self.entry().2
    }

    #[inline]
    fn entry(self) -> (TypeSet, &'static str, &'static str) {
        let [.., number, _, _, _] = Self::NAMES;
        Self::NAMES.into_iter().find(|&(types, ..)| types == self).unwrap_or(number)
    }

    /// The types of either set.
    #[inline]
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        TypeSet(self.0 | other.0)
    }

    /// The types of both sets.
    #[inline]
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        TypeSet(self.0 & other.0)
    }

    /// Whether both sets have a type in common.
    #[inline]
    #[must_use]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}
