//! Errors of the journal.

use super::*;
use std::sync::mpsc;
use tool_runtime::ToolMessage;
use tool_runtime::dispatch::{CallEnd, HandedOutCall};
use tool_runtime::session::RunError;
use tool_runtime_durable::{JournalError, record_calls};

async fn failed(
    session: &mut Session,
    registry: &Registry,
    journal: &MemoryJournal,
    model: &ScriptedModel,
) -> String {
    let run = session.run(registry).journal(journal).complete(|request| model.complete(request));
    let error = run.await.expect_err("the journal fails");
    assert!(matches!(error, RunError::Log(_)), "{error:?}");
    error.to_string()
}

const FULL: &str = "the journal cannot be used: no space left on device";

#[tokio::test(start_paused = true)]
async fn a_run_without_an_id_runs_nothing() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT).with(&RunContext::new());
    let mut session = Session::new().user("Go.");
    let model = model([calls([("charge", 7)])]);
    let expected =
        "the run has no id, so its calls cannot be recorded: bind a context with `RunContext::run_id`";
    assert_eq!(failed(&mut session, &registry, &journal, &model).await, expected);
    assert_eq!((model.requests().len(), ledger.entries().len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn no_call_of_an_unrecorded_reply_begins() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT);
    let model = model([calls([("find", 7), ("charge", 7)]), calls([("charge", 7)]), done()]);
    let mut session = Session::new().user("Go.");
    journal.fail("reply");
    assert_eq!(failed(&mut session, &registry, &journal, &model).await, FULL);
    let run_streamed = session.run(&registry).journal(&journal);
    let error = run_streamed.stream(|request| model.stream(request)).await.expect_err("the journal fails");
    assert_eq!(error.to_string(), FULL);
    assert_eq!((session.messages().len(), ledger.entries().len()), (1, 0));

    journal.fail(None);
    assert_eq!(run(&mut session, &registry, &journal, &model).await, RunEnd::Answered);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_cannot_be_recorded_stays_pending_and_the_others_finish() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT);
    let model = model([calls([("charge", 7), ("charge", 8), ("label", 9)]), done()]);
    let mut session = Session::new().user("Go.");
    journal.fail("begin order-7/0/1");
    assert_eq!(failed(&mut session, &registry, &journal, &model).await, FULL);
    let pending = session.pending().expect("a call is pending");
    assert_eq!(pending.result_of("call_0").map(ToolMessage::text), Some("order 7 is charged"));
    assert_eq!(pending.result_of("call_1").map(ToolMessage::text), None);

    journal.fail(None);
    assert_eq!(run(&mut session, &registry, &journal, &model).await, RunEnd::Answered);
    assert_eq!(results(&session), ["order 7 is charged", "order 8 is charged", "label 9"]);
    let mut effects = ledger.entries();
    effects.sort_unstable();
    assert_eq!(effects, ["charge 7 order-7/0/0", "charge 8 order-7/0/1", "label 9"]);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_cannot_be_recorded_is_kept_and_the_run_stops() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT);
    let model = model([calls([("charge", 7)]), done()]);
    let mut session = Session::new().user("Go.");
    journal.fail("finish");
    assert_eq!(failed(&mut session, &registry, &journal, &model).await, FULL);
    assert_eq!(results(&session), ["order 7 is charged"]);
    assert_eq!(model.requests().len(), 1, "the next request is not sent");

    journal.fail(None);
    assert_eq!(run(&mut session, &registry, &journal, &model).await, RunEnd::Answered);
    assert_eq!(ledger.entries().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn another_call_with_the_same_key_is_an_error() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT);
    let mut session = Session::new().user("Go.");
    let mut other = session.clone();
    let _ = run(&mut session, &registry, &journal, &model([calls([("charge", 7)]), done()])).await;
    // Another session with the same run id, which has received its reply without the journal.
    let model = model([calls([("charge", 8)]), done()]);
    let received = other.run(&registry).max_calls(0).complete(|request| model.complete(request)).await;
    assert_eq!(received.expect("a reply"), RunEnd::CallLimit);
    let expected = "the journal has a call of `charge` with the key `order-7/0/0`, and this call of `charge` has another id, tool \
                    or arguments: use another run id for each session";
    assert_eq!(failed(&mut other, &registry, &journal, &model).await, expected);
    assert_eq!(ledger.entries().iter().filter(|effect| effect.contains('8')).count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_program_without_sessions_receives_the_errors() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let (sender, errors) = mpsc::channel();
    let sender = std::sync::Mutex::new(sender);
    let registry = Registry::builder()
        .tools(tools![charge])
        .state(ledger.clone())
        .state(Work(SHORT))
        .around_call(record_calls(&journal, move |error: &JournalError| {
            sender.lock().expect("one thread").send(error.to_string()).expect("the test receives it");
        }))
        .build()
        .expect("one tool")
        .with(&RunContext::new().run_id("order-7"));
    let reply = calls([("charge", 7)]);
    journal.fail("begin");
    let messages = registry.dispatch(&reply.tool_calls).await;
    assert_eq!(messages[0].text(), "Error: the tool `charge` was not run: its journal is not available now.");
    assert_eq!(messages[0].error_kind(), Some("journal"));
    // A worker leaves the call in its queue.
    let key = RunContext::new().run_id("order-7").key(0, 0).expect("a run id");
    let handed_out = HandedOutCall::new(key, "call_0", "charge", r#"{"order":7}"#);
    assert!(matches!(registry.run_handed_out(&handed_out).await, CallEnd::NotBegun));
    journal.fail("finish");
    let messages = registry.dispatch(&reply.tool_calls).await;
    assert_eq!(messages[0].text(), "order 7 is charged");
    assert_eq!(errors.try_iter().collect::<Vec<_>>(), [FULL, FULL, FULL]);
    assert_eq!(ledger.entries().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_in_the_place_of_another_one_reads_that_it_may_have_taken_effect() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = Registry::builder()
        .tools(tools![charge])
        .state(ledger.clone())
        .state(Work(SHORT))
        .around_call(record_calls(&journal, |_: &JournalError| ()))
        .build()
        .expect("one tool");
    let bound = registry.with(&RunContext::new().run_id("order-7"));
    let (first, second) = (calls([("charge", 7)]), calls([("charge", 8)]));
    bound.dispatch(&first.tool_calls).await;
    let other = bound.dispatch(&second.tool_calls).await;
    let expected = "Error: `charge` was not run: an earlier call has its place. That one may have taken effect: check whether \
                    it did.";
    assert_eq!(other[0].text(), expected);
    let without_run_id = registry.dispatch(&first.tool_calls).await;
    assert_eq!(without_run_id[0].text(), "Error: the tool `charge` cannot run here.");
    assert_eq!(ledger.entries(), ["charge 7 order-7/0/0"]);
}
