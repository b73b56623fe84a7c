//! Concurrent calls in the caller's task.

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesOrdered;
use std::iter;

/// The number of futures that `join_all` polls without a task for each, which would allocate.
const GROUP_SIZE: usize = 30;

/// Runs calls concurrently, in groups. If a call wakes, its whole group is polled.
pub(super) async fn join_groups<F: Future>(calls: impl ExactSizeIterator<Item = F>) -> Vec<F::Output> {
    if calls.len() <= GROUP_SIZE {
        return join_all(calls).await;
    }
    let mut results = Vec::with_capacity(calls.len());
    let mut groups = {
        let mut calls = calls.peekable();
        let group = || calls.peek().is_some().then(|| join_all(calls.by_ref().take(GROUP_SIZE)));
        iter::from_fn(group).collect::<FuturesOrdered<_>>()
    };
    while let Some(mut group) = groups.next().await {
        results.append(&mut group);
    }
    results
}
