//! Concurrent polling of the calls of one reply in the caller's task.

use futures_util::StreamExt as _;
use futures_util::future::{JoinAll, join_all};
use futures_util::stream::FuturesUnordered;
use std::future::Future;
use std::iter;

/// Up to this number of calls, `join_all` polls all of them on each wake-up.
const FEW: usize = 30;

/// The number of calls that are polled together if there are more. Without groups, each of 64 calls that do not wait
/// takes 1/8 longer; with groups, each wake-up of a call takes up to 1/6 longer.
const GROUP: usize = 4;

/// Running calls. The iterator is not stored: its closure would make the future that awaits the calls not `Send`.
pub(crate) enum SideBySide<F: Future> {
    Few(JoinAll<F>),
    Many(FuturesUnordered<JoinAll<F>>),
}

impl<F: Future<Output = ()>> SideBySide<F> {
    pub(crate) fn of(calls: impl Iterator<Item = F>) -> Self {
        if calls.size_hint().1.is_some_and(|most| most <= FEW) {
            return SideBySide::Few(join_all(calls));
        }
        let mut calls = calls.peekable();
        let group = || calls.peek().is_some().then(|| join_all(calls.by_ref().take(GROUP)));
        SideBySide::Many(iter::from_fn(group).collect())
    }

    pub(crate) async fn end(self) {
        match self {
            SideBySide::Few(calls) => drop(calls.await),
            SideBySide::Many(groups) => drop(groups.count().await),
        }
    }
}
