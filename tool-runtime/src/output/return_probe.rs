//! Selection of `Ok` and `Err` in a returned value, and the conversion of its error.

#![allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    clippy::needless_pass_by_value,
    reason = "all kinds have the same methods and differ only in their types"
)]

use super::FunctionError;
use super::error_snapshot::ErrorSnapshot;
use std::error::Error;
use std::fmt::Display;
use std::marker::PhantomData;
use std::ops::Deref;

/// An error with a separate message for the model.
///
/// For any other error, the model receives its [`Display`] text, without its sources. Implement this trait for an error
/// whose `Display` text is for logs, and use it as the error type of the tool. Inside a `Box<dyn Error>` or an
/// `anyhow::Error`, and in a [`DynamicTool`](crate::DynamicTool), this trait is not used, and the model receives the
/// `Display` text.
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
/// let messages = registry.dispatch(&[ToolCall::new("call_1", "count_users", "{}")]).await;
/// assert_eq!(messages[0].content, "Error: the database does not answer; try again in a minute");
///
/// // The program receives the error itself.
/// let error = messages[0].outcome().and_then(|outcome| outcome.error()).ok_or("it failed")?;
/// let CallError::Returned { error: Some(error), .. } = error else { return Err("another".into()) };
/// assert_eq!(error.downcast_ref::<DbError>().map(|error| error.host), Some("db.internal"));
/// # Ok(())
/// # }
/// ```
pub trait ToolError: Error + Send + Sync + 'static {
    /// The message that the model receives after `Error: `. It should name the problem and what the model can do about
    /// it.
    fn for_model(&self) -> String;
}

/// A returned value whose kind the compiler selects. The first match of these wins: a `Result` whose error is a
/// [`ToolError`] or a `Box<dyn Error>`; a `Result` whose error can be kept for the program (`Convertible`); any other
/// `Result` (`AnyReturn`); any other type.
pub struct ReturnProbe<'a, T>(pub &'a T);
/// The second candidate, after [`ReturnProbe`]: errors with a conversion to `Box<dyn Error + Send + Sync>`, such as
/// strings and `anyhow::Error`.
pub struct Convertible<T>(PhantomData<T>);
/// The last candidate.
pub struct AnyReturn<T>(PhantomData<T>);
/// The first candidate if the type of the error shows that it may borrow from the arguments: such an error cannot be
/// kept.
pub struct BorrowingProbe<'a, T>(pub &'a T);

/// The kind of a `Result` whose error is a [`ToolError`].
pub struct ToolErrorKind;
/// The kind of a `Result` with a `Box<dyn Error>` that is not `Send + Sync`.
pub struct LocalBoxKind;
/// The kind of a `Result` whose error is kept.
pub struct BoxableKind;
/// The kind of a `Result` of whose error only the text is kept.
pub struct DisplayKind;
/// The kind of a type other than `Result`.
pub struct ValueKind;

/// Errors of the first candidate. This is a trait so that `ReturnProbe` has one inherent method: see `Plain` in `output_probe`.
pub trait KnownError {
    /// The kind of the returned value.
    type Kind;
    /// The kind of the returned value.
    const KIND: Self::Kind;
}

impl<E: ToolError> KnownError for E {
    type Kind = ToolErrorKind;
    const KIND: ToolErrorKind = ToolErrorKind;
}

impl KnownError for Box<dyn Error> {
    type Kind = LocalBoxKind;
    const KIND: LocalBoxKind = LocalBoxKind;
}

impl KnownError for Box<dyn Error + Send> {
    type Kind = LocalBoxKind;
    const KIND: LocalBoxKind = LocalBoxKind;
}

impl<T, E: KnownError> ReturnProbe<'_, Result<T, E>> {
    /// The kind of the returned value.
    #[must_use]
    pub fn __kind(&self) -> E::Kind {
        E::KIND
    }
}

impl<T> Deref for ReturnProbe<'_, T> {
    type Target = Convertible<T>;
    fn deref(&self) -> &Convertible<T> {
        &Convertible(PhantomData)
    }
}

impl<T, E: Into<Box<dyn Error + Send + Sync>>> Convertible<Result<T, E>> {
    /// The kind of the returned value.
    #[must_use]
    pub fn __kind(&self) -> BoxableKind {
        BoxableKind
    }
}

impl<T> Deref for Convertible<T> {
    type Target = AnyReturn<T>;
    fn deref(&self) -> &AnyReturn<T> {
        &AnyReturn(PhantomData)
    }
}

impl<T, E: ToolError> BorrowingProbe<'_, Result<T, E>> {
    /// The kind of the returned value.
    #[must_use]
    pub fn __kind(&self) -> ToolErrorKind {
        ToolErrorKind
    }
}

impl<T> Deref for BorrowingProbe<'_, T> {
    type Target = AnyReturn<T>;
    fn deref(&self) -> &AnyReturn<T> {
        &AnyReturn(PhantomData)
    }
}

impl<T, E> AnyReturn<Result<T, E>> {
    /// The kind of the returned value.
    #[must_use]
    pub fn __kind(&self) -> DisplayKind {
        DisplayKind
    }
}

/// The kind of every other type.
pub trait ReturnsValue {
    /// The kind of the returned value.
    fn __kind(&self) -> ValueKind {
        ValueKind
    }
}

impl<T> ReturnsValue for AnyReturn<T> {}

impl ToolErrorKind {
    /// Returns the value, or the error with its message for the model.
    ///
    /// # Errors
    ///
    /// Returns the error of the function.
    pub fn into_result<T, E: ToolError>(self, returned: Result<T, E>) -> Result<T, FunctionError> {
        returned.map_err(|error| FunctionError::from_tool_error(error))
    }
}

impl LocalBoxKind {
    /// Returns the value, or the texts of the error.
    ///
    /// # Errors
    ///
    /// Returns the error of the function.
    pub fn into_result<T, E: Error + ?Sized>(self, returned: Result<T, Box<E>>) -> Result<T, FunctionError> {
        returned.map_err(|error| FunctionError::from_error(Box::new(ErrorSnapshot::new(&*error))))
    }
}

impl BoxableKind {
    /// Returns the value, or the error.
    ///
    /// # Errors
    ///
    /// Returns the error of the function.
    pub fn into_result<T, E: Into<Box<dyn Error + Send + Sync>>>(
        self,
        returned: Result<T, E>,
    ) -> Result<T, FunctionError> {
        returned.map_err(|error| FunctionError::from_error(error.into()))
    }
}

impl DisplayKind {
    /// Returns the value, or the text of the error.
    ///
    /// # Errors
    ///
    /// Returns the error of the function.
    pub fn into_result<T, E: Explain>(self, returned: Result<T, E>) -> Result<T, FunctionError> {
        returned.map_err(|error| FunctionError::from_text(error.explain()))
    }
}

impl ValueKind {
    /// Returns the value.
    ///
    /// # Errors
    ///
    /// Never.
    pub fn into_result<T>(self, returned: T) -> Result<T, FunctionError> {
        Ok(returned)
    }
}

#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool: it does not implement `Display`",
    label = "has no message for the model",
    note = "implement `std::fmt::Display` for the error type; its text is sent to the model"
)]
pub trait Explain {
    /// The message for the model.
    fn explain(self) -> String;
}

#[diagnostic::do_not_recommend]
impl<E: Display> Explain for E {
    fn explain(self) -> String {
        self.to_string()
    }
}
