//! The release of calls and requests while futures are dropped.

use std::task::{Context, Waker};
use tokio::runtime::Handle;

/// Completes a release at once, or otherwise in a task of Tokio. Without a Tokio runtime it is dropped, and the store releases what
/// the process holds when the process has ended.
pub(crate) fn complete_release(release: impl Future<Output = ()> + Send + 'static) {
    let mut release = Box::pin(release);
    let is_pending = release.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending();
    if let (true, Ok(runtime)) = (is_pending, Handle::try_current()) {
        runtime.spawn(release);
    }
}
