//! The run of a call of the page, through each stage of the registry.

use crate::open_calls::{Decision, OpenCalls, ProposedCall};
use crate::parts::{PartView, part_views};
use crate::tokens::count_tokens;
use futures_util::future::join_all;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::mpsc;
use tool_runtime::conversation::{PendingCalls, Received, WaitingCall};
use tool_runtime::dispatch::{CallEvent, CallStatus, Question, UserAnswer};
use tool_runtime::{AssistantMessage, Conversation, Registry, RunContext, ToolCall, ToolMessage};

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
        duration_ms: f64,
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
struct Page {
    sender: mpsc::Sender<String>,
    started: Instant,
    skipped_events: Arc<AtomicU64>,
}

impl Page {
    async fn send(&self, line: &Line<'_>) {
        // Without a receiver, the page is closed, and the call is cancelled.
        if let Some(text) = to_text(line) {
            let _ = self.sender.send(text).await;
        }
    }

    /// Sends an event of a tool, which must not wait for a slow page.
    fn send_event(&self, event: &CallEvent) {
        let line = to_text(&Line::Event { at_ms: self.milliseconds(), event });
        if line.is_none_or(|line| self.sender.try_send(line).is_err()) {
            self.skipped_events.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn milliseconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64() * 1_000.0
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
    sender: mpsc::Sender<String>,
) {
    let page = Page { sender, started: Instant::now(), skipped_events: Arc::default() };
    page.send(&Line::Begun { run }).await;
    let has_effects = registry.tool(&call.tool).is_some_and(|tool| !tool.annotations.is_read_only());
    if has_effects && !call.confirmed {
        let reason = "the tool is not declared `read_only`, so a call may have effects";
        return page.send(&Line::NeedsConfirmation { reason }).await;
    }

    let context = registry.run_context().cloned().unwrap_or_default();
    let cancellation = context.child_token();
    let durations = Arc::new(Durations::default());
    let context = context.cancellation(cancellation.clone());
    let context = with_listener(context, page.clone(), Arc::clone(&durations));
    let registry = &registry.with(&with_questions(context, run, calls.clone(), page.clone()));

    let ended = async {
        let mut pending = match receive(call) {
            Ok(pending) => pending,
            Err(error) => return page.send(&Line::Failed { error }).await,
        };
        loop {
            pending.run(registry).await;
            if let Some(message) = pending.result_of(CALL_ID) {
                return send_result(&page, message, &durations).await;
            }
            if !decide(&mut pending, run, calls, &page).await {
                return page.send(&Line::Failed { error: "the call was cancelled" }).await;
            }
        }
    };
    tokio::select! {
        () = ended => {}
        () = page.sender.closed() => cancellation.cancel(),
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

/// Waits for the decisions about all calls that wait, inner calls of the tool among them. Returns whether there were any.
async fn decide(pending: &mut PendingCalls, run: &str, calls: &OpenCalls, page: &Page) -> bool {
    let (approvals, results) = (pending.awaiting_approval(), pending.awaiting_result());
    let mut waiting = Vec::new();
    for call in &approvals {
        waiting.push((call.id.clone(), calls.wait_for(run, &call.id)));
        page.send(&Line::Approval { call }).await;
    }
    for call in &results {
        waiting.push((call.id.clone(), calls.wait_for(run, &call.id)));
        page.send(&Line::NeedsResult { call }).await;
    }
    let has_waited = !waiting.is_empty();
    let decisions = waiting.into_iter().map(|(id, decision)| async move { (id, decision.await) });
    for (id, decision) in join_all(decisions).await {
        // The call may have ended in another way.
        let _ = match decision {
            Ok(Decision::Approve) => pending.approve(&id),
            Ok(Decision::Deny(reason)) => pending.deny(&id, reason),
            Ok(Decision::Provide(result)) => pending.provide_result(&id, result),
            Ok(Decision::Answer(_)) | Err(_) => Ok(()),
        };
    }
    has_waited
}

/// When calls began, and how long they ran.
#[derive(Debug, Default)]
struct Durations(Mutex<HashMap<String, Measured>>);

#[derive(Clone, Debug, Default)]
struct Measured {
    started_ms: f64,
    duration_ms: f64,
    coercions: Vec<String>,
}

impl Durations {
    fn change(&self, call: &str, change: impl FnOnce(&mut Measured)) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(calls.entry(call.to_owned()).or_default());
    }

    fn of_call(&self, call: &str) -> Measured {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(call).cloned().unwrap_or_default()
    }
}

fn with_listener(context: RunContext, page: Page, durations: Arc<Durations>) -> RunContext {
    context.on_event(move |event| {
        let now = page.milliseconds();
        match &event.status {
            CallStatus::Started { .. } => durations.change(&event.id, |call| call.started_ms = now),
            CallStatus::Finished { outcome, .. } => durations.change(&event.id, |call| {
                call.duration_ms = now - call.started_ms;
                call.coercions = outcome.coercions().to_vec();
            }),
            _ => {}
        }
        page.send_event(event);
    })
}

/// Asks the questions of tools on the page.
fn with_questions(context: RunContext, run: &str, calls: OpenCalls, page: Page) -> RunContext {
    let run = run.to_owned();
    context.on_question(move |question| {
        let answer = calls.wait_for(&run, &question.id);
        let page = page.clone();
        async move {
            page.send(&Line::Question { question: &question }).await;
            match answer.await {
                Ok(Decision::Answer(answer)) => Ok(answer),
                Ok(Decision::Deny(_)) => Ok(UserAnswer::Declined),
                Ok(_) => Err("the decision is not an answer"),
                Err(_) => Err("the page was closed"),
            }
        }
    })
}

async fn send_result(page: &Page, message: &ToolMessage, durations: &Durations) {
    let Measured { duration_ms, coercions, .. } = durations.of_call(CALL_ID);
    let line = Line::Result {
        message,
        text: message.text(),
        is_error: message.is_error(),
        error_kind: message.error_kind(),
        tokens: count_tokens(message.text()),
        duration_ms,
        coercions: &coercions,
        parts: part_views(&message.content),
        skipped_events: page.skipped_events.load(Ordering::Relaxed),
    };
    page.send(&line).await;
}
