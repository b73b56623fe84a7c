//! Sessions with many calls, decisions and replies.

use crate::cases::{Case, Input};
use std::future::ready;
use std::sync::{LazyLock, Mutex};
use tool_runtime::conversation::{NotPendingError, Request};
use tool_runtime::dispatch::ToolResult;
use tool_runtime::history::TrimBudget;
use tool_runtime::session::{RunLog, RunLogFuture};
use tool_runtime::{AssistantMessage, CallContext, Registry, Session, ToolCall, tool, tools};

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::new(tools![refund]).expect("one tool"));

/// Refunds an order.
#[tool(requires_approval)]
fn refund(order: u32) -> u32 {
    order
}

/// Reports progress until it is cancelled.
#[tool(blocking, timeout = "2s")]
fn report(#[context] call: &CallContext) {
    while !call.cancellation().is_cancelled() {
        call.progress(0, None, "again");
    }
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        decisions("approvals one by one", Session::approve),
        decisions("edited approvals one by one", |session, id| session.approve_with(id, r#"{"order":8}"#)),
        decisions("denials one by one", |session, id| session.deny(id, "no")),
        decisions("results one by one", |session, id| session.provide_result(id, "refunded")),
        decisions("recorded results one by one", |session, id| {
            session.replay_result(&REGISTRY, id, ToolResult::ok("refunded"))
        }),
        decisions("looking at calls one by one", |session, id| {
            let pending = session.pending().expect("they wait");
            assert!(!pending.is_approved(id) && pending.result_of(id).is_none());
            Ok(())
        }),
        case("rejected answers in one reply", 80_000, rejected_calls),
        case("rejected answers again and again", 8_000, rejected_texts),
        case("rejected calls again and again", 8_000, rejected_answers),
        case("replies that are recorded", 4_000, recorded_replies),
        case("calls that are trimmed", 8_000, trimmed_calls),
        case("progress without end", 1, |_| floods()),
    ]
}

fn case<F: Future<Output = String> + 'static>(
    name: &'static str,
    count: usize,
    run: impl Fn(usize) -> F + Send + Copy + 'static,
) -> Case {
    // A decision is an id, a short reply not much more.
    let prepare = move || Input::Task { bytes: count * 20, task: Box::pin(run(count)) };
    Case { name, prepare: Box::new(prepare) }
}

fn calls(count: usize) -> Vec<ToolCall> {
    (0..count).map(|number| ToolCall::new(format!("call_{number}"), "refund", r#"{"order":7}"#)).collect()
}

async fn run(session: &mut Session, reply: AssistantMessage) -> String {
    let mut replies = vec![AssistantMessage::from_text("Done."), reply];
    let complete = |_: Request| ready(replies.pop().ok_or("no reply"));
    let end = session.run(&REGISTRY).max_replies(usize::MAX).complete(complete).await;
    end.map_or_else(|error| error.to_string(), |end| end.to_string())
}

fn decisions(
    name: &'static str,
    decide: impl Fn(&mut Session, &str) -> Result<(), NotPendingError> + Send + Copy + 'static,
) -> Case {
    case(name, 80_000, move |count| async move {
        let mut session = Session::new().user("Go on.");
        let end = run(&mut session, AssistantMessage::from_tool_calls(calls(count))).await;
        for number in 0..count {
            decide(&mut session, &format!("call_{number}")).expect("it waits");
        }
        end
    })
}

/// Calls of the tool for the answer, of which only a single one would be the answer.
async fn rejected_calls(count: usize) -> String {
    let calls =
        (0..count).map(|number| ToolCall::new(format!("call_{number}"), "final_answer", r#"{"answer":7}"#));
    let mut replies = vec![AssistantMessage::from_text("7"), AssistantMessage::from_tool_calls(calls)];
    let complete = |_: Request| ready(replies.pop().ok_or("no reply"));
    let mut session = Session::new().user("Go on.");
    let end = session.run(&REGISTRY).answer_as::<u32>().complete(complete).await;
    format!("{end:?}")
}

async fn rejected_texts(count: usize) -> String {
    let mut left = count;
    let complete = |_: Request| {
        left -= 1;
        ready(Ok::<_, String>(AssistantMessage::from_text(if left == 0 { "7" } else { "seven" })))
    };
    let mut session = Session::new().user("Go on.");
    let end = session.run(&REGISTRY).answer_as::<u32>().max_replies(usize::MAX).complete(complete).await;
    format!("{end:?}")
}

/// Invalid calls of the tool for the answer, one in each reply.
async fn rejected_answers(count: usize) -> String {
    let mut left = count;
    let complete = |_: Request| {
        left -= 1;
        let arguments = if left == 0 { r#"{"answer":7}"# } else { r#"{"answer":"seven"}"# };
        let call = ToolCall::new(format!("call_{left}"), "final_answer", arguments);
        ready(Ok::<_, String>(AssistantMessage::from_tool_calls([call])))
    };
    let mut session = Session::new().user("Go on.");
    let end = session.run(&REGISTRY).answer_as::<u32>().max_replies(usize::MAX).complete(complete).await;
    format!("{end:?}")
}

/// A log that keeps the replies in memory.
#[derive(Default)]
struct Log(Mutex<Vec<AssistantMessage>>);

impl RunLog for Log {
    fn find_reply<'a>(
        &'a self,
        session: &'a mut Session,
        _: &'a Registry,
    ) -> RunLogFuture<'a, Option<AssistantMessage>> {
        let number = usize::try_from(session.replies()).expect("a small number");
        let reply = self.0.lock().expect("no panic").get(number).cloned();
        Box::pin(ready(Ok(reply)))
    }

    fn record_reply<'a>(
        &'a self,
        _: &'a Session,
        _: &'a Registry,
        reply: &'a AssistantMessage,
    ) -> RunLogFuture<'a, ()> {
        self.0.lock().expect("no panic").push(reply.clone());
        Box::pin(ready(Ok(())))
    }
}

/// A session that runs twice with the same log. The second time, the log has all replies.
async fn recorded_replies(count: usize) -> String {
    let log = std::sync::Arc::new(Log::default());
    let mut ends = Vec::new();
    for _ in 0..2 {
        let mut left = count;
        let complete = |_: Request| {
            left -= 1;
            let call = ToolCall::new(format!("call_{left}"), "unknown", "{}");
            ready(Ok::<_, String>(match left {
                0 => AssistantMessage::from_text("Done."),
                _ => AssistantMessage::from_tool_calls([call]),
            }))
        };
        let mut session = Session::new().user("Go on.");
        let registry = Registry::builder().note_repeated_calls(None).tools(tools![refund]).build();
        let run = session.run(&registry.expect("one tool")).max_replies(usize::MAX).log(log.clone());
        ends.push(run.complete(complete).await.expect("no error"));
    }
    format!("{ends:?}")
}

/// Calls whose ids the session keeps after it has trimmed them, in many exchanges.
async fn trimmed_calls(count: usize) -> String {
    let mut session = Session::new();
    for round in 0..count / 100 {
        session.push_user("Go on.");
        let calls = (0..100).map(|number| ToolCall::new(format!("call_{round}_{number}"), "unknown", "{}"));
        run(&mut session, AssistantMessage::from_tool_calls(calls)).await;
        let _ = session.trim(&TrimBudget::max_messages(1));
        let stored = serde_json::to_string(&session).expect("it is stored");
        session = serde_json::from_str(&stored).expect("it is loaded");
    }
    format!("{} bytes", serde_json::to_string(&session).expect("it is stored").len())
}

/// A tool that reports progress faster than the listener receives it, until its time limit.
async fn floods() -> String {
    let mut replies = vec![
        AssistantMessage::from_text("Done."),
        AssistantMessage::from_tool_calls([ToolCall::new("call_0", "report", "{}")]),
    ];
    let complete = |_: Request| ready(replies.pop().ok_or("no reply"));
    let registry = Registry::new(tools![report]).expect("one tool");
    let mut session = Session::new().user("Go on.");
    let started = std::time::Instant::now();
    let run = session.run(&registry).on_event(|_| std::thread::sleep(std::time::Duration::from_millis(1)));
    let end = run.complete(complete).await.expect("no error");
    format!("{end} after {} s", started.elapsed().as_secs())
}
