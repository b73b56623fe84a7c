//! The prefix of the text of a failed call.

/// The text without the prefix that a registry adds to errors. The protocol has a field instead, but some servers also send
/// the prefix.
pub(crate) fn without_prefix(text: &str) -> &str {
    text.strip_prefix("Error: ").unwrap_or(text)
}
