//! A panic in a tool ends that tool's call, and nothing else.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// What the future comes to, or what it panicked with, where that is a text. All that futures-util's `catch_unwind` does, without
/// the features that it needs.
pub(super) async fn caught<F: Future>(future: F) -> Result<F::Output, Option<String>> {
    let mut future = pin!(future);
    // What the closure leaves in a broken state is the future, which is not polled again.
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Err(payload) => Poll::Ready(Err(message(payload))),
    })
    .await
}

#[cold]
fn message(payload: Box<dyn Any + Send>) -> Option<String> {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let message = text.map(str::to_owned);
    // A payload may panic in turn when it is dropped, and so may the payload of that panic.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
    message
}
