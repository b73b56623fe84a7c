//! A panic of the program's code ends the call that it belongs to, and nothing else.

use std::any::Any;
use std::error::Error;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// What was said in a panic, where that is a text.
pub(crate) type Payload = Option<Box<dyn Error + Send + Sync>>;

/// What the closure comes to. It is not called again: what it leaves in a broken state is not looked at.
pub(crate) fn guarded<T>(closure: impl FnOnce() -> T) -> Result<T, Payload> {
    catch_unwind(AssertUnwindSafe(closure)).map_err(text)
}

#[cold]
fn text(payload: Box<dyn Any + Send>) -> Payload {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let text = text.map(Into::into);
    // A payload may panic in turn when it is dropped, and so may the payload of that panic.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
    text
}

/// A future whose panics end nothing but itself: when it is polled, which tells of them, and when it is dropped. Where a
/// batch is given up, its tools are dropped one after the other, and a second panic would end the process.
pub(crate) struct Held<'a, T>(Option<Boxed<'a, T>>);

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl<'a, T> Held<'a, T> {
    pub(crate) fn new(future: Boxed<'a, T>) -> Self {
        Held(Some(future))
    }
}

impl<T> Future for Held<'_, T> {
    type Output = Result<T, Payload>;
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            Some(future) => match guarded(|| future.as_mut().poll(context)) {
                Ok(polled) => polled.map(Ok),
                Err(payload) => Poll::Ready(Err(payload)),
            },
            None => Poll::Pending,
        }
    }
}

impl<T> Drop for Held<'_, T> {
    fn drop(&mut self) {
        let future = self.0.take();
        // The process's own panic hook has told of it.
        let _ = guarded(|| drop(future));
    }
}
