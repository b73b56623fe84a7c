//! One value out of a longer text.

use serde::Deserialize;

/// A value, and its length in bytes with the white space before it.
pub(super) type Next<T> = Result<(T, usize), serde_json::Error>;

/// The value at the start of `rest`.
pub(super) fn next_value<'a, T: Deserialize<'a>>(rest: &'a str) -> Next<T> {
    let mut values = serde_json::Deserializer::from_str(rest).into_iter();
    match values.next() {
        Some(value) => Ok((value?, values.byte_offset())),
        None => Err(serde::de::Error::custom("a value is missing")),
    }
}
