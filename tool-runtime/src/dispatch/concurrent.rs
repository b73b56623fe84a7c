//! Concurrent polling of the calls of one reply in the caller's task.

use futures_util::StreamExt as _;
use futures_util::future::{JoinAll, join_all};
use futures_util::stream::FuturesUnordered;
use std::future::Future;
use std::iter;

/// Up to this number of calls, `join_all` polls all of them on each wake-up.
const MAX_POLLED_TOGETHER: usize = 30;

/// The number of calls that are polled together if there are more. Without groups, each of 64 calls that do not wait
/// takes 1/8 longer; with groups, each wake-up of a call takes up to 1/6 longer.
const GROUP_SIZE: usize = 4;

/// Running calls. The iterator is not stored: its closure would make the future that awaits the calls not `Send`.
pub(crate) enum Concurrent<F: Future> {
    Together(JoinAll<F>),
    InGroups(FuturesUnordered<JoinAll<F>>),
}

impl<F: Future<Output = ()>> Concurrent<F> {
    pub(crate) fn new(calls: impl Iterator<Item = F>) -> Self {
        if calls.size_hint().1.is_some_and(|most| most <= MAX_POLLED_TOGETHER) {
            return Concurrent::Together(join_all(calls));
        }
        let mut calls = calls.peekable();
        let group = || calls.peek().is_some().then(|| join_all(calls.by_ref().take(GROUP_SIZE)));
        Concurrent::InGroups(iter::from_fn(group).collect())
    }

    pub(crate) async fn join(self) {
        match self {
            Concurrent::Together(calls) => drop(calls.await),
            Concurrent::InGroups(groups) => drop(groups.count().await),
        }
    }
}
