//! The run of a call of the page, through each step of the registry.

use crate::open_calls::{ApprovalDecision, OpenCalls, ProposedCall};
use crate::parts::{PartView, part_views};
use crate::tokens::count_tokens;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use serde::Serialize;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::spawn_blocking;
use tool_runtime::conversation::{PendingCalls, Received, WaitingCall};
use tool_runtime::dispatch::{CallEvent, CallStatus, Outcome, Question, ToolResult};
use tool_runtime::{AssistantMessage, Conversation, Registry, RunContext, ToolCall, ToolMessage};

/// The bytes of events that the page has not read yet. Further events are only counted.
const MAX_UNREAD_BYTES: usize = 16 << 20;
/// The id of the call, as if a model had sent it.
const CALL_ID: &str = "call_1";

/// A line of the response.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line<'a> {
    Begun {
        run: &'a str,
    },
    NeedsConfirmation {
        reason: &'a str,
    },
    Event {
        at_ms: f64,
        event: &'a CallEvent,
    },
    Approval {
        call: &'a WaitingCall,
    },
    Question {
        question: &'a Question,
    },
    NeedsResult {
        call: &'a WaitingCall,
    },
    Result {
        message: &'a ToolMessage,
        text: &'a str,
        is_error: bool,
        error_kind: Option<&'a str>,
        tokens: usize,
        /// `None` if the tool did not run.
        duration_ms: Option<f64>,
        coercions: &'a [String],
        parts: Vec<PartView>,
        skipped_events: u64,
    },
    Failed {
        error: &'a str,
    },
}

/// The lines of one response.
#[derive(Clone)]
struct CallLines {
    sender: mpsc::Sender<UnreadLine>,
    /// The bytes that unread events may take.
    bytes: Arc<Semaphore>,
    started: Instant,
    skipped_events: Arc<AtomicU64>,
}

/// A line, and the bytes that it takes until the page reads it.
pub(crate) type UnreadLine = (String, Option<OwnedSemaphorePermit>);

impl CallLines {
    fn new(sender: mpsc::Sender<UnreadLine>) -> Self {
        let bytes = Arc::new(Semaphore::new(MAX_UNREAD_BYTES));
        CallLines { sender, bytes, started: Instant::now(), skipped_events: Arc::default() }
    }

    async fn send(&self, line: &Line<'_>) {
        // Without a receiver, the page is closed, and the call is cancelled.
        if let Some(text) = to_text(line) {
            let _ = self.sender.send((text, None)).await;
        }
    }

    /// Sends an event of a tool, which must not wait for a slow page.
    fn send_event(&self, event: &CallEvent) {
        let at_ms = self.started.elapsed().as_secs_f64() * 1_000.0;
        let sent = to_text(&Line::Event { at_ms, event }).and_then(|text| {
            let bytes = u32::try_from(text.len()).ok()?;
            let permit = Arc::clone(&self.bytes).try_acquire_many_owned(bytes).ok()?;
            self.sender.try_send((text, Some(permit))).ok()
        });
        if sent.is_none() {
            self.skipped_events.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn to_text(line: &Line<'_>) -> Option<String> {
    serde_json::to_string(line).ok().map(|text| text + "\n")
}

/// Runs a call and sends its lines. It is cancelled if nobody receives them.
pub(crate) async fn run_call(
    registry: &Registry,
    call: ProposedCall,
    run: &str,
    calls: &OpenCalls,
    sender: mpsc::Sender<UnreadLine>,
) {
    let lines = CallLines::new(sender);
    lines.send(&Line::Begun { run }).await;
    // A call of a tool that the registry does not have runs nothing.
    let has_effects = registry.tool(&call.tool).is_some_and(|tool| !tool.annotations.is_read_only());
    if has_effects && !call.confirmed {
        let reason = "the tool is not declared `read_only`, so a call may have effects";
        return lines.send(&Line::NeedsConfirmation { reason }).await;
    }

    let context = registry.run_context().cloned().unwrap_or_default();
    let cancellation = context.child_token();
    let outcome = Arc::default();
    let context = context.cancellation(cancellation.clone());
    let context = with_listener(context, lines.clone(), Arc::clone(&outcome));
    let registry = &registry.with(&with_questions(context, run, calls.clone(), lines.clone()));

    let ended = async {
        let mut pending = match receive(call) {
            Ok(pending) => pending,
            Err(error) => return lines.send(&Line::Failed { error }).await,
        };
        let mut decisions = Decisions::default();
        loop {
            pending.run(registry).await;
            if let Some(message) = pending.result_of(CALL_ID) {
                return send_result(&lines, message.clone(), &outcome).await;
            }
            decisions.ask(&pending, run, calls, &lines).await;
            if !decisions.apply_next(&mut pending).await {
                return lines.send(&Line::Failed { error: "the call was cancelled" }).await;
            }
        }
    };
    tokio::select! {
        () = ended => {}
        () = lines.sender.closed() => cancellation.cancel(),
    }
}

/// The call as part of a reply of a model.
fn receive(ProposedCall { tool, arguments, .. }: ProposedCall) -> Result<PendingCalls, &'static str> {
    let reply = AssistantMessage::from_tool_calls([ToolCall::new(CALL_ID, tool, arguments)]);
    match Conversation::new().user("A call from the inspector.").receive(reply) {
        Received::ToolCalls(pending) => Ok(pending),
        Received::Answer(_) => Err("the call is not a tool call"),
    }
}

/// The decisions of a person about the calls that wait, inner calls of the tool among them.
#[derive(Default)]
struct Decisions {
    /// The ids of the calls whose decisions are awaited.
    asked: HashSet<String>,
    awaited: FuturesUnordered<BoxFuture<'static, (String, Decision)>>,
}

enum Decision {
    Approval(ApprovalDecision),
    Result(ToolResult),
    /// The call does not wait any more.
    None,
}

impl Decisions {
    /// Shows each call that waits, unless it is shown already.
    async fn ask(&mut self, pending: &PendingCalls, run: &str, calls: &OpenCalls, lines: &CallLines) {
        for call in pending.awaiting_approval() {
            if self.asked.insert(call.id.clone()) {
                let decision = calls.wait_for_approval(run, &call.id);
                lines.send(&Line::Approval { call: &call }).await;
                let decision = async { (call.id, decision.await.map_or(Decision::None, Decision::Approval)) };
                self.awaited.push(decision.boxed());
            }
        }
        for call in pending.awaiting_result() {
            if self.asked.insert(call.id.clone()) {
                let result = calls.wait_for_result(run, &call.id);
                lines.send(&Line::NeedsResult { call: &call }).await;
                let result = async { (call.id, result.await.map_or(Decision::None, Decision::Result)) };
                self.awaited.push(result.boxed());
            }
        }
    }

    /// Waits for the next decision, and applies it. Returns whether there was any to wait for.
    async fn apply_next(&mut self, pending: &mut PendingCalls) -> bool {
        let Some((id, decision)) = self.awaited.next().await else { return false };
        self.asked.remove(&id);
        // An error means that the call has ended in another way.
        let _ = match decision {
            Decision::Approval(ApprovalDecision::Approve) => pending.approve(&id),
            Decision::Approval(ApprovalDecision::Deny { reason }) => pending.deny(&id, reason),
            Decision::Result(result) => pending.provide_result(&id, result),
            Decision::None => Ok(()),
        };
        true
    }
}

/// The outcome of the call, as soon as it has ended.
type EndedOutcome = Arc<Mutex<Option<Outcome>>>;

fn with_listener(context: RunContext, lines: CallLines, ended: EndedOutcome) -> RunContext {
    context.on_event(move |event| {
        match &event.status {
            CallStatus::Finished { outcome, .. } if event.id == CALL_ID => {
                *ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome.clone());
            }
            _ => {}
        }
        lines.send_event(event);
    })
}

/// Asks the questions of tools on the page.
fn with_questions(context: RunContext, run: &str, calls: OpenCalls, lines: CallLines) -> RunContext {
    let run = run.to_owned();
    context.on_question(move |question| {
        let answer = calls.wait_for_answer(&run, &question.id);
        let lines = lines.clone();
        async move {
            lines.send(&Line::Question { question: &question }).await;
            answer.await.map_err(|_| "the page was closed")
        }
    })
}

async fn send_result(lines: &CallLines, message: ToolMessage, ended: &EndedOutcome) {
    let outcome = ended.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
    // Counting takes long for a hostile text.
    let counted = spawn_blocking(move || (count_tokens(message.text()), message));
    let Ok((tokens, message)) = counted.await else {
        return lines.send(&Line::Failed { error: "the tokens of the result cannot be counted" }).await;
    };
    let line = Line::Result {
        message: &message,
        text: message.text(),
        is_error: message.is_error(),
        error_kind: message.error_kind(),
        tokens,
        duration_ms: outcome.has_begun().then(|| outcome.duration().as_secs_f64() * 1_000.0),
        coercions: outcome.coercions(),
        parts: part_views(&message.content),
        skipped_events: lines.skipped_events.load(Ordering::Relaxed),
    };
    lines.send(&line).await;
}
