//! The model and its server: replies, delays, errors, interrupted streams, and panics of the client.

use crate::formats;
use crate::ledger::Ledger;
use crate::plan::{Habits, number_in};
use crate::planned_reply::PlannedReply;
use crate::silence::PLANNED;
use fastrand::Rng;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use serde_json::{Value, json};
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::sleep;
use tool_runtime::AssistantMessage;
use tool_runtime::conversation::Request;
use tool_runtime::history::validate;
use tool_runtime::wire::Wire;
use tool_runtime_testing::check_request;

pub(crate) struct Model {
    pub(crate) wire: Arc<dyn Wire>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) habits: Habits,
    state: Mutex<State>,
}

pub(crate) struct State {
    random: Rng,
    pub(crate) requests: usize,
    /// The tools that the next request allows.
    pub(crate) allowed: Option<Vec<String>>,
    /// The calls of the newest reply have a larger `n`.
    pub(crate) before_newest: u64,
    /// The tokens of all replies, for requests and replies.
    pub(crate) usage: (u64, u64),
    /// The tokens since the last user message.
    pub(crate) tokens: u64,
}

/// An error of the client.
#[derive(Debug)]
pub(crate) struct Unreachable;

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server is unreachable")
    }
}

impl std::error::Error for Unreachable {}

/// The event of a stream, as a client has it.
pub(crate) type Received = Result<String, Unreachable>;

/// The end of a request before its reply.
enum Failure {
    None,
    Error,
    Panic,
}

impl Model {
    pub(crate) fn new(wire: Arc<dyn Wire>, ledger: &Arc<Ledger>, habits: Habits, random: &mut Rng) -> Self {
        let state = State {
            random: random.fork(),
            requests: 0,
            allowed: None,
            before_newest: 0,
            usage: (0, 0),
            tokens: 0,
        };
        Model { wire, ledger: Arc::clone(ledger), habits, state: Mutex::new(state) }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks a request, and plans its reply.
    fn receive(&self, request: &Request) -> (PlannedReply, Vec<u64>, Failure, Rng) {
        self.check(request);
        let mut state = self.state();
        state.requests += 1;
        state.before_newest = self.ledger.records().last;
        let allowed = state.allowed.take();
        let mut random = state.random.fork();
        drop(state);
        let delays = (0..random.usize(..3)).map(|_| random.u64(..20)).collect();
        let failure = match random.u8(..100) {
            percent if percent < self.habits.breaks / 4 => Failure::Panic,
            percent if percent < self.habits.breaks => Failure::Error,
            _ => Failure::None,
        };
        if random.u8(..200) < self.habits.breaks / 4 {
            std::panic::panic_any(PLANNED);
        }
        let reply = PlannedReply::random(&self.habits, &self.ledger, allowed.as_ref(), &mut random);
        (reply, delays, failure, random)
    }

    fn check(&self, request: &Request) {
        if let Err(error) = validate(request.messages()) {
            self.ledger.violation(format!("a request has an invalid history: {error}"));
        }
        let body =
            request.clone().wire(Arc::clone(&self.wire)).body().map(|body| serde_json::to_value(&body));
        match body {
            Ok(Ok(body)) => {
                if let Err(rejected) = check_request(&*self.wire, &body) {
                    self.ledger.violation(format!("{rejected} in {body:#}"));
                }
            }
            error => self.ledger.violation(format!("a request is not written: {error:?}")),
        }
    }

    pub(crate) fn complete(
        self: &Arc<Self>,
        request: &Request,
    ) -> impl Future<Output = Result<AssistantMessage, Unreachable>> + Send + use<> {
        let model = Arc::clone(self);
        let (planned, delays, failure, _) = self.receive(request);
        async move {
            pause(delays).await;
            fail(&failure)?;
            let body = formats::body(model.wire.name(), &planned).to_string();
            let reply = model.wire.read_reply(&body).expect("the body is a reply");
            if let Some(usage) = planned.usage {
                model.state().count((0, 0), usage);
            }
            Ok(reply)
        }
    }

    pub(crate) fn stream(
        self: &Arc<Self>,
        request: &Request,
    ) -> impl Future<Output = Result<BoxStream<'static, Received>, Unreachable>> + Send + use<> {
        let model = Arc::clone(self);
        let (planned, delays, failure, mut random) = self.receive(request);
        async move {
            pause(delays).await;
            if random.u8(..4) == 0 {
                fail(&failure)?;
            }
            let mut events: Vec<Event> =
                formats::events(model.wire.name(), &planned).into_iter().map(Event::Text).collect();
            if !matches!(failure, Failure::None) {
                // Near the end, more calls are complete.
                let kept = random.usize(..events.len()).max(random.usize(..events.len()));
                events.truncate(kept);
                events.extend(Event::last(model.wire.name(), &failure, &mut random));
            }
            let delivery = Delivery::new(&model.ledger, &planned, &events);
            let is_slow = random.bool();
            let start = (model, events.into_iter(), random, (0, 0), delivery);
            let events = stream::unfold(start, move |start| async move {
                let (model, mut events, mut random, counted, mut delivery) = start;
                match random.u8(..4) {
                    0 if is_slow => sleep(Duration::from_millis(random.u64(1..15))).await,
                    1 => tokio::task::yield_now().await,
                    _ => {}
                }
                let (received, counted) = match events.next()? {
                    Event::Panic => std::panic::panic_any(PLANNED),
                    Event::Error => (Err(Unreachable), counted),
                    Event::Text(text) => {
                        let usage = usage_in(&text).unwrap_or(counted);
                        model.state().count(counted, usage);
                        delivery.has_ended |= ends_reply(&text);
                        (Ok(text), usage)
                    }
                };
                delivery.left -= 1;
                Some((received, (model, events, random, counted, delivery)))
            });
            Ok(events.boxed())
        }
    }
}

/// The delivery of the events of a reply.
struct Delivery {
    ledger: Arc<Ledger>,
    calls: Vec<u64>,
    /// The number of events that have not arrived; an error is not the last one.
    left: usize,
    /// Whether the reply has its finish reason. Servers may fail to send the rest.
    has_ended: bool,
}

/// Whether an event has the finish reason of the reply.
fn ends_reply(event: &str) -> bool {
    let marks = [
        "\"finish_reason\":",
        "\"stop_reason\":",
        "\"finishReason\":",
        "response.completed",
        "response.incomplete",
        "interaction.completed",
        "\"stopReason\":",
    ];
    marks.iter().any(|mark| event.contains(mark))
}

impl Delivery {
    fn new(ledger: &Arc<Ledger>, planned: &PlannedReply, events: &[Event]) -> Self {
        let is_error = |event: &Event| match event {
            Event::Text(text) => text.contains("busy"),
            Event::Error | Event::Panic => true,
        };
        let calls = planned.calls.iter().filter_map(|call| number_in(&call.arguments.to_string())).collect();
        let left = events.len() + usize::from(events.last().is_some_and(is_error));
        Delivery { ledger: Arc::clone(ledger), calls, left, has_ended: false }
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        if self.left > 0 && !self.has_ended {
            let mut records = self.ledger.records();
            for n in &self.calls {
                if let Some(call) = records.call_mut(*n) {
                    call.is_of_broken_reply = true;
                }
            }
        }
    }
}

async fn pause(delays: Vec<u64>) {
    for ms in delays {
        match ms {
            0..5 => tokio::task::yield_now().await,
            ms => sleep(Duration::from_millis(ms)).await,
        }
    }
}

fn fail(failure: &Failure) -> Result<(), Unreachable> {
    match failure {
        Failure::None => Ok(()),
        Failure::Error => Err(Unreachable),
        Failure::Panic => std::panic::panic_any(PLANNED),
    }
}

enum Event {
    Text(String),
    Error,
    Panic,
}

impl Event {
    /// The last event of an interrupted stream; `None` if the connection ends.
    fn last(wire: &str, failure: &Failure, random: &mut Rng) -> Option<Event> {
        let overloaded = match wire {
            "anthropic" => {
                json!({ "type": "error", "error": { "type": "overloaded_error", "message": "busy" } })
            }
            "responses" => json!({ "type": "error", "code": "server_error", "message": "busy" }),
            "gemini" => json!({ "error": { "code": 503, "message": "busy", "status": "UNAVAILABLE" } }),
            "gemini_interactions" => {
                json!({ "event_type": "error", "error": { "code": "gateway_timeout", "message": "busy" } })
            }
            "bedrock" => json!({ "throttlingException": { "message": "busy" } }),
            _ => json!({ "error": { "message": "busy", "type": "server_error" } }),
        };
        match (failure, random.u8(..3)) {
            (Failure::Panic, _) => Some(Event::Panic),
            (_, 0) => Some(Event::Error),
            (_, 1) => Some(Event::Text(overloaded.to_string())),
            _ => None,
        }
    }
}

impl State {
    /// Counts the tokens of a reply so far, of which some are counted already.
    fn count(&mut self, counted: (u64, u64), usage: (u64, u64)) {
        let (input, output) = (usage.0 - counted.0, usage.1 - counted.1);
        self.usage.0 += input;
        self.usage.1 += output;
        self.tokens += input + output;
    }
}

/// The tokens so far in the text of an event.
fn usage_in(event: &str) -> Option<(u64, u64)> {
    let event: Value = serde_json::from_str(event).ok()?;
    let usages = [
        (&event["usage"], "prompt_tokens", "completion_tokens"),
        (&event["usage"], "input_tokens", "output_tokens"),
        (&event["message"]["usage"], "input_tokens", "output_tokens"),
        (&event["response"]["usage"], "input_tokens", "output_tokens"),
        (&event["usageMetadata"], "promptTokenCount", "candidatesTokenCount"),
        (&event["interaction"]["usage"], "total_input_tokens", "total_output_tokens"),
        (&event["metadata"]["usage"], "inputTokens", "outputTokens"),
        (&event, "prompt_eval_count", "eval_count"),
    ];
    usages.iter().find_map(|(usage, input, output)| Some((usage[*input].as_u64()?, usage[*output].as_u64()?)))
}
