//! Isolation of panics: a panic in application code ends its own call only.

use std::any::Any;
use std::error::Error;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// The message of a panic; `None` if the payload is not a string.
pub(crate) type PanicMessage = Option<Box<dyn Error + Send + Sync>>;

/// Calls the closure and catches its panic. `AssertUnwindSafe` is correct because state that a panic leaves broken is not
/// used again.
pub(crate) fn catch_panic<T>(closure: impl FnOnce() -> T) -> Result<T, PanicMessage> {
    catch_unwind(AssertUnwindSafe(closure)).map_err(panic_message)
}

/// The message of a caught panic.
#[cold]
pub(crate) fn panic_message(payload: Box<dyn Any + Send>) -> PanicMessage {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let text = text.map(Into::into);
    // The drop of a payload may panic, and so may the drop of that panic's payload.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
    text
}

/// A future whose panics are caught: a panic in `poll` is its output, and a panic in `drop` is ignored. A dropped dispatch
/// drops its tools one after the other, and a second panic during unwinding would abort the process.
pub(crate) struct CatchPanic<'a, T>(Option<Boxed<'a, T>>);

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl<'a, T> CatchPanic<'a, T> {
    pub(crate) fn new(future: Boxed<'a, T>) -> Self {
        CatchPanic(Some(future))
    }
}

impl<T> Future for CatchPanic<'_, T> {
    type Output = Result<T, PanicMessage>;
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            Some(future) => match catch_panic(|| future.as_mut().poll(context)) {
                Ok(polled) => polled.map(Ok),
                Err(payload) => Poll::Ready(Err(payload)),
            },
            None => Poll::Pending,
        }
    }
}

impl<T> Drop for CatchPanic<'_, T> {
    fn drop(&mut self) {
        let future = self.0.take();
        // The process's panic hook has reported it.
        let _ = catch_panic(|| drop(future));
    }
}
