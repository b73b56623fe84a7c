//! A panic of the program's code ends the call that it belongs to, and nothing else.

use std::any::Any;
use std::error::Error;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

/// What was said in a panic, where that is a text.
pub(crate) type Payload = Option<Box<dyn Error + Send + Sync>>;

/// What the future comes to, or what it panicked with. All that futures-util's `catch_unwind` does, without
/// the features that it needs.
pub(crate) async fn caught<F: Future>(future: F) -> Result<F::Output, Payload> {
    let mut future = pin!(future);
    poll_fn(|context| match guarded(|| future.as_mut().poll(context)) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Err(payload) => Poll::Ready(Err(payload)),
    })
    .await
}

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

/// A future of the program's, whose panic when it is dropped ends nothing. Where a batch is given up, its tools are
/// dropped one after the other, and a second panic would end the process.
pub(crate) struct Held<'a, T>(Option<Boxed<'a, T>>);

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl<'a, T> Held<'a, T> {
    pub(crate) fn new(future: Boxed<'a, T>) -> Self {
        Held(Some(future))
    }
}

impl<T> Future for Held<'_, T> {
    type Output = T;
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        match &mut self.0 {
            Some(future) => future.as_mut().poll(context),
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
