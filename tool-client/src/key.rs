//! Keys, which no text of this package contains.

use reqwest::header::HeaderValue;
use std::fmt;
use std::sync::Arc;

/// The key of a provider.
#[derive(Clone)]
pub(crate) struct Key(Arc<str>);

/// A shorter key, such as `none` for a local server, may be a word of a text.
const MIN_SECRET_BYTES: usize = 8;

impl Key {
    /// Spaces and line breaks around the key are not part of it: a file ends with one.
    pub(crate) fn new(key: &str) -> Self {
        Key(key.trim().into())
    }

    /// The value of a header: this text, then the key. `None` if a header cannot contain it.
    pub(crate) fn header(&self, before: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::try_from(format!("{before}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

/// The text with `[key]` in place of each key: some servers repeat it in an error.
pub(crate) fn without_keys<'k>(text: &str, keys: impl IntoIterator<Item = &'k Key>) -> String {
    let secrets = keys.into_iter().map(|key| &*key.0).filter(|secret| secret.len() >= MIN_SECRET_BYTES);
    secrets.fold(text.to_owned(), |text, secret| text.replace(secret, "[key]"))
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[key]")
    }
}
