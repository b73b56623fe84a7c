//! The calls that run and the replies that are requested in this process.

use super::inner_runs;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tool_runtime::dispatch::CallKey;

/// The steps that are in progress, by the id of their run. The handles of a journal share it with its writer.
#[derive(Debug, Default)]
pub(super) struct InProgress {
    runs: Mutex<BTreeMap<String, HashSet<Step>>>,
    /// Wakes those that wait for the end of a step.
    ended: Notify,
}

/// A call, or the request of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    Call { reply: u64, position: usize },
    Reply(u64),
}

impl Step {
    pub(super) fn from_key(key: &CallKey) -> Self {
        Step::Call { reply: key.reply, position: key.position }
    }
}

/// A step that ends when this guard is dropped, unless it is kept.
#[derive(Debug)]
pub(super) struct StepGuard {
    in_progress: Arc<InProgress>,
    run_id: String,
    step: Step,
    is_kept: bool,
}

impl InProgress {
    /// Begins a step. If it is in progress, this waits until it has ended.
    pub(super) async fn begin(self: &Arc<Self>, run_id: &str, step: Step) -> StepGuard {
        loop {
            // It receives each end from now on.
            let ended = self.ended.notified();
            if self.lock().entry(run_id.to_owned()).or_default().insert(step) {
                let (in_progress, run_id) = (Arc::clone(self), run_id.to_owned());
                return StepGuard { in_progress, run_id, step, is_kept: false };
            }
            ended.await;
        }
    }

    /// Ends a step.
    pub(super) fn end(&self, run_id: &str, step: Step) {
        let mut runs = self.lock();
        if let Some(steps) = runs.get_mut(run_id) {
            steps.remove(&step);
            if steps.is_empty() {
                runs.remove(run_id);
            }
        }
        drop(runs);
        self.ended.notify_waiters();
    }

    /// Whether a step of a run or of its inner runs is in progress.
    pub(super) fn contains(&self, run_id: &str) -> bool {
        let runs = self.lock();
        let mut inner = runs.range(inner_runs::range(run_id));
        runs.contains_key(run_id) || inner.any(|(inner, _)| inner_runs::is_inner(inner, run_id))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, HashSet<Step>>> {
        // No code panics while it has the lock.
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StepGuard {
    /// Keeps the step in progress until [`InProgress::end`].
    pub(super) fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for StepGuard {
    fn drop(&mut self) {
        if !self.is_kept {
            self.in_progress.end(&self.run_id, self.step);
        }
    }
}
