//! Results of tools: the conversion of a returned value into a result for the model and the program.
//!
//! The module `returned` separates `Ok` from `Err`, and `sent` selects the form of the value: nothing, text, an output
//! or JSON. Both rely on method resolution: an inherent method takes precedence over a trait method, and returns only
//! the *kind* of the value. The ordinary method call that follows has the trait bounds, so that rustc reports an
//! unsatisfied bound in the usual way. The method names start with `__`, since a trait in the user's scope may have a
//! method of any other name.

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

/// The result of a tool: its output, or the reason why there is none.
pub(crate) type Reply = Result<ToolOutput, Failure>;

/// The reason why a function that ran has no output.
#[derive(Debug)]
pub enum Failure {
    /// It returned `Err`.
    Returned(ReturnedError),
    /// Its result cannot be written as JSON.
    Unserializable(serde_json::Error),
}

/// A returned error: its message for the model, and the error itself if it can be kept.
#[derive(Debug)]
pub struct ReturnedError {
    pub(crate) message: String,
    /// Whether the message is from `ToolError::for_model`.
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

/// The result of `()` for the model.
const NOTHING: &str = "ok";
