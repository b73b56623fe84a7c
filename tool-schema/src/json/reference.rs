//! References inside a schema.

use serde_json::Value;
use std::borrow::Cow;

/// The value that a reference such as `#/$defs/stop` points to.
#[must_use]
pub fn referenced<'v>(document: &'v Value, reference: &str) -> Option<&'v Value> {
    document.pointer(&percent_decoded(reference.strip_prefix('#')?))
}

/// A name as a part of a JSON pointer.
#[must_use]
pub fn escaped_token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The name that a part of a JSON pointer contains.
pub(crate) fn unescaped_token(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// The name of the definition that a reference such as `#/$defs/stop` refers to; `None` for any other reference.
#[must_use]
pub fn definition_name(reference: &str) -> Option<String> {
    let encoded = reference.strip_prefix("#/$defs/").filter(|encoded| !encoded.contains('/'))?;
    Some(unescaped_token(&percent_decoded(encoded)))
}

/// Decodes the percent-encoded bytes of a reference, which is a URI.
pub(crate) fn percent_decoded(text: &str) -> Cow<'_, str> {
    let mut parts = text.split('%');
    let first = parts.next().unwrap_or_default();
    let mut bytes = first.as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => bytes.extend(std::iter::once(byte).chain(part.bytes().skip(2))),
            None => bytes.extend(std::iter::once(b'%').chain(part.bytes())),
        }
    }
    if bytes.len() == text.len() { text.into() } else { String::from_utf8_lossy(&bytes).into_owned().into() }
}
