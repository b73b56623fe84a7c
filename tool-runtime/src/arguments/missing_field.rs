//! The value of an absent argument.

use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};

/// The value of an absent argument, if the type has one: `None` for an `Option`.
///
/// serde's derive decodes a missing field in the same way (its private `missing_field`), so that parameters behave like
/// the fields of a struct.
pub(super) fn value<'de, T: Deserialize<'de>>() -> Option<T> {
    T::deserialize(Absent).ok()
}

struct Absent;

impl<'de> Deserializer<'de> for Absent {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("missing"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_none()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
