//! Errors of wires.

use std::error::Error;
use std::fmt;

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
    /// The JSON is in the format of another wire.
    #[non_exhaustive]
    OtherWire {
        /// The name of that wire.
        wire: &'static str,
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

/// The beginning of a text, for an error message.
pub(super) fn beginning(text: &str) -> String {
    text.chars().take(200).collect()
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireError::NotJson { beginning, source } => {
                write!(
                    f,
                    "the text is not JSON ({source}); pass the whole body of the response, not this: {beginning}"
                )
            }
            WireError::Server { message } => write!(f, "expected a reply, got an error: {message}"),
            WireError::Unexpected { expected, problem } => write!(f, "expected {expected}: {problem}"),
            WireError::OtherWire { wire } => {
                write!(f, "this is in the format of the wire `{wire}`: read it with that wire")
            }
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
            WireError::Server { .. } | WireError::Unexpected { .. } | WireError::OtherWire { .. } => None,
        }
    }
}

/// The error for a name that no available wire has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWireError {
    name: String,
}

/// The wires, each with the feature that enables it.
const WIRES: [(&str, Option<&str>); 2] = [("chat_completions", None), ("anthropic", Some("anthropic"))];

impl UnknownWireError {
    pub(super) fn new(name: &str) -> Self {
        UnknownWireError { name: name.to_owned() }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The feature of `tool-runtime` that enables the wire of this name; `None` if there is no such wire.
    #[must_use]
    pub fn feature(&self) -> Option<&'static str> {
        WIRES.iter().find(|(name, _)| *name == self.name).and_then(|(_, feature)| *feature)
    }
}

impl fmt::Display for UnknownWireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(feature) = self.feature() {
            return write!(
                f,
                "the wire `{}` is not available: enable the feature `{feature}` of tool-runtime",
                self.name
            );
        }
        let names: Vec<String> = WIRES.iter().map(|(name, _)| format!("`{name}`")).collect();
        write!(f, "there is no wire `{}`: use one of {}", self.name, names.join(", "))
    }
}

impl Error for UnknownWireError {}
