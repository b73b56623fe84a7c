//! The value of a type for a field that is absent.

use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::fmt;

/// The value of an absent argument, if its type has one: `None` for an `Option`.
///
/// serde's derive decodes a missing field in the same way (its private `missing_field`), so that parameters behave as the
/// fields of a struct.
pub(super) fn value<'de, T: Deserialize<'de>>() -> Option<T> {
    T::deserialize(Absent).ok()
}

struct Absent;

#[derive(Debug)]
struct Missing;

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("missing")
    }
}

impl std::error::Error for Missing {}

impl de::Error for Missing {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Missing
    }
}

impl<'de> Deserializer<'de> for Absent {
    type Error = Missing;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Missing> {
        Err(Missing)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Missing> {
        visitor.visit_none()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
