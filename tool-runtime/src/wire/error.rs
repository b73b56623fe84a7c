//! Errors of wires.

use super::by_name::advice;
use crate::outcome::LogWriter;
use serde_json::Value;
use std::error::Error;
use std::fmt::{self, Write as _};

/// The reason why a wire cannot read or write a text.
#[derive(Debug)]
#[non_exhaustive]
pub enum WireError {
    /// The text is not JSON.
    #[non_exhaustive]
    NotJson {
        /// The beginning of the text.
        beginning: String,
        /// The error of the parser.
        source: serde_json::Error,
    },
    /// The server sent an error.
    #[non_exhaustive]
    Server {
        /// The error message of the server.
        message: String,
    },
    /// The JSON is not what was expected.
    #[non_exhaustive]
    Unexpected {
        /// The expected kind of text and its format: for example `a reply of Chat Completions`.
        expected: &'static str,
        /// The problem.
        problem: String,
    },
    /// The JSON is in the format of another API.
    #[non_exhaustive]
    OtherWire {
        /// The name of its wire: for example `anthropic`. There may be no such wire in this crate.
        wire: &'static str,
    },
    /// A setting of the wire is not a JSON object.
    #[non_exhaustive]
    InvalidSetting {
        /// The setting: for example `the definition of a hosted tool`.
        setting: String,
    },
    /// A part of the request cannot be written as JSON.
    #[non_exhaustive]
    NotSerializable {
        /// The error of the serializer.
        source: serde_json::Error,
    },
}

impl WireError {
    pub(super) fn not_json(text: &str, source: serde_json::Error) -> Self {
        WireError::NotJson { beginning: beginning(text), source }
    }
}

/// The message of a server in the field `error` of a body.
pub(super) fn server_message(error: &Value) -> Option<String> {
    match error {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Object(_) => Some(error["message"].as_str().map_or_else(|| error.to_string(), str::to_owned)),
        _ => None,
    }
}

/// The message of an error response.
pub(super) fn read_error(body: &str) -> Option<String> {
    match serde_json::from_str::<Value>(body).ok()? {
        // Gemini sends errors in an array.
        Value::Array(list) => list.iter().find_map(response_error),
        response => response_error(&response),
    }
}

/// The text of the error of a response.
pub(super) fn response_error(response: &Value) -> Option<String> {
    let text = |field: &str| response.get(field)?.as_str().map(str::to_owned);
    let alone = || ["message", "Message", "detail"].into_iter().find_map(text);
    response.get("error").and_then(server_message).or_else(alone)
}

/// The error of a server in the field `error` of a body, if there is one.
pub(super) fn server_error(error: &Value) -> Result<(), WireError> {
    server_message(error).map_or(Ok(()), |message| Err(WireError::Server { message }))
}

/// The beginning of a text, for an error message.
pub(super) fn beginning(text: &str) -> String {
    text.chars().take(200).collect()
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut LogWriter(f);
        match self {
            WireError::NotJson { beginning, source } => {
                write!(
                    f,
                    "the text is not JSON ({source}): pass the whole body of a response with a successful status, not this: {beginning}"
                )
            }
            WireError::Server { message } => write!(f, "expected a reply, got an error: {message}"),
            WireError::Unexpected { expected, problem } => write!(f, "expected {expected}: {problem}"),
            WireError::OtherWire { wire } => {
                write!(f, "this is in the format of `{wire}`: {}", advice(wire))
            }
            WireError::InvalidSetting { setting } => write!(f, "{setting} is not a JSON object: pass one"),
            WireError::NotSerializable { source } => {
                write!(f, "the request cannot be written as JSON: {source}")
            }
        }
    }
}

impl Error for WireError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // The display text includes this error, so the chain continues with its source.
            WireError::NotJson { source, .. } | WireError::NotSerializable { source } => source.source(),
            WireError::Server { .. }
            | WireError::Unexpected { .. }
            | WireError::OtherWire { .. }
            | WireError::InvalidSetting { .. } => None,
        }
    }
}
