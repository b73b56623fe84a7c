//! Results: what the model reads of what a tool returned, and what the program gets beside it.
//!
//! `Ok` and `Err` are told apart first (`returned`), then nothing, text, an output and JSON (`sent`). Each time an inherent
//! method wins over a trait's, and only says *which* kind it is; the bounds of what must be so are checked on the ordinary
//! call that follows, so that rustc's errors about them are ordinary too. The names have `__`, since a trait of the
//! user's may be in scope with any other.

mod cut;
mod returned;
mod sent;
mod texts;
mod tool_output;

pub(crate) use cut::cut;
pub use returned::{Borrowing, Returned, ReturnsValue, ToolError};
pub(crate) use returned::{kept, told};
pub use sent::{SendsJson, Sent};
pub use tool_output::ToolOutput;

use std::error::Error;

/// What a tool came to: the output, or why there is none.
pub(crate) type Reply = Result<ToolOutput, Failure>;

/// Why a function that ran has no result.
#[derive(Debug)]
pub enum Failure {
    /// It returned `Err`.
    Returned(Told),
    /// Its result cannot be written as JSON.
    Unserializable(serde_json::Error),
}

/// A returned error: what the model reads of it, and the error itself where it can be kept.
#[derive(Debug)]
pub struct Told {
    pub(crate) message: String,
    pub(crate) error: Option<Box<dyn Error + Send + Sync>>,
}

/// What `()` sends: a word, so that the model reads that it is done.
const NOTHING: &str = "ok";
