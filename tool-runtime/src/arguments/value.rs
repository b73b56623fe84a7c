//! One value at the start of a longer text.

use serde::Deserialize;
use serde::de::IgnoredAny;

/// A value, and its length in bytes with the white space before it.
pub(super) type Next<T> = Result<(T, usize), serde_json::Error>;

/// The value at the start of `rest`, as far as its decoder reads: of `1e3`, an integer of 128 bits takes the `1` alone.
pub(super) fn next_value<'a, T: Deserialize<'a>>(rest: &'a str) -> Next<T> {
    let mut deserializer = serde_json::Deserializer::from_str(rest);
    let value = T::deserialize(&mut deserializer)?;
    // Only this iterator knows how far it has read.
    Ok((value, deserializer.into_iter::<IgnoredAny>().byte_offset()))
}
