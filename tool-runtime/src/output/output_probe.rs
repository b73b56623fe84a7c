//! Selection of the form in which a returned value is sent to the model.

#![allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    clippy::needless_pass_by_value,
    reason = "all kinds have the same methods and differ only in their types"
)]

use super::{FunctionError, ToolOutput};
use crate::message::{Content, Part};
use serde::Serialize;
use std::borrow::Cow;

/// A value whose form the compiler selects.
pub struct OutputProbe<'a, T>(pub &'a T);
/// Sent as text.
pub struct AsText;
/// Sent as the content that the tool created; nothing is sent as `ok`.
pub struct AsOutput;
/// Sent as JSON.
pub struct AsJson;

/// Results that are not sent as JSON.
///
/// This is a trait so that `OutputProbe` has one inherent method instead of one for each type: if the type of the result does
/// not exist, rustc would report an additional error about the choice between them.
pub trait Plain {
    /// The form of this type.
    type Kind;
    /// The form of this type.
    const KIND: Self::Kind;
}

macro_rules! plain {
    ($($kind:ident: $($output:ty),*;)*) => {$($(
        impl Plain for $output {
            type Kind = $kind;
            const KIND: $kind = $kind;
        }
    )*)*};
}
plain! {
    AsText: String, &str, Cow<'_, str>, Box<str>;
    AsOutput: (), ToolOutput, Content, Part, Vec<Part>;
}

impl<T: Plain> OutputProbe<'_, T> {
    /// The form of this value.
    #[must_use]
    pub fn __kind(&self) -> T::Kind {
        T::KIND
    }
}

/// The form of every other type.
pub trait SendsJson {
    /// The form of this value.
    fn __kind(&self) -> AsJson {
        AsJson
    }
}

impl<T> SendsJson for OutputProbe<'_, T> {}

impl AsText {
    /// Returns the output.
    ///
    /// # Errors
    ///
    /// Never.
    pub fn write(self, text: impl Into<String>) -> Result<ToolOutput, FunctionError> {
        Ok(ToolOutput::from(text.into()))
    }
}

impl AsOutput {
    /// Returns the output.
    ///
    /// # Errors
    ///
    /// Returns an error if the output contains a value that could not be written as JSON.
    pub fn write(self, output: impl Into<ToolOutput>) -> Result<ToolOutput, FunctionError> {
        output.into().reject_unserializable().map_err(FunctionError::Unserializable)
    }
}

impl AsJson {
    /// Returns the output.
    ///
    /// # Errors
    ///
    /// Returns an error if the value's `Serialize` fails, or if a key of a map is not a string.
    pub fn write<T: Output>(self, value: T) -> Result<ToolOutput, FunctionError> {
        match value.to_json() {
            Ok(json) => Ok(ToolOutput::from_json_text(json)),
            Err(error) => Err(FunctionError::Unserializable(error)),
        }
    }
}

#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`: it does not implement `Serialize`",
    label = "cannot be sent to the model",
    note = "return `()`, a string, a type with `#[derive(serde::Serialize)]`, or a `Result` of one of these",
    note = "if the function returns a future, write an `async fn` instead"
)]
pub trait Output {
    /// Serializes the value as JSON.
    ///
    /// # Errors
    ///
    /// Returns an error if the value's `Serialize` fails, or if a key of a map is not a string.
    fn to_json(&self) -> Result<String, serde_json::Error>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> Output for T {
    fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}
