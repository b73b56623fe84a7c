//! Operations that a dropped future completes.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use tokio::runtime::Handle;

/// Completes an operation at once, or otherwise in a task of Tokio. Without a Tokio runtime, the store ends what the operation
/// would have ended when it knows that the process has ended.
pub(crate) fn complete(operation: impl Future<Output = ()> + Send + 'static) {
    let mut operation = Box::pin(operation);
    let is_complete =
        pin!(operation.as_mut()).poll(&mut Context::from_waker(Waker::noop())) == Poll::Ready(());
    if let (false, Ok(runtime)) = (is_complete, Handle::try_current()) {
        runtime.spawn(operation);
    }
}
