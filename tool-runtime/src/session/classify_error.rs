//! The kinds of the errors of a program's client.

use crate::wire::ErrorKind;

/// Returns the kind of an error of the client. The default of a run, `()`, returns none. Programs do not implement it: they call
/// [`Run::classify_error`](super::Run::classify_error).
pub trait ClassifyError<E> {
    #[doc(hidden)]
    fn __classify(&self, error: &E) -> Option<ErrorKind>;
}

impl<E> ClassifyError<E> for () {
    fn __classify(&self, _: &E) -> Option<ErrorKind> {
        None
    }
}

/// The function of [`Run::classify_error`](super::Run::classify_error).
#[derive(Debug)]
pub struct ErrorClassifier<F>(pub(super) F);

impl<E, F: Fn(&E) -> ErrorKind> ClassifyError<E> for ErrorClassifier<F> {
    fn __classify(&self, error: &E) -> Option<ErrorKind> {
        Some((self.0)(error))
    }
}
