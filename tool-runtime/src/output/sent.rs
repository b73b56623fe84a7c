//! Selection of the form in which a returned value is sent to the model.

#![allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    clippy::needless_pass_by_value,
    reason = "all kinds have the same methods and differ only in their types"
)]

use super::{Failure, Reply, ToolOutput};
use serde::Serialize;
use std::borrow::Cow;

/// A value whose form the compiler selects.
pub struct Sent<'a, T>(pub &'a T);
/// Sent as `ok`.
pub struct AsNothing;
/// Sent as text.
pub struct AsText;
/// Sent as the tool created it.
pub struct AsOutput;
/// Sent as JSON.
pub struct AsJson;

/// Results that are not sent as JSON.
///
/// This is a trait so that `Sent` has one inherent method instead of one for each type: if the type of the result does
/// not exist, rustc would report an additional error about the choice between them.
pub trait Plain {
    /// The form of this type.
    type Kind;
    /// The form of this type.
    const KIND: Self::Kind;
}

impl Plain for () {
    type Kind = AsNothing;
    const KIND: AsNothing = AsNothing;
}

macro_rules! text {
    ($($text:ty),*) => {$(
        impl Plain for $text {
            type Kind = AsText;
            const KIND: AsText = AsText;
        }
    )*};
}
text!(String, &str, Cow<'_, str>, Box<str>);

impl Plain for ToolOutput {
    type Kind = AsOutput;
    const KIND: AsOutput = AsOutput;
}

impl<T: Plain> Sent<'_, T> {
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

impl<T> SendsJson for Sent<'_, T> {}

impl AsNothing {
    /// Returns the output.
    ///
    /// # Errors
    ///
    /// Never.
    pub fn write(self, (): ()) -> Reply {
        Ok(().into())
    }
}

impl AsText {
    /// Returns the output.
    ///
    /// # Errors
    ///
    /// Never.
    pub fn write(self, text: impl Into<String>) -> Reply {
        Ok(ToolOutput::new(text))
    }
}

impl AsOutput {
    /// Returns the output.
    ///
    /// # Errors
    ///
    /// Never.
    pub fn write(self, output: ToolOutput) -> Reply {
        Ok(output)
    }
}

impl AsJson {
    /// Returns the output.
    ///
    /// # Errors
    ///
    /// Returns an error if the value's `Serialize` fails, or if a key of a map is not a string.
    pub fn write<T: Output>(self, value: T) -> Reply {
        match value.to_json() {
            Ok(json) => Ok(ToolOutput::new(json)),
            Err(error) => Err(Failure::Unserializable(error)),
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
