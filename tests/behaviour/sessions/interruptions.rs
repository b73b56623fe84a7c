//! Whatever happens in a run, the session is valid and keeps the finished results.

use super::{Ledger, asked, call, calling, model, results, shop, stored, text_reply};
use futures_util::FutureExt as _;
use serde_json::json;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::time::timeout;
use tool_runtime::conversation::Request;
use tool_runtime::dispatch::{CallStatus, CancellationToken, Decision};
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{AssistantMessage, Registry, RunContext, Session};
use tool_runtime_testing::ScriptedReply;

const SECOND: Duration = Duration::from_secs(1);

/// A run that is dropped after a second, while tools run.
async fn drop_run(session: &mut Session, registry: &Registry, replies: impl Into<Vec<ScriptedReply>>) {
    let model = model(replies);
    let running = session.run(registry).complete(|request| model.complete(request));
    assert!(timeout(SECOND, running).await.is_err(), "the run is dropped");
}

async fn finish(session: &mut Session, registry: &Registry) -> RunEnd {
    let model = model([text_reply("Done.")]);
    session.run(registry).complete(|request| model.complete(request)).await.expect("the request is valid")
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_client_keeps_the_session() {
    let (registry, _) = shop();
    let model =
        model([calling([call("a", "find", 7)]), ScriptedReply::error("overloaded"), text_reply("Done.")]);
    let mut session = asked();
    let error = session
        .run(&registry)
        .complete(|request| model.complete(request))
        .await
        .expect_err("it is passed on");
    assert_eq!(error.to_string(), "the server sent an error: overloaded");
    assert_eq!(results(&session), ["order 7"]);
    let mut session = stored(&session);
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, session.messages().len()), (RunEnd::Answered, 4));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_run_keeps_finished_results_and_does_not_repeat_effects() {
    let (registry, ledger) = shop();
    let mut session = asked();
    drop_run(&mut session, &registry, [calling([call("a", "find", 7), call("b", "ship", 8)])]).await;
    assert_eq!(results(&session), ["order 7"]);
    let pending = session.pending().expect("a call has no result");
    assert_eq!(pending.without_result().map(|call| &*call.id).collect::<Vec<_>>(), ["b"]);

    let mut session = stored(&session);
    assert_eq!(finish(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(ledger.entries(), ["ship 8"], "it does not run again");
    assert_eq!(
        results(&session)[1],
        "Error: `ship` was interrupted. It may have taken effect: check whether it did."
    );
}

#[tokio::test(start_paused = true)]
async fn read_only_tools_run_again_after_an_interruption() {
    let (registry, ledger) = shop();
    let mut session = asked();
    drop_run(&mut session, &registry, [calling([call("a", "search", 7)])]).await;
    let mut session = stored(&session);
    assert_eq!(finish(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(ledger.entries(), ["search 7", "search 7"]);
    assert_eq!(results(&session), ["order 7 is in the archive"]);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_run_during_a_request_keeps_the_messages() {
    let (registry, _) = shop();
    let mut session = asked();
    let late = text_reply("Late.").with_delay(10 * SECOND);
    drop_run(&mut session, &registry, [calling([call("a", "find", 7)]), late]).await;
    assert_eq!(session.messages().len(), 3);
    assert_eq!(finish(&mut session, &registry).await, RunEnd::Answered);
}

#[tokio::test(start_paused = true)]
async fn a_user_message_after_an_interruption_reports_that_it_may_have_taken_effect() {
    let (registry, _) = shop();
    let mut session = asked();
    drop_run(&mut session, &registry, [calling([call("a", "ship", 7)])]).await;
    session.push_user("Are you there?");
    assert!(results(&session)[0].contains("may have taken effect"), "{:?}", results(&session));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_keeps_the_calls_that_had_not_begun() {
    let ledger = Ledger::default();
    let tools = tool_runtime::tools![super::find, super::refund, super::ship, super::search];
    let registry =
        Registry::builder().tools(tools).state(ledger.clone()).max_concurrency(1).build().expect("four");
    let token = CancellationToken::new();
    let bound = registry.with(&RunContext::new().cancellation(token.clone()));
    let model = model([calling([call("a", "find", 6), call("b", "ship", 7), call("c", "ship", 8)])]);
    let mut session = asked();
    let cancel = async {
        tokio::time::sleep(SECOND).await;
        token.cancel();
    };
    let (end, ()) = tokio::join!(session.run(&bound).complete(|request| model.complete(request)), cancel);
    assert_eq!(end.expect("valid"), RunEnd::Cancelled);
    assert_eq!(
        (ledger.entries(), results(&session)),
        (vec!["ship 7".to_owned()], vec!["order 6".to_owned()])
    );

    let mut session = stored(&session);
    assert_eq!(finish(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(ledger.entries(), ["ship 7", "ship 8"], "the waiting call runs, the interrupted one does not");
    assert!(results(&session)[1].contains("may have taken effect"));
    assert_eq!(results(&session)[2], "order 8 is shipped");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_keeps_the_approval_of_repaired_arguments() {
    let ledger = Ledger::default();
    let registry = Registry::builder()
        .tools(tool_runtime::tools![super::refund, super::ship])
        .state(ledger.clone())
        .lenient_arguments(true)
        .max_concurrency(1)
        .build()
        .expect("two tools");
    let waiting = model([calling([call("a", "ship", 7), call("b", "refund", 8)])]);
    let mut session = asked();
    let run = session.run(&registry).max_calls(0);
    let end = run.complete(|request| waiting.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::CallLimit);
    session.approve_with("b", "```json\n{\"order\":9}\n```").expect("it is pending");

    let token = CancellationToken::new();
    let bound = registry.with(&RunContext::new().cancellation(token.clone()));
    let cancel = async {
        tokio::time::sleep(SECOND).await;
        token.cancel();
    };
    let never = |_: Request| std::future::pending::<Result<AssistantMessage, Infallible>>();
    let (end, ()) = tokio::join!(session.run(&bound).complete(never), cancel);
    assert_eq!((end.ok(), ledger.entries()), (Some(RunEnd::Cancelled), vec!["ship 7".to_owned()]));
    assert_eq!(finish(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(ledger.entries(), ["ship 7", "refund 9"], "it had not begun, so its approval is valid");
}

#[tokio::test(start_paused = true)]
async fn cancelling_ends_a_waiting_request() {
    let (registry, _) = shop();
    let token = CancellationToken::new();
    let registry = registry.with(&RunContext::new().cancellation(token.clone()));
    let mut session = asked();
    let never = |_: Request| std::future::pending::<Result<AssistantMessage, Infallible>>();
    let cancel = async {
        tokio::time::sleep(SECOND).await;
        token.cancel();
    };
    let (end, ()) = tokio::join!(session.run(&registry).complete(never), cancel);
    assert_eq!((end.ok(), session.messages().len()), (Some(RunEnd::Cancelled), 1));
}

#[tokio::test]
async fn a_panic_of_a_closure_keeps_the_session() {
    let (registry, _) = shop();
    let mut session = asked();
    let model = |request: Request| async move {
        assert!(request.messages().len() < 3, "a bug of the program");
        Ok::<_, Infallible>(AssistantMessage::from_tool_calls(vec![call("a", "find", 7)]))
    };
    let running = AssertUnwindSafe(session.run(&registry).complete(model)).catch_unwind();
    assert!(running.await.is_err());
    assert_eq!(results(&session), ["order 7"]);

    let running = session.run(&registry).on_event(|_| panic!("a bug of the listener"));
    let model = super::model([calling([call("b", "find", 8)])]);
    assert!(
        AssertUnwindSafe(running.complete(|request| model.complete(request))).catch_unwind().await.is_err()
    );
    let mut session = stored(&session);
    assert_eq!(finish(&mut session, &registry).await, RunEnd::Answered);
}

#[tokio::test(start_paused = true)]
async fn an_approval_is_used_up_when_its_call_begins() {
    /// Wipes a disk.
    #[tool_runtime::tool(idempotent, requires_approval)]
    async fn wipe(order: u32, #[state] ledger: &Ledger) {
        ledger.add(format!("wipe {order}"));
        tokio::time::sleep(Duration::from_secs(3600)).await;
    }
    let ledger = Ledger::default();
    let registry =
        Registry::builder().tools(tool_runtime::tools![wipe]).state(ledger.clone()).build().expect("one");
    let model = model([calling([call("a", "wipe", 7)])]);
    let mut session = asked();
    let _ = session.run(&registry).complete(|request| model.complete(request)).await;
    session.approve("a").expect("it waits");
    drop_run(&mut session, &registry, []).await;
    assert_eq!(ledger.entries(), ["wipe 7"]);
    assert!(session.approve("a").is_err(), "it has begun");
    assert_eq!(
        finish(&mut session, &registry).await,
        RunEnd::NeedsApproval,
        "a second run needs a second approval"
    );
    assert_eq!(ledger.entries(), ["wipe 7"]);
    session.approve("a").expect("it waits again");
    assert_eq!(finish(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(ledger.entries(), ["wipe 7", "wipe 7"]);
}

/// A decision about the call `a`.
type Decide = fn(&mut Session);

/// A claimed session whose run ended with its process after `tool` began, and that waits for a second approval.
async fn waiting_again(registry: &Registry, tool: &str) -> Session {
    let mut session = asked();
    let waiting = model([calling([call("a", tool, 7)])]);
    let _ = session.run(registry).complete(|request| waiting.complete(request)).await.expect("valid");
    assert!(!session.awaiting_approval()[0].may_have_taken_effect, "it has not begun");
    session.approve("a").expect("it waits");
    let mut session = stored(&session.claim());
    assert_eq!(finish(&mut session, registry).await, RunEnd::NeedsApproval);
    stored(&session)
}

#[tokio::test]
async fn a_call_that_waits_for_a_second_approval_may_have_taken_effect() {
    /// Closes an account.
    #[tool_runtime::tool(idempotent, requires_approval)]
    fn close(order: u32, #[state] ledger: &Ledger) {
        ledger.add(format!("close {order}"));
    }
    /// Reads an account.
    #[tool_runtime::tool(read_only, requires_approval)]
    fn read(order: u32) -> String {
        format!("order {order}")
    }
    let ledger = Ledger::default();
    let builder = Registry::builder().tools(tool_runtime::tools![close, read]).state(ledger.clone());
    let registry = builder.build().expect("two tools");
    let error = |reason: &str| {
        format!(
            "Error: `close` was interrupted. It may have taken effect: check whether it did. \
             It did not run again: {reason}"
        )
    };

    let waiting = waiting_again(&registry, "close").await;
    assert!(waiting.awaiting_approval()[0].may_have_taken_effect);
    let decisions: [(&str, Decide); 5] = [
        ("no", |session| session.deny("a", "no").expect("it waits")),
        ("closed", |session| session.skip_calls("closed")),
        ("skipped by user", |session| session.push_user("Wait.")),
        ("no", |session| {
            session.approve("a").expect("it waits");
            session.deny("a", "no").expect("it has not begun again");
        }),
        ("late", |session| {
            session.approve("a").expect("it waits");
            *session = stored(session);
            session.skip_calls("late");
        }),
    ];
    for (reason, decide) in decisions {
        let mut session = waiting.clone();
        decide(&mut session);
        assert_eq!(results(&session), [error(reason)]);
    }

    let mut session = waiting.clone();
    session.approve_with("a", json!({"order": "seven"})).expect("it waits");
    assert_eq!(finish(&mut session, &registry).await, RunEnd::NeedsApproval);
    assert!(session.awaiting_approval()[0].may_have_taken_effect, "the arguments are invalid");

    let mut session = waiting.clone();
    session.set_not_begun("a").expect("it has begun");
    session.deny("a", "no").expect("it waits");
    assert_eq!(results(&session), ["Error: no"], "the program knows that it had no effect");

    let mut session = waiting;
    assert_eq!(ledger.entries(), [""; 0]);
    session.approve("a").expect("it waits");
    assert_eq!(finish(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!((results(&session), ledger.entries()), (vec!["ok".to_owned()], vec!["close 7".to_owned()]));

    let mut session = waiting_again(&registry, "read").await;
    assert!(!session.awaiting_approval()[0].may_have_taken_effect, "it has no effect");
    session.deny("a", "no").expect("it waits");
    assert_eq!(results(&session), ["Error: no"]);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_about_a_call_that_the_hook_approved_and_that_was_interrupted() {
    /// Pays an order.
    #[tool_runtime::tool(requires_approval)]
    async fn pay(order: u32, #[state] ledger: &Ledger) {
        ledger.add(format!("pay {order}"));
        tokio::time::sleep(Duration::from_secs(3600)).await;
    }
    let ledger = Ledger::default();
    let registry = |decision: fn() -> Decision| {
        let builder = Registry::builder().tools(tool_runtime::tools![pay]).state(ledger.clone());
        builder.before_call(move |_| async move { decision() }).build().expect("one tool")
    };
    let model = model([calling([call("a", "pay", 7)])]);
    let mut session = asked();
    let asking = registry(|| Decision::Undecided);
    let end = session.run(&asking).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, session.awaiting_approval().len()), (RunEnd::NeedsApproval, 1));
    drop_run(&mut session, &registry(|| Decision::Run), []).await;
    assert_eq!(ledger.entries(), ["pay 7"]);
    assert_eq!(stored(&session).awaiting_approval(), []);
    assert_eq!(finish(&mut session, &asking).await, RunEnd::Answered);
    assert!(results(&session)[0].contains("may have taken effect"));
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_stream_without_calls_is_repeated() {
    let (registry, _) = shop();
    let broken = text_reply("It is a long text of several words.").interrupted_after(3);
    let model = model([broken, text_reply("Hello.")]);
    let mut session = asked();
    let mut events = Vec::new();
    let run = session.run(&registry).on_event(|event| events.push(event.clone()));
    let error = run.stream(|request| model.stream(request)).await.expect_err("it is interrupted");
    assert!(matches!(events.last(), Some(Event::ReplyInterrupted { is_kept: false, .. })), "{events:?}");
    assert!(error.to_string().starts_with("the reply was interrupted: "), "{error}");
    assert_eq!(session.messages().len(), 1);
    let end = session.run(&registry).stream(|request| model.stream(request)).await.expect("valid");
    assert_eq!((end, session.final_text()), (RunEnd::Answered, "Hello."));
}

/// A stream whose first call is complete, and that is interrupted within the second one.
fn broken_after_one_call(first: &str) -> ScriptedReply {
    let piece = |index: u32, id: &str, name: &str, arguments: &str| {
        json!({"choices": [{"delta": {"tool_calls": [
            {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}
        ]}}]})
    };
    let error = json!({"error": {"message": "overloaded"}});
    let chunks = [piece(0, "a", first, "{\"order\":7}"), piece(1, "b", "ship", "{\"ord"), error];
    ScriptedReply::stream(chunks).with_chunk_delay(SECOND)
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_interrupted_after_a_call_began_keeps_its_result() {
    let (registry, ledger) = shop();
    let model = model([broken_after_one_call("find"), text_reply("Done.")]);
    let mut session = asked();
    let mut events = Vec::new();
    let run = session.run(&registry).on_event(|event| events.push(event.clone()));
    assert!(run.stream(|request| model.stream(request)).await.is_err());
    let is_interruption = |event: &&Event| matches!(event, Event::ReplyInterrupted { is_kept: true, .. });
    assert_eq!(events.iter().filter(is_interruption).count(), 1);
    assert!(events.iter().any(|event| matches!(event, Event::ReplyFinished { .. })));
    let ended = |id: &str| {
        let is_end = |event: &&Event| match event {
            Event::Call(call) => call.id == id && matches!(call.status, CallStatus::Finished { .. }),
            _ => false,
        };
        events.iter().filter(is_end).count()
    };
    assert_eq!((ended("a"), ended("b")), (1, 1), "each announced call ends: {events:?}");
    assert_eq!(results(&session)[0], "order 7");
    assert!(results(&session)[1].contains("the reply was interrupted"), "{:?}", results(&session));
    let mut session = stored(&session);
    let end = session.run(&registry).stream(|request| model.stream(request)).await.expect("valid");
    assert_eq!((end, ledger.entries()), (RunEnd::Answered, vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_dropped_keeps_the_results_of_early_calls() {
    let (registry, ledger) = shop();
    let model = model([broken_after_one_call("search").with_chunk_delay(SECOND)]);
    let mut session = asked();
    let running = session.run(&registry).stream(|request| model.stream(request));
    assert!(timeout(SECOND / 2, running).await.is_err());
    assert_eq!(ledger.entries(), ["search 7"]);
    let pending = session.pending().expect("the call has no result");
    assert_eq!(pending.calls().len(), 1);
    let mut session = stored(&session);
    assert_eq!(finish(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(ledger.entries(), ["search 7", "search 7"], "a read-only tool runs again");
    assert_eq!(results(&session), ["order 7 is in the archive"]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_stream_ends_the_run() {
    let (registry, _) = shop();
    let token = CancellationToken::new();
    let registry = registry.with(&RunContext::new().cancellation(token.clone()));
    let model = model([text_reply("One two three four.").with_chunk_delay(SECOND)]);
    let mut session = asked();
    let cancel = async {
        tokio::time::sleep(5 * SECOND / 2).await;
        token.cancel();
    };
    let (end, ()) = tokio::join!(session.run(&registry).stream(|request| model.stream(request)), cancel);
    assert_eq!((end.expect("valid"), session.messages().len()), (RunEnd::Cancelled, 1));
}
