//! Results: what the model reads of what a tool returned, and what the program gets beside it.
//!
//! `Ok` and `Err` are told apart first (`returned`), then nothing, text, an output and JSON (`sent`). Each time an
//! inherent method wins over a trait's, and only says *which* kind it is; the bounds of what must be so are checked on
//! the ordinary call that follows, so that rustc's errors about them are ordinary too. The names have `__`, since a
//! trait of the user's may be in scope with any other.

mod cut;
mod returned;
mod sent;
mod texts;
mod tool_output;

pub(crate) use cut::cut;
pub use returned::{Borrowing, Returned, ReturnsValue, ToolError};
pub use sent::{SendsJson, Sent};
#[cfg(feature = "tracing")]
pub(crate) use texts::Texts;
pub use tool_output::ToolOutput;

use std::error::Error;

/// What a tool came to: the output, or why there is none.
pub(crate) type Reply = Result<ToolOutput, Failure>;

/// Why a function that ran has no result.
#[derive(Debug)]
pub enum Failure {
    /// It returned `Err`.
    Returned(ReturnedError),
    /// Its result cannot be written as JSON.
    Unserializable(serde_json::Error),
}

/// A returned error: what the model reads of it, and the error itself where it can be kept.
#[derive(Debug)]
pub struct ReturnedError {
    pub(crate) message: String,
    /// Whether the message is not the error's own text.
    pub(crate) is_for_model: bool,
    pub(crate) error: Option<Box<dyn Error + Send + Sync>>,
}

impl Failure {
    #[cold]
    pub(crate) fn of_error(error: Box<dyn Error + Send + Sync>) -> Self {
        let message = error.to_string();
        Failure::Returned(ReturnedError { message, is_for_model: false, error: Some(error) })
    }

    #[cold]
    pub(crate) fn of_text(message: String) -> Self {
        Failure::Returned(ReturnedError { message, is_for_model: false, error: None })
    }

    #[cold]
    pub(crate) fn of_tool_error(error: impl ToolError) -> Self {
        let message = error.for_model();
        Failure::Returned(ReturnedError { message, is_for_model: true, error: Some(error.into()) })
    }
}

/// What `()` sends: a word, so that the model reads that it is done.
const NOTHING: &str = "ok";
