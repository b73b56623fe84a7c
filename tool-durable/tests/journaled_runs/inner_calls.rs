//! Calls that a resumable tool makes: the journal records them, and the tool continues after a crash.

use super::*;
use futures_util::StreamExt as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use tool_runtime::conversation::InnerCallError;
use tool_runtime_durable::Journal as _;

/// The registry of the inner calls, and the orders of each run of the tool; the last ones for further runs.
struct Orders {
    inner: Registry,
    by_run: Vec<Vec<u32>>,
    runs: AtomicUsize,
}

/// Charges the orders of this run, together.
#[tool(resumable)]
async fn charge_all(#[state] orders: &Orders, #[context] call: &CallContext) -> Vec<String> {
    let run = orders.runs.fetch_add(1, Ordering::Relaxed).min(orders.by_run.len() - 1);
    let charge =
        |order: &u32| call.inner_call(&orders.inner, "charge", serde_json::json!({ "order": order }));
    let charges: Vec<_> = orders.by_run[run].iter().map(charge).collect();
    let mut texts = Vec::new();
    for result in futures_util::future::join_all(charges).await {
        texts.push(match result {
            Ok(result) => result.text().into_owned(),
            Err(error @ InnerCallError::Diverged { .. }) => error.to_string(),
            Err(error) => panic!("{error}"),
        });
    }
    if run == 0 {
        // The process ends before the tool does.
        tokio::time::sleep(LONG).await;
    }
    texts
}

fn charging(ledger: &Ledger, by_run: &[&[u32]]) -> Registry {
    let inner = registry(ledger, SHORT);
    let by_run = by_run.iter().map(|orders| orders.to_vec()).collect();
    let orders = Orders { inner, by_run, runs: AtomicUsize::new(0) };
    let registry = Registry::builder().tools(tools![charge_all]).state(orders).build().expect("a valid tool");
    registry.with(&RunContext::new().run_id("order-7"))
}

fn charge_all_reply() -> AssistantMessage {
    AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "charge_all", "{}")])
}

#[tokio::test(start_paused = true)]
async fn a_crashed_tool_continues_with_the_recorded_results_of_its_calls() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let stored = Session::new().user("Go.");
    let asked = model([charge_all_reply(), done()]);
    let registry = charging(&ledger, &[&[7, 8]]);
    crash(&stored, &registry, &journal, &asked).await;
    assert_eq!(ledger.entries(), ["charge 7 order-7/0/0/0/0", "charge 8 order-7/0/0/0/1"]);
    let mut session = stored;
    let _ = run(&mut session, &registry, &journal, &asked).await;
    assert_eq!(results(&session), [r#"["order 7 is charged","order 8 is charged"]"#]);
    assert_eq!(ledger.entries().len(), 2, "no call runs again");
    assert_eq!(journal.find_calls("order-7/0/0", 0).await.expect("a journal").len(), 2);
    journal.remove_run("order-7").await.expect("no run is in progress");
    assert!(journal.find_calls("order-7/0/0", 0).await.expect("a journal").is_empty());
}

#[tokio::test(start_paused = true)]
async fn after_another_call_than_before_the_crash_nothing_new_runs() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let stored = Session::new().user("Go.");
    let asked = model([charge_all_reply(), done()]);
    let registry = charging(&ledger, &[&[7, 8], &[7, 9, 10]]);
    crash(&stored, &registry, &journal, &asked).await;
    let mut session = stored;
    let _ = run(&mut session, &registry, &journal, &asked).await;
    let texts: Vec<String> = serde_json::from_str(&results(&session)[0]).expect("a list");
    assert_eq!(texts[0], "order 7 is charged");
    assert!(texts[1].starts_with("call 1 of `charge` was not run: it had other arguments"), "{}", texts[1]);
    assert!(texts[2].starts_with("call 2 of `charge` was not run"), "{}", texts[2]);
    assert_eq!(ledger.entries().len(), 2, "only the calls before the crash have run");
}

/// Refunds an order with an inner call.
#[tool(resumable)]
async fn refund_inside(
    order: u32,
    #[state] orders: &Orders,
    #[context] call: &CallContext,
) -> Result<String, InnerCallError> {
    let result = call.inner_call(&orders.inner, "refund", serde_json::json!({ "order": order })).await?;
    Ok(result.failure().map_or_else(|| result.text().into_owned(), |failure| failure.message().to_owned()))
}

/// A session whose inner call waits for an approval, and the registry.
async fn waiting(ledger: &Ledger, journal: &MemoryJournal, asked: &ScriptedModel) -> (Session, Registry) {
    let orders = Orders { inner: registry(ledger, SHORT), by_run: Vec::new(), runs: AtomicUsize::new(0) };
    let registry =
        Registry::builder().tools(tools![refund_inside]).state(orders).build().expect("a valid tool");
    let registry = registry.with(&RunContext::new().run_id("order-7"));
    let mut session = Session::new().user("Go.");
    assert_eq!(run(&mut session, &registry, journal, asked).await, RunEnd::NeedsApproval);
    (session, registry)
}

fn refund_inside_reply() -> AssistantMessage {
    AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "refund_inside", r#"{"order":7}"#)])
}

/// A process runs the tool after this decision, and ends before it stores the session.
async fn lose(
    session: &Session,
    registry: &Registry,
    journal: &MemoryJournal,
    decide: impl FnOnce(&mut Session),
) {
    let mut lost = session.clone();
    decide(&mut lost);
    // The tool has ended, and the model does not answer.
    let pending = lost
        .run(registry)
        .journal(journal)
        .complete(|_| std::future::pending::<std::io::Result<AssistantMessage>>());
    assert!(tokio::time::timeout(LIFE, pending).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_later_denial_does_not_hide_an_effect() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let asked = model([refund_inside_reply(), done()]);
    let (session, registry) = waiting(&ledger, &journal, &asked).await;
    lose(&session, &registry, &journal, |session| session.approve("a/0").expect("it waits")).await;
    assert_eq!(ledger.entries(), ["refund 7"]);
    let mut stale = session;
    stale.deny("a/0", "no").expect("it waits");
    assert_eq!(run(&mut stale, &registry, &journal, &asked).await, RunEnd::Answered);
    assert_eq!(results(&stale), ["order 7 is refunded"]);
    assert_eq!(ledger.entries().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_recorded_call_keeps_the_arguments_of_the_person() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let asked = model([refund_inside_reply(), done()]);
    let (session, registry) = waiting(&ledger, &journal, &asked).await;
    let edit = |session: &mut Session| {
        session.approve_with("a/0", serde_json::json!({ "order": 70 })).expect("it waits");
    };
    lose(&session, &registry, &journal, edit).await;
    let mut stale = session;
    stale.approve("a/0").expect("it waits");
    assert_eq!(run(&mut stale, &registry, &journal, &asked).await, RunEnd::Answered);
    assert_eq!(results(&stale), ["order 70 is refunded"]);
    assert_eq!(ledger.entries(), ["refund 70"]);
}

/// Finds an order with an inner call.
#[tool(read_only)]
async fn find_inside(
    order: u32,
    #[state] orders: &Orders,
    #[context] call: &CallContext,
) -> Result<String, InnerCallError> {
    let result = call.inner_call(&orders.inner, "find", serde_json::json!({ "order": order })).await?;
    Ok(result.text().into_owned())
}

/// A piece of a streamed call of `find_inside`.
fn chunk(index: usize, id: &str, arguments: &str) -> String {
    let function = serde_json::json!({ "name": "find_inside", "arguments": arguments });
    let call = serde_json::json!({ "index": index, "id": id, "type": "function", "function": function });
    serde_json::json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] }).to_string()
}

#[tokio::test(start_paused = true)]
async fn inner_calls_of_a_call_that_starts_early_are_not_recorded() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let orders = Orders { inner: registry(&ledger, SHORT), by_run: Vec::new(), runs: AtomicUsize::new(0) };
    let registry =
        Registry::builder().tools(tools![find_inside]).state(orders).build().expect("a valid tool");
    let registry = registry.with(&RunContext::new().run_id("order-7"));
    // The first call is complete when the second one begins, and the stream does not end.
    let mut lost = Session::new().user("Go.");
    let run = lost.run(&registry).journal(&journal).stream(async |_| {
        let chunks = [chunk(0, "a", r#"{"order":1}"#), chunk(1, "b", "")];
        let chunks = futures_util::stream::iter(chunks.map(Ok::<_, std::io::Error>));
        Ok::<_, std::io::Error>(chunks.chain(futures_util::stream::pending()))
    });
    assert!(tokio::time::timeout(LIFE, run).await.is_err());
    assert_eq!(ledger.entries(), ["find 1"]);
    // The model makes another call in the next attempt.
    let mut session = Session::new().user("Go.");
    let call = ToolCall::new("a", "find_inside", r#"{"order":2}"#);
    let asked = model([AssistantMessage::from_tool_calls(vec![call]), done()]);
    assert_eq!(super::run(&mut session, &registry, &journal, &asked).await, RunEnd::Answered);
    assert_eq!(results(&session), ["order 2"]);
}
