//! The texts that wires read, and the errors for other texts.

use super::WireError;
use super::detect::{wire_of_request, wire_of_response};
use serde::Deserialize;
use serde_json::Value;
use std::fmt::Display;

/// A kind of text that a wire reads.
pub(super) struct Expected {
    wire: &'static str,
    /// The kind and its format, for error messages.
    kind: &'static str,
    /// The wire of a body of this kind.
    detect: fn(&Value) -> Option<&'static str>,
}

impl Expected {
    /// The body of a response.
    pub(super) const fn reply(wire: &'static str, kind: &'static str) -> Self {
        Expected { wire, kind, detect: wire_of_response }
    }

    /// The body of a request, or the list of its messages.
    pub(super) const fn request(wire: &'static str, kind: &'static str) -> Self {
        Expected { wire, kind, detect: wire_of_request }
    }

    /// Reads a body.
    pub(super) fn read<'b, T: Deserialize<'b>>(&self, body: &'b str) -> Result<T, WireError> {
        self.read_input(body, body)
    }

    /// Reads the part of a body with all messages.
    pub(super) fn read_input<'b, T: Deserialize<'b>>(
        &self,
        body: &str,
        input: &'b str,
    ) -> Result<T, WireError> {
        serde_json::from_str(input).map_err(|error| {
            if error.is_data() { self.wrong_body(body, error) } else { WireError::not_json(body, error) }
        })
    }

    /// Reads a body, or the list in it.
    pub(super) fn read_or_list<'b, T: Deserialize<'b>, L: Deserialize<'b>>(
        &self,
        body: &'b str,
        from_list: impl FnOnce(L) -> T,
    ) -> Result<T, WireError> {
        if is_list(body) { self.read(body).map(from_list) } else { self.read(body) }
    }

    /// Reads a part of a body.
    pub(super) fn read_part<'b, T: Deserialize<'b>>(&self, json: &'b str) -> Result<T, WireError> {
        serde_json::from_str(json).map_err(|error| self.unexpected(error))
    }

    /// The error for the body of another API, or for one with this problem.
    pub(super) fn wrong_body(&self, body: &str, problem: impl Display) -> WireError {
        let wire = (self.detect)(&serde_json::from_str(body).unwrap_or_default());
        wire.filter(|wire| *wire != self.wire)
            .map_or_else(|| self.unexpected(problem), |wire| WireError::OtherWire { wire })
    }

    pub(super) fn unexpected(&self, problem: impl Display) -> WireError {
        WireError::Unexpected { expected: self.kind, problem: problem.to_string() }
    }
}

/// Whether a body is a list.
pub(super) fn is_list(body: &str) -> bool {
    body.trim_start().starts_with('[')
}
