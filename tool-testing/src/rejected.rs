//! The error of a rejected request, and the checks that the rules of providers share.

use serde_json::{Map, Value};
use std::error::Error;
use std::fmt;

/// The reason why a provider would reject a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RejectedError {
    /// The error message of the provider.
    pub message: String,
    /// The invalid part of the request, in the words of the provider: for example `messages.[2].role`. Empty if the
    /// message names it.
    pub param: String,
}

/// The result of a check.
pub(crate) type Checked = Result<(), RejectedError>;

pub(crate) fn reject<T>(param: impl Into<String>, message: impl Into<String>) -> Result<T, RejectedError> {
    Err(RejectedError { message: message.into(), param: param.into() })
}

/// Rejects a request with a message that names the invalid part.
pub(crate) fn invalid<T>(message: impl Into<String>) -> Result<T, RejectedError> {
    reject("", message)
}

/// Rejects the request unless this condition of a rule is true.
pub(crate) fn ensure(condition: bool, rejection: impl FnOnce() -> Checked) -> Checked {
    if condition { Ok(()) } else { rejection() }
}

/// Rejects the request with this message, which names the invalid part, unless the condition of a rule is true.
pub(crate) fn require<M: Into<String>>(condition: bool, message: impl FnOnce() -> M) -> Checked {
    require_at("", condition, message)
}

/// Rejects this part of the request with this message unless the condition of a rule is true.
pub(crate) fn require_at<M: Into<String>>(
    param: impl Into<String>,
    condition: bool,
    message: impl FnOnce() -> M,
) -> Checked {
    if condition { Ok(()) } else { reject(param, message()) }
}

/// The elements of an array; none if it is not one.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Rejects the first field of an object that is not among these.
pub(crate) fn check_fields(
    object: &Value,
    known: &[&str],
    rejection: impl FnOnce(&str) -> Checked,
) -> Checked {
    let mut fields = object.as_object().into_iter().flat_map(Map::keys);
    fields.find(|field| !known.contains(&field.as_str())).map_or(Ok(()), |field| rejection(field))
}

/// Whether the text has only letters, digits, `_` and `-`, and at least one of them.
pub(crate) fn is_plain_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

impl fmt::Display for RejectedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the request is rejected: {}", self.message)?;
        if self.param.is_empty() { Ok(()) } else { write!(f, " (param: {})", self.param) }
    }
}

impl Error for RejectedError {}
