//! Cancellations that let effects finish: `finish_effects`, `stop_after_calls`, `cancel_on`.

use super::{Ledger, asked, call, calling, model, results, text_reply};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tool_runtime::dispatch::{CallContext, CallEvent, CallStatus, CancellationToken};
use tool_runtime::session::{Event, Run, RunEnd};
use tool_runtime::{Registry, RegistryBuilder, RunContext, Session, ToolCall, ToolMessage, tool, tools};
use tool_runtime_testing::ScriptedModel;

/// Charges an order.
#[tool]
async fn charge(order: u32, #[state] ledger: &Ledger, #[context] call: &CallContext) -> String {
    ledger.add(format!("charge {order}"));
    sleep(Duration::from_millis(100)).await;
    assert!(!call.cancellation().is_cancelled(), "it may finish");
    format!("order {order} is charged")
}

/// Prints a label on a thread.
#[tool(blocking)]
fn print_label(order: u32, #[state] ledger: &Ledger) -> String {
    ledger.add(format!("print {order}"));
    std::thread::sleep(Duration::from_millis(50));
    format!("label of order {order}")
}

/// Looks for an order.
#[tool(read_only)]
async fn look_up(order: u32, #[state] ledger: &Ledger) -> String {
    ledger.add(format!("look up {order}"));
    sleep(Duration::from_millis(100)).await;
    format!("order {order}")
}

/// Never ends.
#[tool]
async fn hang(order: u32, #[state] ledger: &Ledger) {
    ledger.add(format!("hang {order}"));
    std::future::pending::<()>().await;
}

fn builder(ledger: &Ledger) -> RegistryBuilder {
    Registry::builder().tools(tools![charge, print_label, look_up, hang]).state(ledger.clone())
}

/// A run whose token is cancelled after 20 ms, and the events of its calls.
async fn cancelled(
    session: &mut Session,
    registry: &Registry,
    model: &ScriptedModel,
    context: RunContext,
) -> (RunEnd, Vec<String>) {
    let token = CancellationToken::new();
    let registry = registry.with(&context.cancellation(token.clone()));
    let mut events = Vec::new();
    let run = session.run(&registry).on_event(|event| {
        if let Event::Call(CallEvent { tool, status, .. }) = event {
            let status = serde_json::to_value(status).expect("it is JSON");
            events.push(format!("{tool} {}", status["status"].as_str().unwrap_or_default()));
        }
    });
    let run = run.complete(|request| model.complete(request));
    let cancel = async {
        sleep(Duration::from_millis(20)).await;
        token.cancel();
    };
    let (end, ()) = tokio::join!(run, cancel);
    (end.expect("valid"), events)
}

fn two_calls() -> ScriptedModel {
    model([calling([call("a", "charge", 7), call("b", "look_up", 8)]), text_reply("Done.")])
}

#[tokio::test(start_paused = true)]
async fn an_effect_that_has_begun_finishes_after_the_cancellation_and_a_read_does_not() {
    let ledger = Ledger::default();
    let with_middleware = builder(&ledger).around_call(|call| async move { call.run().await });
    for registry in [builder(&ledger), with_middleware, builder(&ledger).timeout(Duration::from_secs(5))] {
        let (registry, mut session) = (registry.build().expect("four tools"), asked());
        let context = RunContext::new().finish_effects(Duration::from_secs(1));
        let started = Instant::now();
        let (end, events) = cancelled(&mut session, &registry, &two_calls(), context).await;
        assert_eq!((end, started.elapsed().as_millis()), (RunEnd::Cancelled, 100));
        assert_eq!(events[2..], ["look_up cancelled", "charge finished"]);
        let pending = session.pending().expect("the read has no result");
        assert_eq!(pending.result_of("a").map(ToolMessage::text), Some("order 7 is charged"));
        assert!(pending.result_of("b").is_none());
    }
    // Without the setting, both end at once, and the next run does not charge again.
    let (registry, mut session) = (builder(&ledger).build().expect("four tools"), asked());
    let (end, events) = cancelled(&mut session, &registry, &two_calls(), RunContext::new()).await;
    assert_eq!(
        (end, &events[2..]),
        (RunEnd::Cancelled, &["charge cancelled", "look_up cancelled"].map(String::from)[..])
    );
}

#[tokio::test(start_paused = true)]
async fn an_effect_that_takes_longer_is_dropped_after_the_time() {
    let ledger = Ledger::default();
    let (registry, mut session) = (builder(&ledger).build().expect("four tools"), asked());
    let model = model([calling([call("a", "hang", 7)]), text_reply("Done.")]);
    let started = Instant::now();
    let context = RunContext::new().finish_effects(Duration::from_secs(1));
    let (end, events) = cancelled(&mut session, &registry, &model, context).await;
    assert_eq!((end, started.elapsed().as_millis()), (RunEnd::Cancelled, 1020));
    assert_eq!(events, ["hang started", "hang cancelled"]);
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
    assert_eq!(
        results(&session),
        ["Error: `hang` was interrupted. It may have taken effect: check whether it did."]
    );
}

#[tokio::test]
async fn a_function_on_a_thread_finishes_as_well() {
    let ledger = Ledger::default();
    let (registry, mut session) = (builder(&ledger).build().expect("four tools"), asked());
    let model = model([calling([call("a", "print_label", 7)]), text_reply("Done.")]);
    let context = RunContext::new().finish_effects(Duration::from_secs(60));
    let token = CancellationToken::new();
    let bound = registry.with(&context.cancellation(token.clone()));
    let run = session.run(&bound).on_event(|event| {
        if let Event::Call(CallEvent { status: CallStatus::Started { .. }, .. }) = event {
            let (token, ledger) = (token.clone(), ledger.clone());
            std::thread::spawn(move || {
                while ledger.entries().is_empty() {
                    std::thread::yield_now();
                }
                token.cancel();
            });
        }
    });
    let end = run.complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, results(&session)), (RunEnd::Cancelled, vec!["label of order 7".to_owned()]));
}

/// The end of a run whose token is cancelled after a time.
async fn stopped(
    run: Run<'_>,
    model: &ScriptedModel,
    is_streamed: bool,
    stop: &CancellationToken,
    after: Duration,
) -> RunEnd {
    let run = async {
        if is_streamed {
            run.stream(|request| model.stream(request)).await.expect("valid")
        } else {
            run.complete(|request| model.complete(request)).await.expect("valid")
        }
    };
    let cancel = async {
        sleep(after).await;
        stop.cancel();
    };
    let (end, ()) = tokio::join!(run, cancel);
    end
}

#[tokio::test(start_paused = true)]
async fn a_stop_lets_process_calls_of_the_reply_finish_and_sends_no_further_request() {
    for is_streamed in [false, true] {
        let ledger = Ledger::default();
        // The second call waits for the first.
        let registry = builder(&ledger).max_concurrency(1).build().expect("four tools");
        let model = two_calls();
        let (mut session, stop) = (asked(), CancellationToken::new());
        let run = session.run(&registry).stop_after_calls(stop.clone());
        let end = stopped(run, &model, is_streamed, &stop, Duration::from_millis(20)).await;
        assert_eq!((end, model.requests().len()), (RunEnd::Cancelled, 1));
        assert_eq!(results(&session), ["order 7 is charged", "order 8"]);
        let end =
            session.run(&registry).stop_after_calls(stop).complete(|request| model.complete(request)).await;
        assert_eq!(
            (end.expect("valid"), model.requests().len()),
            (RunEnd::Cancelled, 1),
            "it is stopped already"
        );
        let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
        assert_eq!(end, RunEnd::Answered);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_the_model() {
    let ledger = Ledger::default();
    let registry = builder(&ledger).build().expect("four tools");
    let slow = |reply: tool_runtime_testing::ScriptedReply| {
        reply.with_delay(Duration::from_secs(60)).with_chunk_delay(Duration::from_secs(1))
    };
    // Before the whole reply, before the first chunk, and between two chunks.
    for (is_streamed, seconds) in [(false, 30), (true, 30), (true, 61)] {
        let model = model([slow(calling([call("a", "charge", 7)])), text_reply("Done.")]);
        let (mut session, stop, started) = (asked(), CancellationToken::new(), Instant::now());
        let run = session.run(&registry).stop_after_calls(stop.clone());
        let end = stopped(run, &model, is_streamed, &stop, Duration::from_secs(seconds)).await;
        assert_eq!((end, started.elapsed().as_secs()), (RunEnd::Cancelled, seconds));
        assert_eq!(session.messages().len(), 1, "the next run repeats the request");
    }
    assert_eq!(ledger.entries(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_run_is_cancelled_by_futures_and_by_its_token() {
    let ledger = Ledger::default();
    let registry = builder(&ledger).build().expect("four tools");
    for millis in [[30, 1000], [1000, 30]] {
        let model = two_calls();
        let (mut session, started) = (asked(), Instant::now());
        let [first, second] = millis.map(|millis| sleep(Duration::from_millis(millis)));
        let run = session
            .run(&registry)
            .cancel_on(async {
                first.await;
                Err::<(), _>("ctrl-c")
            })
            .cancel_on(second);
        let end = run.complete(|request| model.complete(request)).await.expect("valid");
        assert_eq!((end, started.elapsed().as_millis()), (RunEnd::Cancelled, 30));
    }
    // The token of the context still cancels it, and is not cancelled by the future.
    let token = CancellationToken::new();
    let bound = registry.with(&RunContext::new().cancellation(token.clone()));
    let model = two_calls();
    let mut session = asked();
    let run = session.run(&bound).cancel_on(async {});
    let end = run.complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, token.is_cancelled(), model.requests().len()), (RunEnd::Cancelled, false, 0));
    token.cancel();
    let run = session.run(&bound).cancel_on(std::future::pending::<()>());
    let end = run.complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Cancelled);
}

/// The tool sees the cancellation, and returns what it has.
#[tool(read_only)]
async fn summarise(#[context] call: &CallContext) -> &'static str {
    call.cancellation().cancelled().await;
    "half of the output"
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_returns_what_it_has_keeps_its_result_everywhere() {
    let registry = Registry::new(tools![summarise]).expect("one tool");
    let model = model([calling([ToolCall::new("a", "summarise", "{}")]), text_reply("Done.")]);
    let mut session = asked();
    let (end, events) = cancelled(&mut session, &registry, &model, RunContext::new()).await;
    assert_eq!(
        (end, events),
        (RunEnd::Cancelled, vec!["summarise started".to_owned(), "summarise finished".to_owned()])
    );
    assert_eq!(results(&session), ["half of the output"]);
}
