//! Results: what the model reads of what a tool returned.
//!
//! `Ok` and `Err` are told apart first (`Returned`), then nothing, text and JSON (`Sent`). Each time an inherent
//! method wins over a trait's, and only says *which* kind it is; the bounds are checked on the ordinary call
//! that follows, so that rustc's errors about them are ordinary too. The names have `__`, since a trait of the
//! user's may be in scope with any other.

#![allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    clippy::needless_pass_by_value,
    reason = "the kinds are told apart by type alone, and answer alike"
)]

use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Display;

/// What a tool came to: the text for the model, or why there is none.
pub(crate) type Reply = Result<String, Failure>;

/// Why a function that ran has no result.
#[derive(Debug)]
pub enum Failure {
    /// It returned `Err`; this is the error's text.
    Returned(String),
    /// Its result cannot be written as JSON.
    Unserializable(serde_json::Error),
}

/// What `()` sends: a word, so that the model reads that it is done.
const NOTHING: &str = "ok";

/// What the model reads of a value whose kind shows only when the program runs.
pub(crate) fn text_of_value(value: Value) -> String {
    match value {
        Value::Null => NOTHING.to_owned(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// A returned value, to ask the compiler whether it is a `Result`.
pub struct Returned<'a, T>(pub &'a T);
/// It is a `Result`.
pub struct Fallible;
/// It is not.
pub struct Infallible;

impl<T, E> Returned<'_, Result<T, E>> {
    /// Which kind of return this is.
    #[must_use]
    pub fn __kind(&self) -> Fallible {
        Fallible
    }
}

/// For every other type.
pub trait ReturnsValue {
    /// Which kind of return this is.
    fn __kind(&self) -> Infallible {
        Infallible
    }
}

impl<T> ReturnsValue for Returned<'_, T> {}

impl Fallible {
    /// The value, or the text of the error.
    ///
    /// # Errors
    ///
    /// What the function returned.
    pub fn settle<T, E: Explain>(self, returned: Result<T, E>) -> Result<T, Failure> {
        returned.map_err(|error| Failure::Returned(error.explain()))
    }
}

impl Infallible {
    /// The value.
    ///
    /// # Errors
    ///
    /// None.
    pub fn settle<T>(self, returned: T) -> Result<T, Failure> {
        Ok(returned)
    }
}

#[diagnostic::on_unimplemented(
    message = "the error of a tool is told to the model: `{Self}` must implement `Display`",
    label = "this error has no text",
    note = "implement `std::fmt::Display` for the error type"
)]
pub trait Explain {
    /// What the model reads.
    fn explain(self) -> String;
}

#[diagnostic::do_not_recommend]
impl<E: Display> Explain for E {
    fn explain(self) -> String {
        self.to_string()
    }
}

/// A value to send, to ask the compiler how.
pub struct Sent<'a, T>(pub &'a T);
/// As `ok`.
pub struct AsNothing;
/// As it is.
pub struct AsText;
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
        Ok(NOTHING.to_owned())
    }
}

impl AsText {
    /// What the model reads.
    ///
    /// # Errors
    ///
    /// None.
    pub fn write(self, text: impl Into<String>) -> Reply {
        Ok(text.into())
    }
}

impl AsJson {
    /// What the model reads.
    ///
    /// # Errors
    ///
    /// The value's own, or a key of a map that is no string.
    pub fn write<T: Output>(self, value: T) -> Reply {
        value.to_json().map_err(Failure::Unserializable)
    }
}

#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`: it does not implement `Serialize`",
    label = "cannot be sent to the model",
    note = "return `()`, text, a type with `#[derive(serde::Serialize)]`, or a `Result` of one of these",
    note = "a future that is returned is not awaited; write an `async fn` instead"
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
