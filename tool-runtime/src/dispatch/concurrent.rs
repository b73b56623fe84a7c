//! Concurrent polling of the calls of one reply in the caller's task.

use futures_util::StreamExt as _;
use futures_util::future::{JoinAll, join_all};
use futures_util::stream::FuturesUnordered;
use std::future::Future;
use std::iter;

/// The number of calls in a group: if one of them wakes, the whole group is polled. It is the largest number that `join_all`
/// polls without a task for each. With a task for each call, each of 64 calls takes a sixth longer.
const GROUP_SIZE: usize = 30;

/// Running calls. The iterator is not stored: its closure would make the future that awaits the calls not `Send`.
pub(crate) enum Concurrent<F: Future> {
    /// Without a task, which saves three allocations.
    OneGroup(JoinAll<F>),
    Groups(FuturesUnordered<JoinAll<F>>),
}

impl<F: Future<Output = ()>> Concurrent<F> {
    pub(crate) fn new(calls: impl Iterator<Item = F>) -> Self {
        if calls.size_hint().1.is_some_and(|most| most <= GROUP_SIZE) {
            return Concurrent::OneGroup(join_all(calls));
        }
        let mut calls = calls.peekable();
        let group = || calls.peek().is_some().then(|| join_all(calls.by_ref().take(GROUP_SIZE)));
        Concurrent::Groups(iter::from_fn(group).collect())
    }

    pub(crate) async fn join(self) {
        match self {
            Concurrent::OneGroup(calls) => drop(calls.await),
            Concurrent::Groups(groups) => groups.for_each(|_| std::future::ready(())).await,
        }
    }
}
