//! The budgets of a run count the tokens and the calls of its session.

use super::Event;
use super::run_loop::RunLoop;
use crate::context::RunContext;

impl<O: FnMut(&Event), P> RunLoop<'_, O, P> {
    /// Adds the tokens and calls since the last time.
    pub(super) fn count_for_budgets(&mut self) {
        let (usage, calls) =
            std::mem::replace(&mut self.counted, (self.session.usage, self.session.process_calls));
        let (usage, calls) =
            (self.session.usage.since(usage), self.session.process_calls.saturating_sub(calls));
        let budgets = self.settings.registry.run_context().map_or(&[][..], RunContext::budgets);
        for budget in budgets {
            budget.add(&usage, calls);
        }
    }
}

impl<O: FnMut(&Event), P> Drop for RunLoop<'_, O, P> {
    fn drop(&mut self) {
        // The future of the run may be dropped.
        self.count_for_budgets();
    }
}
