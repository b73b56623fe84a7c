//! Checks that run at the same time.

use super::Checked;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// The future of a check.
pub(super) type BoxedCheck<'a, T = ()> = Pin<Box<dyn Future<Output = Checked<T>> + Send + 'a>>;

/// Polls the checks until all are ready or one has failed, and returns their values in order.
pub(super) async fn all_of<'a, T>(checks: impl IntoIterator<Item = BoxedCheck<'a, T>>) -> Checked<Vec<T>> {
    enum State<'a, T> {
        Runs(BoxedCheck<'a, T>),
        Ready(T),
    }

    let mut states: Vec<_> = checks.into_iter().map(State::Runs).collect();
    // A pinned box can move.
    let all_ready = poll_fn(|context| {
        let mut is_ready = true;
        for state in &mut states {
            let State::Runs(check) = state else { continue };
            match check.as_mut().poll(context) {
                Poll::Ready(Ok(value)) => *state = State::Ready(value),
                Poll::Ready(Err(found)) => return Poll::Ready(Err(found)),
                Poll::Pending => is_ready = false,
            }
        }
        if is_ready { Poll::Ready(Ok(())) } else { Poll::Pending }
    });
    all_ready.await?;
    let values = states.into_iter().filter_map(|state| match state {
        State::Ready(value) => Some(value),
        State::Runs(_) => None,
    });
    Ok(values.collect())
}
