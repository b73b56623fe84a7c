//! Stopping a run in its listener.

use super::{Ledger, asked, calling, model, results, stored, text_reply};
use std::time::Duration;
use tool_runtime::dispatch::{CallEvent, CallStatus, CancellationToken, Decision, ReadyCall};
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{Registry, RunContext, ToolCall, tool, tools};

/// Deletes a file.
#[tool(destructive)]
fn delete(file: u32, #[state] ledger: &Ledger) {
    ledger.add(format!("delete {file}"));
}

/// Deletes a file on a thread.
#[tool(destructive, blocking)]
fn shred(file: u32, #[state] ledger: &Ledger) {
    ledger.add(format!("delete {file}"));
}

/// Reads a file.
#[tool(read_only)]
async fn read(file: u32, #[state] ledger: &Ledger) {
    ledger.add(format!("read {file}"));
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// Whether the program stops at an event.
type StopsAt = fn(&Event) -> bool;

fn is_status(event: &Event, is_wanted: fn(&CallStatus) -> bool) -> bool {
    matches!(event, Event::Call(CallEvent { status, .. }) if is_wanted(status))
}

fn calls(names: &[&str], number: usize) -> Vec<ToolCall> {
    let names = names.iter().cycle().take(number).enumerate();
    let call = |(at, name): (usize, &&str)| {
        ToolCall::new(format!("call_{at}"), *name, format!(r#"{{"file":{at}}}"#))
    };
    names.map(call).collect()
}

fn registries(ledger: &Ledger) -> [Registry; 4] {
    let builder = || Registry::builder().tools(tools![delete, shred, read]).state(ledger.clone());
    let slow_middleware = |call: ReadyCall| async move {
        tokio::task::yield_now().await;
        call.run().await
    };
    let slow_approval = |_| async {
        tokio::task::yield_now().await;
        Decision::Run
    };
    [
        builder(),
        builder().max_concurrency(1),
        builder().around_call(slow_middleware),
        builder().before_call(slow_approval),
    ]
    .map(|builder| builder.build().expect("three tools"))
}

#[tokio::test]
async fn no_call_starts_after_the_listener_has_stopped_the_run() {
    let stops: [(StopsAt, usize); 3] = [
        (|event| matches!(event, Event::CallComplete { .. }), 0),
        (|event| is_status(event, |status| matches!(status, CallStatus::Started { .. })), 0),
        (|event| is_status(event, |status| matches!(status, CallStatus::Finished { .. })), 1),
    ];
    let replies =
        [(vec!["delete"], 3), (vec!["shred", "delete"], 4), (vec!["read"], 2), (vec!["delete"], 70)];
    for kind in 0..4 {
        for (stops_at, starts) in stops {
            for (names, number) in &replies {
                for is_streamed in [false, true] {
                    let ledger = Ledger::default();
                    let registry = &registries(&ledger)[kind];
                    let model = model([calling(calls(names, *number)), text_reply("Done.")]);
                    let token = CancellationToken::new();
                    let context = RunContext::new().cancellation(token.clone());
                    let (mut session, mut starts_after_stop) = (asked(), 0);
                    let run = session.run(&registry.with(&context)).on_event(|event| {
                        let has_started =
                            is_status(event, |status| matches!(status, CallStatus::Started { .. }));
                        starts_after_stop += usize::from(token.is_cancelled() && has_started);
                        if stops_at(event) {
                            token.cancel();
                        }
                    });
                    let end = if is_streamed {
                        run.stream(|request| model.stream(request)).await.expect("valid")
                    } else {
                        run.complete(|request| model.complete(request)).await.expect("valid")
                    };
                    let ran = ledger.entries();
                    let case = format!("{kind} {names:?} {number} {is_streamed} {ran:?}");
                    assert_eq!(starts_after_stop, 0, "{case}");
                    if token.is_cancelled() {
                        // A thread runs next to the others, and both calls that sleep end at once.
                        let runs_next = usize::from(names[0] != "delete");
                        assert!(ran.len() <= starts + runs_next, "{case}");
                        assert_eq!((end, model.requests().len()), (RunEnd::Cancelled, 1), "{case}");
                    }

                    // The next run continues, or repeats the request if the reply was interrupted before its calls.
                    let mut session = stored(&session);
                    let has_reply = session.pending().is_some() || !results(&session).is_empty();
                    assert!(has_reply || is_streamed, "{case}");
                    let end = session.run(registry).complete(|request| model.complete(request)).await;
                    assert_eq!(end.expect("valid"), RunEnd::Answered, "{case}");
                    assert_eq!(results(&session).len(), if has_reply { *number } else { 0 }, "{case}");
                }
            }
        }
    }
}
