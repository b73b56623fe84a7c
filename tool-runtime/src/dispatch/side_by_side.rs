//! The calls of one reply, polled side by side in the caller's task.

use futures_util::StreamExt as _;
use futures_util::future::{JoinAll, join_all};
use futures_util::stream::FuturesUnordered;
use std::future::Future;
use std::iter;

/// Up to so many calls, `join_all` itself polls all of them, whichever is woken.
const FEW: usize = 30;

/// Of more, so many are polled together. With a task of its own, each of 64 calls that do not wait takes an eighth longer;
/// in a group, each time that one is woken, up to a sixth.
const GROUP: usize = 4;

/// Calls on their way. The iterator that they come from is not kept: with its closure, the future that awaits them would not
/// be `Send`.
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
