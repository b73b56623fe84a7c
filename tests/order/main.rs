//! A property test of the order of calls and of their last events: random replies with reads, effects, exclusive tools,
//! approvals, results from elsewhere, errors and cancellations, whole and streamed.
//!
//! The seed is printed; `ORDER_SEED` repeats a run, and `ORDER_ROUNDS` sets the number of rounds.

mod journal_of_events;
mod plan;
mod round;

#[test]
fn no_call_begins_before_a_barrier_has_ended_and_each_has_one_last_event() {
    round::play_all::<()>(
        |run, ()| {
            Box::pin(async move {
                let round::PlannedRun { session, registry, model, is_streamed, on_event, stop } = run;
                let run = session.run(registry).on_event(on_event).stop_after_calls(stop);
                if is_streamed {
                    run.stream(|request| model.stream(request)).await.ok()
                } else {
                    run.complete(|request| model.complete(request)).await.ok()
                }
            })
        },
        false,
    );
}
