//! Results of tools: the conversion of a returned value into a result for the model and the program.
//!
//! The module `return_probe` separates `Ok` from `Err`, and `output_probe` selects the form of the value: text, a
//! content or JSON. Both rely on method resolution: an inherent method takes precedence over a trait method, and returns
//! only the *kind* of the value. The ordinary method call that follows has the trait bounds, so that rustc reports an
//! unsatisfied bound in the usual way. The method names start with `__`, since a trait in the user's scope may have a
//! method of any other name.

mod error_snapshot;
mod output_probe;
mod return_probe;
mod tool_failure;
mod tool_output;
mod tool_result;
mod truncate_middle;

#[cfg(feature = "tracing")]
pub(crate) use error_snapshot::ErrorSnapshot;
pub use output_probe::{OutputProbe, SendsJson};
pub use return_probe::{BorrowingProbe, ReturnProbe, ReturnsValue, ToolError};
pub use tool_failure::ToolFailure;
pub(crate) use tool_output::Pending;
pub use tool_output::ToolOutput;
pub(crate) use tool_result::CallResult;
pub use tool_result::ToolResult;
pub(crate) use truncate_middle::truncate_middle;

use std::error::Error;

/// The reason why a function that ran has no output.
#[derive(Debug)]
pub enum FunctionError {
    /// It returned `Err`.
    Returned {
        /// The message for the model.
        message: String,
        /// Whether the message is from `ToolError::for_model`.
        is_for_model: bool,
        /// The error, if it can be kept.
        error: Option<Box<dyn Error + Send + Sync>>,
    },
    /// Its result cannot be written as JSON.
    Unserializable(serde_json::Error),
}

impl FunctionError {
    #[cold]
    pub(crate) fn from_error(error: Box<dyn Error + Send + Sync>) -> Self {
        FunctionError::Returned { message: error.to_string(), is_for_model: false, error: Some(error) }
    }

    #[cold]
    pub(crate) fn from_text(message: String) -> Self {
        FunctionError::Returned { message, is_for_model: false, error: None }
    }

    #[cold]
    pub(crate) fn from_tool_error(error: impl ToolError) -> Self {
        let message = error.for_model();
        FunctionError::Returned { message, is_for_model: true, error: Some(error.into()) }
    }
}
