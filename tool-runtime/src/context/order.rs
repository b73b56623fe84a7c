//! The order of the calls of one reply, or of one run of a tool: a barrier begins after all earlier calls have ended, and later calls
//! begin after it. In a streamed reply, only calls before the first barrier start early: the order begins at the end of the reply.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The calls of a reply that has a barrier. Calls between two barriers run concurrently.
#[derive(Debug, Default)]
pub(crate) struct Order(Mutex<Calls>);

/// A call in its order.
#[derive(Clone, Debug, Default)]
pub(crate) struct OrderedCall {
    pub(crate) id: String,
    pub(crate) is_barrier: bool,
    pub(crate) progress: Progress,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It has not ended yet.
    #[default]
    Open,
    Ended,
    /// It does not end in this run, since it waits for a person, for a result or for an earlier call.
    Waits,
}

#[derive(Debug, Default)]
struct Calls {
    by_position: Vec<OrderedCall>,
    all: Line,
    barriers: Line,
    /// The calls that wait for their turn, by position.
    wakers: BTreeMap<usize, Waker>,
}

/// How far the calls for which others wait have come: all calls, or the barriers.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// The calls at earlier positions have ended.
    ended: usize,
    /// The first call that does not end in this run.
    waits: Option<usize>,
}

impl Order {
    /// Sets the calls of the reply. Those that have ended already stay ended.
    pub(crate) fn start(&self, calls: impl Iterator<Item = OrderedCall>) {
        let mut ordered = self.lock();
        let before = std::mem::take(&mut ordered.by_position);
        let known =
            |position| before.get(position).map_or(Progress::Open, |call: &OrderedCall| call.progress);
        ordered.by_position = (0..)
            .zip(calls)
            .map(|(position, call)| match call.progress {
                Progress::Open => OrderedCall { progress: known(position), ..call },
                _ => call,
            })
            .collect();
        (ordered.all, ordered.barriers) = (Line::default(), Line::default());
        for position in 0..ordered.by_position.len() {
            ordered.note_wait(position);
        }
        ordered.advance();
    }

    /// Adds the next call of a reply that grows, and returns its position.
    pub(crate) fn push(&self, is_barrier: bool, id: impl FnOnce(usize) -> String) -> usize {
        let mut ordered = self.lock();
        let position = ordered.by_position.len();
        ordered.by_position.push(OrderedCall { id: id(position), is_barrier, progress: Progress::Open });
        ordered.advance();
        position
    }

    /// Waits until the call may begin.
    ///
    /// # Errors
    ///
    /// The id of an earlier call that does not end in this run.
    pub(crate) async fn turn(&self, position: usize) -> Result<(), String> {
        poll_fn(|context| self.lock().poll_turn(position, context)).await
    }

    /// Lets later calls begin, or stops them if this one has not ended.
    pub(crate) fn end(&self, position: usize, progress: Progress) {
        let mut ordered = self.lock();
        if ordered.by_position.len() <= position {
            // The reply is still received.
            ordered.by_position.resize(position + 1, OrderedCall::default());
        }
        ordered.by_position[position].progress = progress;
        let woken = if progress == Progress::Waits {
            if ordered.note_wait(position) { ordered.wakers.split_off(&position) } else { BTreeMap::new() }
        } else {
            ordered.advance();
            ordered.take_ready()
        };
        drop(ordered);
        woken.into_values().for_each(Waker::wake);
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        // No code panics while it has the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Calls {
    /// The calls for which the call at this position waits.
    fn line(&self, position: usize) -> Line {
        if self.by_position.get(position).is_some_and(|call| call.is_barrier) {
            self.all
        } else {
            self.barriers
        }
    }

    fn poll_turn(&mut self, position: usize, context: &Context<'_>) -> Poll<Result<(), String>> {
        let line = self.line(position);
        if line.ended >= position {
            return Poll::Ready(Ok(()));
        }
        if let Some(waits) = line.waits.filter(|&waits| waits < position) {
            return Poll::Ready(Err(self.by_position[waits].id.clone()));
        }
        self.wakers.insert(position, context.waker().clone());
        Poll::Pending
    }

    /// Notes a call that waits; whether this stops later calls.
    fn note_wait(&mut self, position: usize) -> bool {
        let OrderedCall { is_barrier, progress, .. } = self.by_position[position];
        let is_first = |line: &mut Line| {
            let is_first = progress == Progress::Waits && line.waits.is_none_or(|first| position < first);
            if is_first {
                line.waits = Some(position);
            }
            is_first
        };
        let is_first_barrier = is_barrier && is_first(&mut self.barriers);
        is_first(&mut self.all) || is_first_barrier
    }

    fn advance(&mut self) {
        let has_ended = |call: &OrderedCall| call.progress == Progress::Ended;
        while self.by_position.get(self.all.ended).is_some_and(has_ended) {
            self.all.ended += 1;
        }
        while self
            .by_position
            .get(self.barriers.ended)
            .is_some_and(|call| !call.is_barrier || has_ended(call))
        {
            self.barriers.ended += 1;
        }
    }

    /// The wakers of the calls that may begin now: those before the first one that may not.
    fn take_ready(&mut self) -> BTreeMap<usize, Waker> {
        let first = self.wakers.keys().copied().find(|&position| self.line(position).ended < position);
        let still_waiting = first.map_or_else(BTreeMap::new, |first| self.wakers.split_off(&first));
        std::mem::replace(&mut self.wakers, still_waiting)
    }
}
