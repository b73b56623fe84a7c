//! The pauses of a call, in which it waits for an answer.

use std::pin::pin;
use std::time::Duration;
use tokio::sync::watch::Sender;
use tokio::time::{Instant, Sleep};

/// The pauses of all runs of a call. During a pause, the call holds no permit, and its time limits stand still.
#[derive(Debug)]
pub(crate) struct Pauses(Sender<State>);

#[derive(Clone, Copy, Debug)]
struct State {
    /// The number of questions without an answer.
    questions: usize,
    has_permits: bool,
    /// The time of the call without its pauses, until the last change of this state.
    counted: Duration,
    /// The last change of this state; `None` during a pause.
    since: Option<Instant>,
    /// The counted time when the time limits began again.
    restarted: Duration,
}

impl State {
    fn may_run(&self) -> bool {
        self.has_permits || self.questions > 0
    }

    fn counted(&self) -> Duration {
        self.counted + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl Default for Pauses {
    fn default() -> Self {
        let (counted, restarted, since) = (Duration::ZERO, Duration::ZERO, Some(Instant::now()));
        Pauses(Sender::new(State { questions: 0, has_permits: true, counted, since, restarted }))
    }
}

impl Pauses {
    /// Awaits the answer to a question, and then the permits of the call.
    pub(crate) async fn pause<T>(&self, answer: impl Future<Output = T>) -> T {
        self.change(|state| state.questions += 1);
        let question = OpenQuestion(self);
        let answer = answer.await;
        drop(question);
        // The sender lives as long as this value.
        self.0.subscribe().wait_for(State::may_run).await.ok();
        answer
    }

    /// Waits until the call asks its first question, or until all questions have their answers.
    pub(crate) async fn until_asking(&self, is_asking: bool) {
        self.0.subscribe().wait_for(|state| (state.questions > 0) == is_asking).await.ok();
    }

    /// Whether the call has its permits, or waits for an answer.
    pub(crate) fn may_run(&self) -> bool {
        self.0.borrow().may_run()
    }

    pub(crate) fn set_has_permits(&self, has_permits: bool) {
        self.change(|state| state.has_permits = has_permits);
    }

    /// Begins the time limits of the call again.
    pub(crate) fn restart_time_limits(&self) {
        self.change(|state| state.restarted = state.counted);
    }

    /// The time of the call, without its pauses.
    pub(crate) fn counted(&self) -> Duration {
        self.0.borrow().counted()
    }

    /// Waits until the call has taken this time since the begin, without its pauses. The timer is that of the limit without pauses.
    pub(crate) async fn exceed(&self, limit: Duration, timer: Sleep, begin: Duration) {
        let mut timer = pin!(timer);
        loop {
            timer.as_mut().await;
            let Ok(state) =
                self.0.subscribe().wait_for(|state| state.since.is_some()).await.map(|state| *state)
            else {
                return;
            };
            let rest = limit.saturating_sub(state.counted().saturating_sub(begin.max(state.restarted)));
            if rest.is_zero() {
                return;
            }
            timer.as_mut().reset(Instant::now() + rest);
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        self.0.send_modify(|state| {
            state.counted = state.counted();
            change(state);
            let is_running = state.questions == 0 && state.has_permits;
            state.since = is_running.then(Instant::now);
        });
    }
}

/// A question that has no answer yet.
struct OpenQuestion<'a>(&'a Pauses);

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        self.0.change(|state| state.questions -= 1);
    }
}
