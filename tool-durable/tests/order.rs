//! The property test of the order of calls and of their last events, with a journal: see `tests/order` of the workspace.

#[path = "../../tests/order/journal_of_events.rs"]
mod journal_of_events;
#[allow(dead_code, reason = "other tests use the rest")]
mod memory_journal;
#[path = "../../tests/order/plan.rs"]
mod plan;
#[path = "../../tests/order/round.rs"]
mod round;

use memory_journal::MemoryJournal;
use tool_runtime_durable::DurableRun as _;

#[test]
fn with_a_journal_calls_keep_their_order_and_have_one_last_event() {
    round::play_all::<MemoryJournal>(
        |run, journal| {
            Box::pin(async move {
                let round::PlannedRun { session, registry, model, is_streamed, on_event, stop } = run;
                let run = session.run(registry).journal(journal).on_event(on_event).stop_after_calls(stop);
                if is_streamed {
                    run.stream(|request| model.stream(request)).await.ok()
                } else {
                    run.complete(|request| model.complete(request)).await.ok()
                }
            })
        },
        true,
    );
}
