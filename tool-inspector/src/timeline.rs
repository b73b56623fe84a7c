//! The messages of a history as the page shows them: each call with its result, and the rules that the history breaks.

mod builder;
mod reasoning;
mod retries;
mod violations;

use crate::history_text::History;
use crate::parts::PartView;
use builder::Builder;
use serde::Serialize;
use std::collections::HashMap;
use tool_runtime::conversation::{PendingCalls, WaitingCall};
use tool_runtime::dispatch::Question;
use tool_runtime::message::{Completeness, Prices, Usage};
use tool_runtime::wire::{ChatCompletions, Wire};
use violations::{ViolationView, violations};

#[derive(Debug, Serialize)]
pub(crate) struct Timeline {
    kind: &'static str,
    wire: Option<&'static str>,
    usage: Option<Usage>,
    cost: Option<f64>,
    warnings: Vec<String>,
    violations: Vec<ViolationView>,
    waiting: Waiting,
    /// Whether a run of the session is in progress, or was interrupted.
    claimed: bool,
    messages: Vec<MessageView>,
}

/// The calls and questions that wait for a person.
#[derive(Debug, Default, Serialize)]
struct Waiting {
    approvals: Vec<WaitingCall>,
    results: Vec<WaitingCall>,
    questions: Vec<Question>,
    /// By the ids of calls.
    #[serde(skip)]
    statuses: HashMap<String, CallStatus>,
}

#[derive(Debug, Serialize)]
struct MessageView {
    index: usize,
    role: &'static str,
    text: String,
    parts: Vec<PartView>,
    #[serde(flatten)]
    reply: Option<ReplyView>,
    /// Of a tool message that belongs to no call.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
}

#[derive(Debug, Serialize)]
struct ReplyView {
    reasoning: Option<String>,
    model: Option<String>,
    finish_reason: Option<String>,
    completeness: Completeness,
    refusal: Option<String>,
    usage: Option<Usage>,
    cost: Option<f64>,
    cache: Option<CachedPrefix>,
    calls: Vec<CallView>,
}

/// How much of the request before a reply the provider's cache has kept since the request before that.
#[derive(Debug, Serialize)]
struct CachedPrefix {
    kept: u64,
    of: u64,
}

#[derive(Debug, Serialize)]
struct CallView {
    id: String,
    name: String,
    arguments: String,
    is_truncated: bool,
    status: CallStatus,
    result: Option<ResultView>,
    /// The failed call that this one repeats.
    retry_of: Option<Place>,
    /// `approved` or `denied`.
    approval: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum CallStatus {
    Ok,
    Error,
    Missing,
    NeedsApproval,
    NeedsResult,
    NeedsInput,
    NeedsCall,
    Pending,
}

#[derive(Debug, Serialize)]
struct ResultView {
    /// The index of the tool message; `None` while it is not in the history.
    index: Option<usize>,
    text: String,
    parts: Vec<PartView>,
    error_kind: Option<String>,
}

/// The place of a call: the index of its reply, and its position in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Place {
    index: usize,
    position: usize,
}

impl Timeline {
    pub(crate) fn new(history: &History, prices: Option<&Prices>) -> Self {
        let default = ChatCompletions::new();
        let (messages, pending, wire): (_, _, &dyn Wire) = match history {
            History::Session(session) => (session.messages(), session.pending(), &default),
            History::Pending(pending) => (pending.conversation().messages(), Some(&**pending), &default),
            History::Stored { messages, .. } => (&**messages, None, &default),
            History::Request { messages, wire } => (&**messages, None, &**wire),
        };
        let waiting = pending.map(Waiting::new).unwrap_or_default();
        let mut builder = Builder::new(prices);
        builder.add_messages(messages);
        if let Some(pending) = pending {
            builder.add_pending(messages.len(), pending, &waiting);
        }
        let mut timeline = Timeline {
            kind: "messages",
            wire: None,
            usage: builder.usage,
            cost: builder.usage.zip(prices).map(|(usage, prices)| prices.cost(&usage)),
            warnings: Vec::new(),
            violations: violations(messages, wire),
            waiting,
            claimed: false,
            messages: builder.views,
        };
        timeline.describe(history, prices);
        timeline
    }

    /// Adds the fields that depend on the form of the history.
    fn describe(&mut self, history: &History, prices: Option<&Prices>) {
        match history {
            History::Session(session) => {
                self.kind = "session";
                self.claimed = session.is_claimed();
                self.warnings = session.warnings().iter().map(ToString::to_string).collect();
                // The session also counts replies that it does not contain any more.
                let usage = session.usage();
                if usage != Usage::default() {
                    self.usage = Some(usage);
                    self.cost = prices.map(|prices| prices.cost(&usage));
                }
            }
            History::Pending(_) => {}
            History::Stored { problem, .. } => self.warnings = problem.iter().cloned().collect(),
            History::Request { wire, .. } => (self.kind, self.wire) = ("request", Some(wire.name())),
        }
    }
}

impl Waiting {
    fn new(pending: &PendingCalls) -> Self {
        let (approvals, results, questions) =
            (pending.awaiting_approval(), pending.awaiting_result(), pending.awaiting_input());
        let outer = approvals.iter().chain(&results).filter_map(|call| call.outer_call.as_ref());
        // If several apply, the last one is the status.
        let statuses = outer
            .map(|id| (id, CallStatus::NeedsCall))
            .chain(questions.iter().map(|question| (&question.call, CallStatus::NeedsInput)))
            .chain(results.iter().map(|call| (&call.id, CallStatus::NeedsResult)))
            .chain(approvals.iter().map(|call| (&call.id, CallStatus::NeedsApproval)))
            .map(|(id, status)| (id.clone(), status))
            .collect();
        Waiting { approvals, results, questions, statuses }
    }

    /// The status of a call that has no result.
    fn status(&self, id: &str) -> CallStatus {
        self.statuses.get(id).copied().unwrap_or(CallStatus::Pending)
    }
}
