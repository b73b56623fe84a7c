//! The kinds of the errors of a program's client.

use crate::wire::ErrorKind;

/// Finds the kind of an error of the client. `()` does not know any; [`Run::error_kind`](super::Run::error_kind) sets a function.
pub trait ErrorKinds<E> {
    #[doc(hidden)]
    fn __kind(&self, error: &E) -> Option<ErrorKind>;
}

impl<E> ErrorKinds<E> for () {
    fn __kind(&self, _: &E) -> Option<ErrorKind> {
        None
    }
}

/// The function of [`Run::error_kind`](super::Run::error_kind).
#[derive(Debug)]
pub struct KindOf<F>(pub(super) F);

impl<E, F: Fn(&E) -> ErrorKind> ErrorKinds<E> for KindOf<F> {
    fn __kind(&self, error: &E) -> Option<ErrorKind> {
        Some((self.0)(error))
    }
}
