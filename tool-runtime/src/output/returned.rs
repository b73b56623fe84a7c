//! Whether a tool returned `Ok` or `Err`, and what the model is told of an error.

#![allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    clippy::needless_pass_by_value,
    reason = "the kinds are told apart by type alone, and answer alike"
)]

use super::Failure;
use super::texts::Texts;
use std::error::Error;
use std::fmt::Display;
use std::marker::PhantomData;
use std::ops::Deref;

/// An error that decides for itself what the model reads of it.
///
/// The model reads any other error by its [`Display`], and its sources not at all. An error whose text is for the log of
/// the program, not for a model, implements this, and is the error type of the tool: inside of a `Box<dyn Error>` or an
/// `anyhow::Error`, and in a [`DynamicTool`](crate::DynamicTool), its `Display` is what is seen of it.
///
/// ```
/// use std::fmt;
/// use tool_runtime::{CallError, Registry, ToolCall, ToolError, tool, tools};
///
/// #[derive(Debug)]
/// struct DbError {
///     host: &'static str,
/// }
///
/// impl fmt::Display for DbError {
///     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
///         write!(f, "no connection to {}", self.host)
///     }
/// }
/// impl std::error::Error for DbError {}
///
/// impl ToolError for DbError {
///     fn for_model(&self) -> String {
///         "the database does not answer; try again in a minute".to_owned()
///     }
/// }
///
/// /// Counts the users.
/// #[tool]
/// async fn count_users() -> Result<u64, DbError> {
///     Err(DbError { host: "db.internal" })
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::new(tools![count_users])?;
/// let answers = registry.dispatch(&[ToolCall::new("call_1", "count_users", "{}")]).await;
/// assert_eq!(answers[0].content, "Error: the database does not answer; try again in a minute");
///
/// // The program has the error itself.
/// let error = answers[0].outcome().and_then(|outcome| outcome.error()).ok_or("it failed")?;
/// let CallError::Returned { error: Some(error), .. } = error else { return Err("another".into()) };
/// assert_eq!(error.downcast_ref::<DbError>().map(|error| error.host), Some("db.internal"));
/// # Ok(())
/// # }
/// ```
pub trait ToolError: Error + Send + Sync + 'static {
    /// What the model reads after `Error: `: what was wrong, and what it can do about it.
    fn for_model(&self) -> String;
}

/// A returned value, to ask the compiler what it is. The first of these that fits has the answer: a `Result` whose
/// error is a [`ToolError`], or a `Box<dyn Error>`; one whose error can be kept for the program (`Convertible`); any
/// other `Result` (`AnyReturn`); no `Result`.
pub struct Returned<'a, T>(pub &'a T);
/// Looked at after [`Returned`]: errors become a `Box<dyn Error + Send + Sync>`, as do texts and `anyhow::Error`.
pub struct Convertible<T>(PhantomData<T>);
/// Looked at last.
pub struct AnyReturn<T>(PhantomData<T>);
/// Where the macro begins instead, if the type of the error shows that it may borrow from the arguments: such a one
/// cannot be kept.
pub struct Borrowing<'a, T>(pub &'a T);

/// It tells the model itself.
pub struct TellsItself;
/// It is a `Box<dyn Error>`, which cannot be shared between threads.
pub struct StaysHere;
/// It is kept.
pub struct IsKept;
/// Only its text is kept.
pub struct IsText;
/// It is no `Result`.
pub struct Infallible;

/// Errors that are asked for first. A trait, so that `Returned` has one inherent method, as for the results in `sent`.
pub trait KnownError {
    /// Which kind of return this is.
    type Kind;
    /// Which kind of return this is.
    const KIND: Self::Kind;
}

impl<E: ToolError> KnownError for E {
    type Kind = TellsItself;
    const KIND: TellsItself = TellsItself;
}

impl KnownError for Box<dyn Error> {
    type Kind = StaysHere;
    const KIND: StaysHere = StaysHere;
}

impl KnownError for Box<dyn Error + Send> {
    type Kind = StaysHere;
    const KIND: StaysHere = StaysHere;
}

impl<T, E: KnownError> Returned<'_, Result<T, E>> {
    /// Which kind of return this is.
    #[must_use]
    pub fn __kind(&self) -> E::Kind {
        E::KIND
    }
}

impl<T> Deref for Returned<'_, T> {
    type Target = Convertible<T>;
    fn deref(&self) -> &Convertible<T> {
        &Convertible(PhantomData)
    }
}

impl<T, E: Into<Box<dyn Error + Send + Sync>>> Convertible<Result<T, E>> {
    /// Which kind of return this is.
    #[must_use]
    pub fn __kind(&self) -> IsKept {
        IsKept
    }
}

impl<T> Deref for Convertible<T> {
    type Target = AnyReturn<T>;
    fn deref(&self) -> &AnyReturn<T> {
        &AnyReturn(PhantomData)
    }
}

impl<T, E: ToolError> Borrowing<'_, Result<T, E>> {
    /// Which kind of return this is.
    #[must_use]
    pub fn __kind(&self) -> TellsItself {
        TellsItself
    }
}

impl<T> Deref for Borrowing<'_, T> {
    type Target = AnyReturn<T>;
    fn deref(&self) -> &AnyReturn<T> {
        &AnyReturn(PhantomData)
    }
}

impl<T, E> AnyReturn<Result<T, E>> {
    /// Which kind of return this is.
    #[must_use]
    pub fn __kind(&self) -> IsText {
        IsText
    }
}

/// For every other type.
pub trait ReturnsValue {
    /// Which kind of return this is.
    fn __kind(&self) -> Infallible {
        Infallible
    }
}

impl<T> ReturnsValue for AnyReturn<T> {}

impl TellsItself {
    /// The value, or the error.
    ///
    /// # Errors
    ///
    /// What the function returned.
    pub fn settle<T, E: ToolError>(self, returned: Result<T, E>) -> Result<T, Failure> {
        returned.map_err(|error| Failure::of_tool_error(error))
    }
}

impl StaysHere {
    /// The value, or the texts of the error.
    ///
    /// # Errors
    ///
    /// What the function returned.
    pub fn settle<T, E: Error + ?Sized>(self, returned: Result<T, Box<E>>) -> Result<T, Failure> {
        returned.map_err(|error| Failure::of_error(Box::new(Texts::of(&*error))))
    }
}

impl IsKept {
    /// The value, or the error.
    ///
    /// # Errors
    ///
    /// What the function returned.
    pub fn settle<T, E: Into<Box<dyn Error + Send + Sync>>>(
        self,
        returned: Result<T, E>,
    ) -> Result<T, Failure> {
        returned.map_err(|error| Failure::of_error(error.into()))
    }
}

impl IsText {
    /// The value, or the text of the error.
    ///
    /// # Errors
    ///
    /// What the function returned.
    pub fn settle<T, E: Explain>(self, returned: Result<T, E>) -> Result<T, Failure> {
        returned.map_err(|error| Failure::of_text(error.explain()))
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
    message = "`{Self}` cannot be the error of a tool: it does not implement `Display`",
    label = "has no message for the model",
    note = "implement `std::fmt::Display` for the error type; its text is sent to the model"
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
