//! Functions of the program that respond to a request, whose panics, time and cancellation concern only this request.

use super::connection::cancelled;
use rmcp::RoleServer;
use rmcp::model::ErrorData;
use rmcp::service::RequestContext;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;
use tokio::time::timeout;

/// The time limit of a function.
pub(super) const MAX_DURATION: Duration = Duration::from_secs(60);

/// The future of a function of the program.
pub(super) type Responding<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Waits for the function. Its future is dropped when the client cancels the request, and after the time limit.
pub(super) async fn contained<T>(
    future: Responding<T>,
    context: &RequestContext<RoleServer>,
) -> Result<T, ErrorData> {
    let mut future = pin!(without_panic(future));
    let ended = tokio::select! {
        ended = timeout(MAX_DURATION, &mut future) => ended,
        () = cancelled(context) => return Err(ErrorData::internal_error("the request was cancelled", None)),
    };
    let within = || ErrorData::internal_error(format!("there is no result within {MAX_DURATION:?}"), None);
    // The text of a panic stays in the program.
    let failed = || ErrorData::internal_error("the request failed unexpectedly", None);
    ended.map_err(|_| within())?.ok_or_else(failed)
}

/// The result; `None` if the function panics, which the panic hook of the process has reported.
pub(super) async fn without_panic<T>(mut future: Responding<T>) -> Option<T> {
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Some),
        Err(_) => Poll::Ready(None),
    })
    .await
}
