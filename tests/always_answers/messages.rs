//! The tool messages of a batch: one for each call, as the oracle expects.

use crate::events::is_at;
use crate::limited_tools;
use crate::oracle::{Oracle, Possible};
use crate::plan::Batch;
use crate::tally::Tally;
use std::time::Duration;
use tool_runtime::{CallError, ToolMessage};

impl Oracle<'_> {
    pub(crate) fn assert_answered(
        &self,
        tenant: usize,
        batch: &Batch,
        messages: &[ToolMessage],
        tally: &mut Tally,
    ) {
        assert_eq!(messages.len(), batch.calls.len(), "one message for each call");
        for (position, message) in messages.iter().enumerate() {
            let possible = self.possible(tenant, position);
            let id = &possible.planned.call.id;
            assert_eq!(message.tool_call_id, *id, "in the order of the calls, with their ids");
            self.assert_possible(position, &possible, message);
            self.count(&possible, message, tally);
        }
        for tool in limited_tools::NAMES {
            let of_tool = batch.calls.iter().zip(messages).filter(|(planned, _)| planned.call.name == tool);
            let beyond = of_tool.filter(|(_, message)| message.error_kind() == Some("call_limit")).count();
            let expected = self.calls_beyond_limit(tenant, tool);
            // A cancellation ends some calls earlier.
            let may_be_fewer = self.settings.cancelled_after.is_some();
            assert!(beyond == expected || may_be_fewer && beyond < expected, "{beyond} of `{tool}`");
        }
    }

    fn assert_possible(&self, position: usize, possible: &Possible<'_>, message: &ToolMessage) {
        let Possible { planned, endings, starts, .. } = possible;
        let outcome = message.outcome().expect("a dispatched call has an outcome");
        let kind = outcome.error().map(CallError::kind);
        assert_eq!(message.error_kind(), kind);
        let max_bytes = self.settings.max_bytes();
        assert!(
            endings.iter().any(|it| {
                it.matches(kind, message.text(), max_bytes)
                    && is_at(it, outcome.duration())
                    // Whether a call had begun that was cancelled is not known.
                    && (starts.is_none() || it.has_begun == outcome.has_begun())
            }),
            "call {position}, {planned:?}: got {kind:?} {:.200} after {:?}, begun: {}, where it may be {:.3000}",
            message.content,
            outcome.duration(),
            outcome.has_begun(),
            format!("{endings:?}")
        );
        assert!(outcome.queue_time() <= outcome.duration());
        assert!(self.has_queue(planned) || outcome.queue_time().is_zero());
    }

    fn count(&self, possible: &Possible<'_>, message: &ToolMessage, tally: &mut Tally) {
        let Some(outcome) = message.outcome() else { return };
        tally.count_call(outcome.error().map_or("succeeded", CallError::kind));
        if possible.planned.sent != possible.planned.call {
            tally.count("called by call_tool");
        }
        if outcome.responded_by_hook() {
            tally.count("answered by the hook");
        }
        if self.settings.max_concurrency.is_none() && outcome.queue_time() > Duration::ZERO {
            tally.count("waited for its tool");
        }
        if possible.starts == Some(true) {
            for behaviour in &possible.planned.middleware {
                tally.count(behaviour.name());
            }
            let is_late = |limit: Duration| matches!(outcome.error(), Some(CallError::TimedOut { allowed, .. }) if *allowed == limit);
            if !possible.planned.middleware.is_empty() && self.settings.call_timeout.is_some_and(is_late) {
                tally.count("ended by call_timeout");
            }
        }
    }
}
