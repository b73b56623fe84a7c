//! Recorded calls.

use super::*;
use std::time::Duration;
use tool_runtime::dispatch::{CallEvent, CallStatus, CancellationToken, Decision, ProposedCall, ReadyCall};
use tool_runtime::message::Message;
use tool_runtime::session::Event;
use tool_runtime_durable::record_calls;

const INTERRUPTED: &str = "Error: `charge` was interrupted. It may have taken effect: check whether it did.";

#[tokio::test(start_paused = true)]
async fn interrupted_calls_run_again_only_if_a_second_run_does_no_harm() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let stored = Session::new().user("Go.");
    let asked = model([calls([("charge", 7), ("label", 7), ("find", 7)])]);
    crash(&stored, &registry(&ledger, LONG), &journal, &asked).await;
    crash(&stored, &registry(&ledger, LONG), &journal, &asked).await;

    let mut session = stored.clone();
    let _ = run(&mut session, &registry(&ledger, SHORT), &journal, &model([done()])).await;
    assert_eq!(results(&session), [INTERRUPTED, "label 7", "order 7"]);
    let count = |entry: &str| ledger.entries().iter().filter(|effect| effect.starts_with(entry)).count();
    assert_eq!((count("charge"), count("label"), count("find")), (1, 3, 3));

    let mut again = stored;
    let _ = run(&mut again, &registry(&ledger, SHORT), &journal, &model([])).await;
    assert_eq!(again.messages(), session.messages());
    assert_eq!(ledger.entries().len(), 7, "no tool runs again");
}

#[tokio::test(start_paused = true)]
async fn the_text_of_an_interrupted_call_is_that_of_the_runtime() {
    let ledger = Ledger::default();
    let registry = registry(&ledger, LONG);
    let model = model([calls([("charge", 7)]), done()]);
    let mut session = Session::new().user("Go.");
    let without_journal = session.run(&registry).complete(|request| model.complete(request));
    tokio::time::timeout(LIFE, without_journal).await.expect_err("the tool does not end");
    let _ = session.run(&registry).complete(|request| model.complete(request)).await;
    assert_eq!(results(&session), [INTERRUPTED]);
    let Message::Tool(result) = &session.messages()[2] else { panic!("a result") };
    assert_eq!(result.error_kind(), Some("interrupted"));
}

#[tokio::test(start_paused = true)]
async fn failures_images_and_repeated_ids_have_their_recorded_results() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let stored = Session::new().user("Go.");
    // `call_0` in each reply.
    let model = model([calls([("charge", 13), ("label", 7)]), calls([("charge", 8)]), done()]);
    let registry = registry(&ledger, SHORT);
    let mut session = stored.clone();
    let _ = run(&mut session, &registry, &journal, &model).await;
    assert_eq!(results(&session), ["Error: the card is declined", "label 7", "order 8 is charged"]);

    let mut again = stored;
    let offline = ScriptedModel::new(Vec::<ScriptedReply>::new());
    let _ = run(&mut again, &registry, &journal, &offline).await;
    assert_eq!(ledger.entries(), ["charge 13 order-7/0/0", "label 7", "charge 8 order-7/1/0"]);
    let stored = |session: &Session| {
        let mut stored = serde_json::to_value(session).expect("a session");
        stored["revision"] = 0.into();
        stored
    };
    assert_eq!(stored(&again), stored(&session));
    let artifact = |session: &Session| match &session.messages()[3] {
        Message::Tool(result) => result.artifact::<u32>().copied(),
        _ => None,
    };
    assert_eq!((artifact(&session), artifact(&again)), (Some(7), None), "artifacts are not recorded");
}

#[tokio::test(start_paused = true)]
async fn a_result_that_comes_later_is_awaited_again() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let stored = Session::new().user("Report.");
    let reply = AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "report", "{}")]);
    let model = model([reply, done()]);
    let registry = registry(&ledger, SHORT);
    let mut session = stored.clone();
    assert_eq!(run(&mut session, &registry, &journal, &model).await, RunEnd::NeedsResult);
    let mut session = stored.clone();
    assert_eq!(run(&mut session, &registry, &journal, &model).await, RunEnd::NeedsResult);
    assert_eq!(session.awaiting_result()[0].ticket.as_deref(), Some("report-1"));
    session.provide_result("a", "12 pages").expect("it waits");
    assert_eq!(run(&mut session, &registry, &journal, &model).await, RunEnd::Answered);

    // The next reply is recorded with the result that it follows.
    let mut again = stored;
    assert_eq!(run(&mut again, &registry, &journal, &model).await, RunEnd::Answered);
    assert_eq!(results(&again), ["12 pages"]);
    assert_eq!(again.messages(), session.messages());
    assert_eq!(ledger.entries(), ["report"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_and_its_retries_are_one_record() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = Registry::builder()
        .tools(tools![charge])
        .state(ledger.clone())
        .state(Work(SHORT))
        .around_call(|call: ReadyCall| async move {
            let _ = call.run().await;
            call.run().await
        })
        .build()
        .expect("one tool")
        .with(&RunContext::new().run_id("order-7"));
    let mut session = Session::new().user("Go.");
    let _ = run(&mut session, &registry, &journal, &model([calls([("charge", 13)]), done()])).await;
    assert_eq!(ledger.entries(), ["charge 13 order-7/0/0", "charge 13 order-7/0/0"]);
    assert_eq!(journal.operations()[1..3], ["begin order-7/0/0", "finish order-7/0/0"]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_has_no_result() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let token = CancellationToken::new();
    let context = RunContext::new().run_id("order-7").cancellation(token.clone());
    let mut session = Session::new().user("Go.");
    let stored = session.clone();
    let (bound, model) = (registry(&ledger, LONG).with(&context), model([calls([("label", 7)]), done()]));
    let cancelled = run(&mut session, &bound, &journal, &model);
    let cancel = async {
        tokio::time::sleep(LIFE).await;
        token.cancel();
    };
    assert_eq!(tokio::join!(cancelled, cancel).0, RunEnd::Cancelled);
    assert_eq!(session.pending().map(|pending| pending.calls().len()), Some(1), "it stays pending");
    for mut session in [session, stored] {
        let _ = run(&mut session, &registry(&ledger, SHORT), &journal, &model).await;
        assert_eq!(results(&session), ["label 7"]);
    }
    assert_eq!(ledger.entries(), ["label 7", "label 7"]);
}

/// Exports pages until it is cancelled.
#[tool_runtime::tool(destructive)]
async fn export(#[state] ledger: &Ledger, #[context] call: &tool_runtime::CallContext) -> &'static str {
    ledger.add("export");
    call.cancellation().cancelled().await;
    "half of the output"
}

/// A tool that returns a value when it is cancelled: the event, the session and the journal have the same result.
#[tokio::test(start_paused = true)]
async fn a_tool_that_returns_when_it_is_cancelled_has_one_result_everywhere() {
    for is_streamed in [false, true] {
        let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
        let token = CancellationToken::new();
        let context = RunContext::new().run_id("order-7").cancellation(token.clone());
        let registry = || {
            let builder = Registry::builder().tools(tools![export]).state(ledger.clone());
            builder.build().expect("one tool").with(&RunContext::new().run_id("order-7"))
        };
        let call = ToolCall::new("call_0", "export", "{}");
        let model = model([AssistantMessage::from_tool_calls([call]), done()]);
        let mut session = Session::new().user("Go.");
        let stored = session.clone();
        let mut ends = Vec::new();
        let bound = registry().with(&context);
        let started = session.run(&bound).journal(&journal).on_event(|event: &Event| {
            if let Event::Call(CallEvent { status: CallStatus::Finished { result, .. }, .. }) = event {
                ends.push(result.text().into_owned());
            }
        });
        let cancelled = async {
            if is_streamed {
                started.stream(|request| model.stream(request)).await.expect("the run ends")
            } else {
                started.complete(|request| model.complete(request)).await.expect("the run ends")
            }
        };
        let cancel = async {
            tokio::time::sleep(LIFE).await;
            token.cancel();
        };
        assert_eq!(tokio::join!(cancelled, cancel).0, RunEnd::Cancelled);
        assert_eq!(ends, ["half of the output"]);
        assert_eq!(results(&session), ends);
        for mut session in [session, stored] {
            assert_eq!(run(&mut session, &registry(), &journal, &model).await, RunEnd::Answered);
            assert_eq!(results(&session), ends);
        }
        assert_eq!(ledger.entries(), ["export"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_program_without_sessions_records_its_calls() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = |work: Duration| {
        Registry::builder()
            .tools(tools![charge, label])
            .state(ledger.clone())
            .state(Work(work))
            .around_call(record_calls(&journal, |error| panic!("{error}")))
            .build()
            .expect("two tools")
            .with(&RunContext::new().run_id("order-7").reply_number(3))
    };
    let reply = calls([("charge", 7), ("label", 7)]);
    let dispatched = registry(LONG);
    tokio::time::timeout(LIFE, dispatched.dispatch(&reply.tool_calls))
        .await
        .expect_err("the tools do not end");
    for _ in 0..2 {
        let messages = registry(SHORT).dispatch(&reply.tool_calls).await;
        assert_eq!([messages[0].text(), messages[1].text()], [INTERRUPTED, "label 7"]);
    }
    assert_eq!(ledger.entries(), ["charge 7 order-7/3/0", "label 7", "label 7"]);
}

/// A registry whose hook denies each call.
fn denying(ledger: &Ledger, reason: &'static str) -> Registry {
    let registry = Registry::builder().tools(tools![charge, label]).state(ledger.clone()).state(Work(SHORT));
    let registry =
        registry.before_call(move |_: ProposedCall| async move { Decision::Deny(reason.to_owned()) });
    registry.build().expect("two tools").with(&RunContext::new().run_id("order-7"))
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_denied_before_a_recorded_reply_stays_denied() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let stored = Session::new().user("Go.");
    let mut session = stored.clone();
    let asked = model([calls([("charge", 7)]), done()]);
    let _ = run(&mut session, &denying(&ledger, "the budget is used"), &journal, &asked).await;

    let mut again = stored;
    let _ = run(&mut again, &registry(&ledger, SHORT), &journal, &model([])).await;
    assert_eq!(again.messages(), session.messages());
    assert_eq!(results(&again), ["Error: the budget is used"]);
    assert_eq!(ledger.entries(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn neither_a_hook_nor_a_new_version_changes_the_result_of_a_call_that_has_begun() {
    let stored = Session::new().user("Go.");
    for (work, expected) in [(SHORT, "order 7 is charged"), (LONG, INTERRUPTED)] {
        let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
        // The process ends in the call, or while the next reply is awaited.
        let waits = ScriptedReply::from(done()).with_delay(LONG);
        let asked = ScriptedModel::new([ScriptedReply::from(calls([("charge", 7)])), waits]);
        crash(&stored, &registry(&ledger, work), &journal, &asked).await;
        let without_tools = Registry::new(tools![]).expect("no tools");
        for registry in [denying(&ledger, "the budget is used"), without_tools] {
            let registry = registry.with(&RunContext::new().run_id("order-7"));
            let mut session = stored.clone();
            let _ = run(&mut session, &registry, &journal, &ScriptedModel::repeat(done())).await;
            assert_eq!(results(&session), [expected]);
        }
        assert_eq!(ledger.entries(), ["charge 7 order-7/0/0"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_replayed_result_is_truncated_and_counts_towards_the_limit_of_its_tool() {
    /// Writes much.
    #[tool(max_calls = 1)]
    fn much(#[state] ledger: &Ledger) -> String {
        ledger.add("much");
        "x".repeat(10_000)
    }

    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = Registry::builder().tools(tools![much]).state(ledger.clone()).max_result_bytes(1_000);
    let registry = registry.build().expect("one tool").with(&RunContext::new().run_id("order-7"));
    let call = || AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "much", "{}")]);
    let stored = Session::new().user("Go.");
    let first =
        ScriptedModel::new([ScriptedReply::from(call()), ScriptedReply::from(call()).with_delay(LONG)]);
    crash(&stored, &registry, &journal, &first).await;

    let mut session = stored;
    let _ = run(&mut session, &registry, &journal, &model([call(), done()])).await;
    let results = results(&session);
    assert!(results[0].len() <= 1_000, "{} bytes", results[0].len());
    assert_eq!(results[1], "Error: not run: `much` may be called only once, and this limit is reached.");
    assert_eq!(ledger.entries(), ["much"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_has_begun_without_the_journal_stays_interrupted() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, LONG);
    let mut session = Session::new().user("Go.");
    let asked = model([calls([("charge", 7)]), done()]);
    let limited = session.run(&registry).max_calls(0).journal(&journal);
    let end = limited.complete(|request| asked.complete(request)).await.expect("the reply is recorded");
    assert_eq!(end, RunEnd::CallLimit);
    let without_journal = session.run(&registry).complete(|request| asked.complete(request));
    tokio::time::timeout(LIFE, without_journal).await.expect_err("the tool does not end");

    let _ = run(&mut session, &registry, &journal, &asked).await;
    assert_eq!(results(&session), [INTERRUPTED]);
    assert_eq!(ledger.entries().len(), 1);
}

/// Another build of the program may write the keys of the same arguments in another order.
#[tokio::test]
async fn a_recorded_call_has_its_result_whatever_the_order_of_its_arguments_is() {
    /// Moves money.
    #[tool(destructive)]
    fn transfer(from: u32, to: u32, #[state] ledger: &Ledger) -> String {
        ledger.add(format!("{from} to {to}"));
        "done".to_owned()
    }

    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let builder = Registry::builder().tools(tools![transfer]).state(ledger.clone());
    let builder = builder.around_call(record_calls(&journal, |error| panic!("{error}")));
    let registry =
        builder.build().expect("one tool").with(&RunContext::new().run_id("order-7").reply_number(0));
    for arguments in [r#"{"from":1,"to":2}"#, r#"{"to":2, "from":1}"#] {
        let messages = registry.dispatch(&[ToolCall::new("call_0", "transfer", arguments)]).await;
        assert_eq!(messages[0].text(), "done");
    }
    assert_eq!(ledger.entries(), ["1 to 2"]);
}
