//! How a returned value is sent to the model.

#![allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    clippy::needless_pass_by_value,
    reason = "the kinds are told apart by type alone, and answer alike"
)]

use super::{Failure, Reply, ToolOutput};
use serde::Serialize;
use std::borrow::Cow;

/// A value to send, to ask the compiler how.
pub struct Sent<'a, T>(pub &'a T);
/// As `ok`.
pub struct AsNothing;
/// As it is.
pub struct AsText;
/// As it was made.
pub struct AsOutput;
/// As JSON.
pub struct AsJson;

/// Results that are not sent as JSON.
///
/// A trait, so that `Sent` has one inherent method, not one for each type: where the type of the result does
/// not exist, rustc would add to its error one about the choice between them.
pub trait Plain {
    /// How it is sent.
    type Kind;
    /// How it is sent.
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
    /// How this is sent.
    #[must_use]
    pub fn __kind(&self) -> T::Kind {
        T::KIND
    }
}

/// For every other type.
pub trait SendsJson {
    /// How this is sent.
    fn __kind(&self) -> AsJson {
        AsJson
    }
}

impl<T> SendsJson for Sent<'_, T> {}

impl AsNothing {
    /// What the model reads.
    ///
    /// # Errors
    ///
    /// None.
    pub fn write(self, (): ()) -> Reply {
        Ok(().into())
    }
}

impl AsText {
    /// What the model reads.
    ///
    /// # Errors
    ///
    /// None.
    pub fn write(self, text: impl Into<String>) -> Reply {
        Ok(ToolOutput::new(text))
    }
}

impl AsOutput {
    /// What the model reads, and what the program gets.
    ///
    /// # Errors
    ///
    /// None.
    pub fn write(self, output: ToolOutput) -> Reply {
        Ok(output)
    }
}

impl AsJson {
    /// What the model reads.
    ///
    /// # Errors
    ///
    /// The value's own, or a key of a map that is no string.
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
    note = "a returned future is not awaited; write an `async fn` instead"
)]
pub trait Output {
    /// The value as JSON.
    ///
    /// # Errors
    ///
    /// The value's own, or a key of a map that is no string.
    fn to_json(&self) -> Result<String, serde_json::Error>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> Output for T {
    fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}
