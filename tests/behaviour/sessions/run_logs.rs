//! Logs of replies, and middleware outside of that of the registry.

use super::*;
use futures_util::stream;
use serde_json::json;
use std::collections::BTreeMap;
use tool_runtime::conversation::NotPendingError;
use tool_runtime::dispatch::ReadyCall;
use tool_runtime::session::{LogError, LoggedResult, RunEnd, RunError, RunLog, RunLogFuture};
use tool_runtime::{CallContext, RunContext, ToolMessage};

/// A log in memory, which notes its operations in a ledger.
#[derive(Clone, Default)]
struct Log {
    replies: Arc<Mutex<BTreeMap<u64, AssistantMessage>>>,
    ledger: Ledger,
    /// The operation that fails.
    fails: Option<&'static str>,
}

impl Log {
    fn operation(&self, operation: &'static str) -> Result<(), LogError> {
        self.ledger.add(operation);
        if self.fails == Some(operation) { Err("the disk is full".into()) } else { Ok(()) }
    }

    fn replies(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, AssistantMessage>> {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunLog for Log {
    fn find_reply<'a>(
        &'a self,
        session: &'a mut Session,
        _: &'a Registry,
    ) -> RunLogFuture<'a, Option<AssistantMessage>> {
        Box::pin(async move {
            self.operation("find")?;
            Ok(self.replies().get(&session.replies()).cloned())
        })
    }

    fn record_reply<'a>(
        &'a self,
        session: &'a Session,
        _: &'a Registry,
        reply: &'a AssistantMessage,
    ) -> RunLogFuture<'a, ()> {
        Box::pin(async move {
            self.operation("record")?;
            self.replies().insert(session.replies(), reply.clone());
            Ok(())
        })
    }

    fn before_calls<'a>(&'a self, session: &'a mut Session, _: &'a Registry) -> RunLogFuture<'a, ()> {
        Box::pin(async move {
            self.operation("before calls")?;
            for call in session.awaiting_approval() {
                session.approve(&call.id)?;
            }
            Ok(())
        })
    }
}

fn note(ledger: &Ledger) -> Registry {
    let registry = Registry::builder().tools(tools![refund]).state(ledger.clone());
    registry.build().expect("one tool")
}

fn refund_call() -> AssistantMessage {
    AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "refund", r#"{"order":7}"#)])
}

/// Finds an order early.
#[tool(read_only)]
fn find_early(order: u32, #[state] ledger: &Ledger) -> String {
    ledger.add(format!("find {order}"));
    format!("order {order}")
}

#[tokio::test]
async fn a_log_records_a_reply_before_its_calls_start_except_for_reads_of_a_stream() {
    let (log, done) = (Log::default(), || AssistantMessage::from_text("Done."));
    let registry = Registry::builder().tools(tools![find_early]).state(log.ledger.clone()).build();
    let registry = registry.expect("one tool");
    let calls = AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "find_early", r#"{"order":7}"#)]);
    let expected = ["find", "record", "find 7", "find", "record"];
    let model = ScriptedModel::new([calls.clone(), done()]);
    let mut session = Session::new().user("Go.");
    let run = session.run(&registry).log(Arc::new(log.clone()));
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("it ends"), RunEnd::Answered);
    assert_eq!(log.ledger.entries(), expected);

    let streamed = Log { replies: Arc::default(), ledger: Ledger::default(), fails: None };
    let registry = Registry::builder().tools(tools![find_early]).state(streamed.ledger.clone()).build();
    let model = ScriptedModel::new([calls, done()]);
    let mut session = Session::new().user("Go.");
    let registry = registry.expect("one tool");
    let run = session.run(&registry).log(Arc::new(streamed.clone()));
    assert_eq!(run.stream(|request| model.stream(request)).await.expect("it ends"), RunEnd::Answered);
    assert_eq!(streamed.ledger.entries(), ["find", "find 7", "record", "find", "record"]);
}

#[tokio::test]
async fn a_log_can_approve_the_calls_of_its_replies() {
    let log = Log::default();
    log.replies().insert(0, refund_call());
    let (registry, model) = (note(&log.ledger), ScriptedModel::new([AssistantMessage::from_text("Done.")]));
    let mut session = Session::new().user("Go.");
    let end =
        session.run(&registry).log(Arc::new(log.clone())).complete(|request| model.complete(request)).await;
    // The first run lists the call; the log approves it in the second.
    assert_eq!(end.expect("it ends"), RunEnd::NeedsApproval);
    let end =
        session.run(&registry).log(Arc::new(log.clone())).complete(|request| model.complete(request)).await;
    assert_eq!(end.expect("it ends"), RunEnd::Answered);
    assert_eq!(model.requests().len(), 1);
}

/// The error of a run whose log fails.
fn log_error<E: std::fmt::Debug>(ended: Result<RunEnd, RunError<E>>) -> String {
    match ended {
        Err(RunError::Log(error)) => error.to_string(),
        ended => panic!("the log fails: {ended:?}"),
    }
}

#[tokio::test]
async fn an_error_of_the_log_is_the_error_of_the_run_which_drops_the_reply() {
    const FULL: &str = "the disk is full";
    for fails in ["find", "record"] {
        let log = Arc::new(Log { fails: Some(fails), ..Log::default() });
        let (registry, model) = (note(&log.ledger), ScriptedModel::new([refund_call(), refund_call()]));
        let mut session = Session::new().user("Go.");
        let run = session.run(&registry).log(log.clone());
        assert_eq!(log_error(run.complete(|request| model.complete(request)).await), FULL);
        assert_eq!(session.messages().len(), 1);
        let run = session.run(&registry).log(log.clone());
        assert_eq!(log_error(run.stream(|request| model.stream(request)).await), FULL);
        assert_eq!((session.pending().is_none(), session.replies()), (true, 0));
    }
    let log = Arc::new(Log { fails: Some("before calls"), ..Log::default() });
    log.replies().insert(0, refund_call());
    let (registry, model) = (note(&log.ledger), ScriptedModel::new(Vec::<ScriptedReply>::new()));
    let mut session = Session::new().user("Go.");
    let run = session.run(&registry).log(log);
    assert_eq!(log_error(run.complete(|request| model.complete(request)).await), FULL);
    assert!(session.pending().is_some());
}

/// A log that records calls, and fails for some.
#[derive(Default)]
struct CallLog {
    ledger: Ledger,
    /// The call whose beginning takes an hour to record.
    late: &'static str,
    /// The call that is not recorded when it begins.
    not_begun: &'static str,
    /// Whether the call that is not recorded runs anyway.
    runs_not_begun: bool,
    /// The call whose result is not recorded.
    not_finished: &'static str,
}

impl RunLog for CallLog {
    fn find_reply<'a>(
        &'a self,
        _: &'a mut Session,
        _: &'a Registry,
    ) -> RunLogFuture<'a, Option<AssistantMessage>> {
        Box::pin(async { Ok(None) })
    }

    fn record_reply<'a>(
        &'a self,
        _: &'a Session,
        _: &'a Registry,
        _: &'a AssistantMessage,
    ) -> RunLogFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    fn run_call(&self, call: ReadyCall) -> RunLogFuture<'_, LoggedResult> {
        Box::pin(async move {
            assert!(call.is_logged());
            if call.id() == self.late {
                tokio::time::sleep(Duration::from_secs(3600)).await;
            }
            if call.id() == self.not_begun {
                if self.runs_not_begun {
                    let _ = call.run().await;
                    call.keep_result();
                }
                return Err("not begun".into());
            }
            let result = call.run().await;
            if call.id() == self.not_finished {
                return Ok(LoggedResult::unrecorded(result, "not finished"));
            }
            self.ledger.add(format!("recorded {}", call.id()));
            Ok(result.into())
        })
    }

    fn after_run(&self) {
        self.ledger.add("end");
    }
}

#[tokio::test(start_paused = true)]
async fn after_an_error_of_the_log_calls_that_run_finish_and_the_others_stay_pending() {
    let calls = ["a", "b", "c"].map(|id| ToolCall::new(id, "ship", r#"{"order":7}"#));
    for is_streamed in [false, true] {
        for (not_begun, not_finished, error, pending) in [
            ("b", "", "not begun", Some(vec!["b", "c"])),
            ("", "a", "not finished", None),
            ("c", "a", "not begun", Some(vec!["c"])),
        ] {
            let log = Arc::new(CallLog { not_begun, not_finished, ..CallLog::default() });
            let registry = Registry::builder().tools(tools![ship]).state(log.ledger.clone()).build();
            let registry = registry.expect("one tool");
            let model = ScriptedModel::new([AssistantMessage::from_tool_calls(calls.clone())]);
            let mut session = Session::new().user("Go.");
            let run = session.run(&registry).log(log.clone());
            let ended = if is_streamed {
                log_error(run.stream(|request| model.stream(request)).await)
            } else {
                log_error(run.complete(|request| model.complete(request)).await)
            };
            assert_eq!(ended, error);
            assert_eq!(log.ledger.entries().last().map(String::as_str), Some("end"));
            assert_eq!(model.requests().len(), 1, "no further request is sent");
            match (session.pending(), pending) {
                (Some(calls), Some(ids)) => {
                    let open: Vec<_> = calls.without_result().map(|call| call.id.as_str()).collect();
                    assert_eq!(open, ids);
                }
                (None, None) => assert_eq!(session.messages().len(), 5),
                (calls, _) => panic!("{calls:?}"),
            }
        }
    }
}

/// Dispatches another call with the same registry.
#[tool]
async fn research(#[state] own: &std::sync::OnceLock<Registry>, #[context] call: &CallContext) -> String {
    tokio::time::sleep(Duration::from_millis(20)).await;
    let registry = own.get().expect("it is set").with(&call.child_run_context());
    registry.dispatch(&[ToolCall::new("inner", "find", r#"{"order":7}"#)]).await[0].text().to_owned()
}

#[tokio::test(start_paused = true)]
async fn after_an_error_of_the_log_no_call_begins_and_none_waits_for_another() {
    for runs_not_begun in [false, true] {
        let own = Arc::new(std::sync::OnceLock::new());
        let registry = Registry::builder().tools(tools![find, research]).state(Arc::clone(&own));
        let registry = registry.max_concurrency(2).build().expect("two tools");
        own.set(registry.clone()).expect("it is set once");
        let log = CallLog { late: "late", not_begun: "failed", runs_not_begun, ..CallLog::default() };
        let log = Arc::new(log);
        let find = |id: &str| ToolCall::new(id, "find", r#"{"order":7}"#);
        let calls = [ToolCall::new("research", "research", "{}"), find("failed"), find("late")];
        let model = ScriptedModel::new([AssistantMessage::from_tool_calls(calls)]);
        let mut session = Session::new().user("Go.");
        let started = tokio::time::Instant::now();
        let run = session.run(&registry).log(log.clone()).complete(|request| model.complete(request));
        assert_eq!(log_error(run.await), "not begun");
        assert!(started.elapsed() < Duration::from_secs(1), "it waits for the call that runs only");
        assert_eq!(log.ledger.entries(), ["recorded research", "end"]);
        let pending = session.pending().expect("two calls are pending");
        assert_eq!(pending.result_of("research").map(ToolMessage::text), Some("order 7"));
        assert_eq!(pending.without_result().count(), 2);
    }
}

#[tokio::test]
async fn a_log_does_not_record_an_interrupted_reply() {
    let log = Log::default();
    let registry = note(&log.ledger);
    let mut session = Session::new().user("Go.");
    let broken = [Ok(r#"{"choices":[{"delta":{"content":"Hel"}}]}"#), Err(std::io::Error::other("reset"))];
    let chunks = std::cell::Cell::new(Some(stream::iter(broken)));
    let run = session.run(&registry).log(Arc::new(log.clone()));
    let ended = run.stream(|_| async { chunks.take().ok_or("one request") }).await;
    assert!(ended.is_err());
    assert_eq!((log.ledger.entries(), session.messages().len()), (vec!["find".to_owned()], 1));
}

#[tokio::test]
async fn middleware_of_a_run_can_be_outside_of_that_of_the_registry() {
    let ledger = Ledger::default();
    let noted = |name: &'static str| {
        let ledger = ledger.clone();
        move |call: ReadyCall| {
            let ledger = ledger.clone();
            async move {
                ledger.add(name);
                call.run().await
            }
        }
    };
    let registry = Registry::builder().tools(tools![find]).around_call(noted("registry")).build();
    let registry = registry.expect("one tool");
    let call = AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "find", r#"{"order":7}"#)]);
    let model = ScriptedModel::new([call, AssistantMessage::from_text("Done.")]);
    let mut session = Session::new().user("Go.");
    let run = session.run(&registry).around_call(noted("run")).around_call_outermost(noted("first"));
    let end = run.around_call_outermost(noted("second")).complete(|request| model.complete(request)).await;
    assert_eq!(end.expect("it ends"), RunEnd::Answered);
    assert_eq!(ledger.entries(), ["first", "second", "registry", "run"]);
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_call_runs_again_if_the_program_knows_that_it_did_not_begin() {
    let ledger = Ledger::default();
    let registry = Registry::builder().tools(tools![ship]).state(ledger.clone()).build().expect("one tool");
    let call = AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "ship", r#"{"order":7}"#)]);
    let model = ScriptedModel::new([call, AssistantMessage::from_text("Done.")]);
    let mut session = Session::new().user("Go.");
    let dropped = session.run(&registry).complete(|request| model.complete(request));
    assert!(tokio::time::timeout(Duration::from_secs(60), dropped).await.is_err());
    let error = session.set_not_begun("b").expect_err("there is no such call");
    assert!(matches!(error, NotPendingError::UnknownId { .. }));
    session.set_not_begun("a").expect("it has begun");
    let error = session.set_not_begun("a").expect_err("it is not begun any more");
    assert_eq!(
        error.to_string(),
        "the call `a` has not begun in an interrupted run, so the next run starts it"
    );

    let mut session: Session = serde_json::from_value(json!(session)).expect("a stored session");
    let run = session.run(&registry.with(&RunContext::new()));
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("it ends"), RunEnd::Answered);
    assert_eq!(session.messages()[2].text(), "order 7 is shipped");
    assert_eq!(ledger.entries(), ["ship 7", "ship 7"]);
}
