//! A string that is borrowed from JSON text where that is possible.

use serde::Deserialize;
use std::borrow::Cow;

/// Borrowed from the arguments, or owned if the JSON string contains an escape.
///
/// `Cow<str>` itself is always owned when it is deserialized: <https://github.com/serde-rs/serde/issues/1852>.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);
