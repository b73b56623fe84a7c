//! One run of a session, which something may interrupt.

use crate::ledger::Ledger;
use crate::model::{Model, Unreachable};
use crate::plan::TOOLS;
use crate::silence::PLANNED;
use fastrand::Rng;
use futures_util::FutureExt as _;
use futures_util::future::{Either, LocalBoxFuture, select};
use std::future::{Future, pending, poll_fn};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tool_runtime::conversation::Request;
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::history::TrimBudget;
use tool_runtime::message::Message;
use tool_runtime::session::{Event, RunEnd, RunError};
use tool_runtime::{Registry, RunContext, Session, ToolChoice};

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) replies: usize,
    pub(crate) calls: Option<usize>,
    pub(crate) tokens: Option<u64>,
}

impl Limits {
    pub(crate) fn random(random: &mut Rng) -> Self {
        Limits {
            replies: random.usize(1..12),
            calls: (random.u8(..3) == 0).then(|| random.usize(..10)),
            tokens: (random.u8(..4) == 0).then(|| random.u64(1..400)),
        }
    }

    pub(crate) fn raise(&mut self, random: &mut Rng) {
        self.replies += random.usize(..3);
        self.calls = self.calls.map(|calls| calls + random.usize(..4));
        self.tokens = self.tokens.map(|tokens| tokens + random.u64(..200));
    }
}

/// The interruptions of a run.
#[allow(clippy::struct_excessive_bools, reason = "each is an interruption or a form of the run")]
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) streams: bool,
    is_observed: bool,
    dropped_after_polls: Option<usize>,
    dropped_after: Option<Duration>,
    /// Zero cancels it before it starts.
    cancelled_after: Option<Duration>,
    cancelled_at_event: Option<usize>,
    panics_at_event: Option<usize>,
    /// Whether `prepare` changes requests.
    prepares: bool,
    panics_in_prepare: bool,
    has_middleware: bool,
}

impl Plan {
    pub(crate) fn random(random: &mut Rng) -> Self {
        let mut plan = Plan { streams: random.bool(), is_observed: random.u8(..4) > 0, ..Plan::default() };
        plan.prepares = random.bool();
        plan.has_middleware = random.u8(..4) == 0;
        let ms = |random: &mut Rng| Some(Duration::from_millis(random.u64(..60)));
        match random.u8(..14) {
            0 | 1 => plan.dropped_after_polls = Some(random.usize(..40)),
            2 => plan.dropped_after_polls = Some(random.usize(..8)),
            3 | 9 => plan.dropped_after = ms(random),
            4 => plan.cancelled_after = ms(random),
            5 => plan.cancelled_after = Some(Duration::ZERO),
            6 => plan.cancelled_at_event = Some(random.usize(..30)),
            7 => plan.panics_at_event = Some(random.usize(..30)),
            8 => plan.panics_in_prepare = random.bool(),
            _ => {}
        }
        plan
    }

    /// A run without interruptions.
    pub(crate) fn calm(random: &mut Rng) -> Self {
        Plan { streams: random.bool(), is_observed: true, ..Plan::default() }
    }
}

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Ok(RunEnd),
    ClientFailed,
    StreamBroke,
    Dropped,
    Panicked,
}

/// A run that has ended, and its events.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) ended: Ended,
    /// `None` without a listener.
    pub(crate) events: Option<Vec<Event>>,
    pub(crate) is_cancelled: bool,
    /// The number of requests.
    pub(crate) requests: usize,
}

/// Runs the session.
pub(crate) async fn run(
    session: &mut Session,
    registry: &Registry,
    model: &Arc<Model>,
    limits: Limits,
    plan: &Plan,
    random: &mut Rng,
) -> Done {
    let token = CancellationToken::new();
    if plan.cancelled_after == Some(Duration::ZERO) {
        token.cancel();
    }
    let requests_before = model.state().requests;
    let context = RunContext::new().run_id("round").cancellation(token.clone());
    let events = Arc::new(Mutex::new(Vec::new()));
    let mut prepare_random = random.fork();
    let prepare = |request: Request| prepare(request, plan, limits, model, registry, &mut prepare_random);
    let mut run =
        session.run(&registry.with(&context)).wire(Arc::clone(&model.wire)).max_replies(limits.replies);
    if let Some(calls) = limits.calls {
        run = run.max_calls(calls);
    }
    if let Some(tokens) = limits.tokens {
        run = run.max_tokens_total(tokens);
    }
    if plan.has_middleware {
        run = run.around_call(|call| async move { call.run().await });
    }
    let run = run.map_request(prepare);
    let on_event = |event: &Event| {
        let mut events = events.lock().unwrap_or_else(PoisonError::into_inner);
        events.push(event.clone());
        let number = events.len() - 1;
        drop(events);
        if plan.cancelled_at_event == Some(number) {
            token.cancel();
        }
        if plan.panics_at_event == Some(number) {
            std::panic::panic_any(PLANNED);
        }
    };
    let complete = |request: Request| model.complete(&request);
    let stream = |request: Request| model.stream(&request);
    let of_run = |ended: Result<RunEnd, RunError<Unreachable>>| match ended {
        Ok(end) => Ended::Ok(end),
        Err(RunError::Client(_)) => Ended::ClientFailed,
        Err(_) => Ended::StreamBroke,
    };
    let ended = match (plan.streams, plan.is_observed) {
        (true, true) => {
            interrupt(run.on_event(on_event).stream(stream).map(of_run).boxed_local(), plan, &token).await
        }
        (true, false) => interrupt(run.stream(stream).map(of_run).boxed_local(), plan, &token).await,
        (false, true) => {
            interrupt(run.on_event(on_event).complete(complete).map(of_run).boxed_local(), plan, &token).await
        }
        (false, false) => interrupt(run.complete(complete).map(of_run).boxed_local(), plan, &token).await,
    };
    let events = std::mem::take(&mut *events.lock().unwrap_or_else(PoisonError::into_inner));
    check_nothing_runs(&model.ledger);
    Done {
        ended,
        events: plan.is_observed.then_some(events),
        is_cancelled: token.is_cancelled(),
        requests: model.state().requests - requests_before,
    }
}

/// Polls the run until it ends or is interrupted.
async fn interrupt(run: LocalBoxFuture<'_, Ended>, plan: &Plan, token: &CancellationToken) -> Ended {
    let cancelling = async {
        match plan.cancelled_after {
            Some(after) => {
                sleep(after).await;
                token.cancel();
                pending::<()>().await;
            }
            None => pending().await,
        }
    };
    let run = async {
        match select(run, pin!(cancelling)).await {
            Either::Left((ended, _)) => ended,
            Either::Right(_) => unreachable!("it is always pending"),
        }
    };
    let run = AssertUnwindSafe(run).catch_unwind();
    let run = async {
        match plan.dropped_after {
            Some(after) => timeout(after, run).await.ok(),
            None => Some(run.await),
        }
    };
    match at_most(plan.dropped_after_polls.unwrap_or(usize::MAX), run).await.flatten() {
        Some(Ok(ended)) => ended,
        None => Ended::Dropped,
        Some(Err(payload)) if payload.downcast_ref::<&str>() == Some(&PLANNED) => Ended::Panicked,
        Some(Err(payload)) => std::panic::resume_unwind(payload),
    }
}

/// Polls the future at most so many times.
async fn at_most<T>(mut polls: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| {
        if polls > 0 {
            polls -= 1;
            if let Poll::Ready(output) = future.as_mut().poll(context) {
                return Poll::Ready(Some(output));
            }
        }
        if polls == 0 { Poll::Ready(None) } else { Poll::Pending }
    })
    .await
}

fn check_nothing_runs(ledger: &Ledger) {
    let running = ledger.records().running;
    if running > 0 {
        ledger.violation(format!("{running} tools run after the run"));
    }
}

/// Checks the limits, and changes the request.
fn prepare(
    request: Request,
    plan: &Plan,
    limits: Limits,
    model: &Model,
    registry: &Registry,
    random: &mut Rng,
) -> Request {
    let since_user = request.messages().rsplit(|message| matches!(message, Message::User(_))).next();
    let is_reply = |message: &&Message| matches!(message, Message::Assistant(_));
    let replies = since_user.unwrap_or_default().iter().filter(is_reply).count();
    if replies >= limits.replies {
        model.ledger.violation(format!("a request after {replies} replies, where {limits:?}"));
    }
    let tokens = model.state().tokens;
    if limits.tokens.is_some_and(|limit| tokens >= limit) {
        model.ledger.violation(format!("a request after {tokens} tokens, where {limits:?}"));
    }
    model.state().allowed = None;
    if plan.panics_in_prepare {
        std::panic::panic_any(PLANNED);
    }
    let mut request = request;
    if !plan.prepares {
        return request;
    }
    if random.u8(..5) == 0 {
        let names: Vec<String> =
            TOOLS.iter().filter(|_| random.u8(..3) > 0).map(|tool| tool.name.to_owned()).collect();
        model.state().allowed = Some(names.clone());
        request = request.allowed_tools(names);
    }
    match random.u8(..6) {
        0 => request = request.tool_choice(ToolChoice::Required),
        1 => {
            let tool = TOOLS[random.usize(..TOOLS.len())].name;
            request = request.tool_choice(registry.tool_choice(tool).expect("it exists"));
        }
        2 => request = request.trim(&TrimBudget::max_messages(random.usize(2..10))),
        _ => {}
    }
    request
}
