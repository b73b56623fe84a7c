//! The settings of a run.

#[cfg(doc)]
use super::RunEnd;
use super::answer_format::AnswerFormat;
use super::between_replies::Hooks;
use super::cache_check::check_cache;
use super::cancel_on::CancelOn;
use super::compact::Compact;
use super::limits::Limits;
use super::run_log::RunLog;
use super::store::RunStore;
use super::{Budget, Event, Session};
#[cfg(doc)]
use crate::context::RunContext;
use crate::conversation::{ReplyWarning, Request};
use crate::output::ToolResult;
use crate::registry::{Layer, ReadyCall, Registry, RunLayers};
use crate::tool::Place;
use crate::wire::Wire;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The settings of a run of a [`Session`]. [`complete`](Run::complete) or [`stream`](Run::stream) starts it.
///
/// [`Session::run`] creates it.
#[must_use = "nothing runs before `complete` or `stream`"]
pub struct Run<'a, O = fn(&Event), P = fn(Request) -> Request, A = (), K = ()> {
    pub(super) session: &'a mut Session,
    pub(super) settings: Settings<'a>,
    pub(super) map_request: P,
    pub(super) on_event: Option<O>,
    pub(super) classifier: K,
    pub(super) answer: PhantomData<fn() -> A>,
}

/// The settings that are not closures.
pub(super) struct Settings<'a> {
    /// With the context of the run, once it has started.
    pub(super) registry: Registry,
    pub(super) limits: Limits,
    /// `None` for the wire of the request.
    pub(super) wire: Option<Arc<dyn Wire>>,
    pub(super) layers: RunLayers,
    pub(super) log: Option<Arc<dyn RunLog>>,
    /// Where the calls run.
    pub(super) place: Place,
    /// The format of the answer, if it has a type.
    pub(super) answer: Option<Arc<AnswerFormat>>,
    pub(super) cancel_on: CancelOn<'a>,
    /// The token that stops the run after the calls of a reply.
    pub(super) stop: Option<CancellationToken>,
    /// The check of each request. A function, so that a program that does not ask for it does not contain it.
    pub(super) check_cache: Option<fn(&mut Session, &Request) -> Option<ReplyWarning>>,
    pub(super) store: RunStore<'a>,
    pub(super) hooks: Hooks<'a>,
    pub(super) compact: Option<Box<dyn Compact + 'a>>,
    pub(super) budgets: Vec<Budget>,
    /// Whether a message in the inbox continues the run after an answer.
    pub(super) continues_with_inbox: bool,
}

impl Session {
    /// Creates a run with the tools of this registry, and with the [`RunContext`] that is bound to it: application state,
    /// a cancellation token, a run id.
    ///
    /// The run first starts the pending calls. Then it sends requests and runs the calls of the replies, until one of the
    /// [`RunEnd`]s. If the newest reply is an answer already, it sends no request: add a user message first.
    ///
    /// See [`Session`] for an example.
    pub fn run(&mut self, registry: &Registry) -> Run<'_> {
        let limits = Limits { replies: 30, calls: None, tokens: None, requests: None, identical_calls: None };
        let settings = Settings {
            registry: registry.clone(),
            limits,
            wire: None,
            layers: RunLayers::default(),
            log: None,
            place: Place::ThisProcess,
            answer: None,
            cancel_on: CancelOn::default(),
            stop: None,
            check_cache: None,
            store: RunStore::default(),
            hooks: Hooks::default(),
            compact: None,
            budgets: Vec::new(),
            continues_with_inbox: false,
        };
        Run {
            session: self,
            settings,
            map_request: |request| request,
            on_event: None,
            classifier: (),
            answer: PhantomData,
        }
    }
}

impl<'a, O: FnMut(&Event), P: FnMut(Request) -> Request, A, K> Run<'a, O, P, A, K> {
    /// Sets the wire that writes the requests and reads streamed text. Default:
    /// [`ChatCompletions`](crate::wire::ChatCompletions).
    pub fn wire(mut self, wire: impl Wire + 'static) -> Self {
        self.settings.wire = Some(Arc::new(wire));
        self
    }

    /// Adds middleware around each call of this run, inside that of the registry
    /// ([`RegistryBuilder::around_call`](crate::RegistryBuilder::around_call)).
    pub fn around_call<L, F>(mut self, layer: L) -> Self
    where
        L: Fn(ReadyCall) -> F + Send + Sync + 'static,
        F: Future<Output = ToolResult> + Send + 'static,
    {
        self.settings.layers.inner.push(Layer::new(layer));
        self
    }

    /// Adds middleware around each call of this run, outside of that of the registry: it receives each call once, even
    /// if a retry of the registry repeats it. The one that is added first is the outermost.
    pub fn around_call_outermost<L, F>(mut self, layer: L) -> Self
    where
        L: Fn(ReadyCall) -> F + Send + Sync + 'static,
        F: Future<Output = ToolResult> + Send + 'static,
    {
        self.settings.layers.outer.push(Layer::new(layer));
        self
    }

    /// Sets a log, which records each reply before its calls start, and each call. Default: none.
    ///
    /// With a log, only calls of `read_only` tools without `max_calls` start before a streamed reply is complete, and the log does
    /// not record them. If the reply is interrupted, the session does not keep it, and the next run repeats the request.
    ///
    /// The listener receives the events of a recorded reply again, and one event for a recorded result: `Finished` with
    /// [`Cause::Recorded`](crate::dispatch::Cause::Recorded). [`map_request`](Run::map_request) also receives the requests that
    /// recorded replies replace.
    pub fn log(mut self, log: Arc<dyn RunLog>) -> Self {
        self.settings.log = Some(log);
        self
    }

    /// Compares each request with the one before it, and [warns](ReplyWarning::CachePrefixChanged) if it invalidates the provider's
    /// prompt cache: a definition that changed, or an earlier message that is written in another way. Default: no comparison.
    ///
    /// Each request is written once more, and the session keeps the newest one in memory, also for later runs. It is not stored: the
    /// first request of a session that was read is not compared. Fields that the program
    /// adds to the [`Body`](crate::wire::Body) are not compared: use [`PrefixChange`](crate::wire::PrefixChange) for them.
    pub fn check_cache_prefix(mut self) -> Self {
        self.settings.check_cache = Some(check_cache);
        self
    }

    /// Hands the calls out to other processes, instead of running them. Default: the run runs them.
    ///
    /// The run validates each call, asks the hook and for approvals, applies the order and `max_calls`, and sends the event
    /// `Started`. It does not run the tool: the call is in [`Session::handed_out`]. If no other call needs a person, the run ends with
    /// [`RunEnd::NeedsResult`]. A worker passes the call to [`Registry::run_handed_out`], which applies the queue, the middleware, the
    /// time limits and the size of results of its own registry. Pass its end to [`Session::finish_handed_out`]; the next run sends the
    /// event `Finished` and continues. The setting belongs to the run and is not stored: set it in each run.
    ///
    /// - Send [`Session::handed_out`] after each run, whatever its end is: other calls of the reply may wait for a person.
    /// - Store the session before a call leaves the process, and send each [key](crate::dispatch::HandedOutCall::key) to a queue or an
    ///   engine that runs it once. Any process can continue the stored session.
    /// - The run context needs a [`run_id`](RunContext::run_id). Without it, the calls fail: the model reads that the tool is not
    ///   available, and the event `Finished` has the reason.
    /// - Calls of a streamed reply are handed out at its end.
    /// - A [log](Run::log) records the replies of the run, and not the calls that it hands out. Record these in the worker, for example
    ///   with `record_calls` of the package `tool-runtime-durable`.
    /// - A call whose tool has made [inner calls](crate::CallContext::inner_call) in an earlier run continues in this process, which has
    ///   them. In a worker, an inner call that needs an approval fails.
    /// - If a person denies the call or sends a message meanwhile, the model reads that the call may have taken effect, unless its tool
    ///   is `read_only`. Its end is then an error of `finish_handed_out`.
    /// - A stored session contains the arguments of the calls that are handed out, also those of
    ///   [`Decision::RunWith`](crate::dispatch::Decision::RunWith).
    ///
    /// ```
    /// use tool_runtime::session::RunEnd;
    /// use tool_runtime::{Registry, RunContext, Session, tool, tools};
    /// # use tool_runtime::conversation::Request;
    /// # use tool_runtime::{AssistantMessage, ToolCall};
    /// # async fn complete(request: Request) -> Result<AssistantMessage, std::io::Error> {
    /// #     Ok(match request.messages().len() {
    /// #         1 => AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "charge", r#"{"order":7}"#)]),
    /// #         _ => AssistantMessage::from_text("Done."),
    /// #     })
    /// # }
    ///
    /// /// Charges an order.
    /// #[tool(destructive)]
    /// async fn charge(order: u32) -> String {
    ///     format!("order {order} is charged")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new(tools![charge])?.with(&RunContext::new().run_id("order-7"));
    /// let mut session = Session::new().user("Charge order 7.");
    /// loop {
    ///     let end = session.run(&registry).hand_out_calls().complete(complete).await?;
    ///     for call in session.handed_out() {
    ///         let end = registry.run_handed_out(&call).await; // in a worker process
    ///         session.finish_handed_out(&registry, &call.id, end)?;
    ///     }
    ///     if end != RunEnd::NeedsResult {
    ///         break; // answered, or a person is needed
    ///     }
    /// }
    /// assert_eq!(session.messages()[2].text(), "order 7 is charged");
    /// # Ok(())
    /// # }
    /// ```
    pub fn hand_out_calls(mut self) -> Self {
        self.settings.place = Place::AnotherProcess;
        self
    }

    /// Cancels the run when this future completes, whatever its output is: for example `tokio::signal::ctrl_c()`. The run polls
    /// it. It can be called several times, and adds to the [token](RunContext::cancellation) of the context.
    ///
    /// Calls with effects that have begun may finish with [`RunContext::finish_effects`]. A second signal does not shorten
    /// this time: drop the future of the run to stop at once. After its first use, `ctrl_c` of Tokio handles the signal for
    /// the rest of the process, also between two runs. A terminal sends it to child processes as well: a tool that starts one
    /// gives it a process group of its own.
    ///
    /// ```
    /// use tool_runtime::session::RunEnd;
    /// use tool_runtime::{Registry, Session, tools};
    /// # use tool_runtime::AssistantMessage;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (registry, mut session) = (Registry::new(tools![])?, Session::new().user("Hello!"));
    /// let closed = async { /* the user has closed the page */ };
    /// let run = session.run(&registry).cancel_on(closed);
    /// let end = run.complete(|_| std::future::pending::<std::io::Result<AssistantMessage>>()).await?;
    /// assert_eq!(end, RunEnd::Cancelled);
    /// # Ok(())
    /// # }
    /// ```
    pub fn cancel_on(mut self, future: impl Future + Send + 'a) -> Self {
        self.settings.cancel_on.push(future);
        self
    }

    /// Stops the run after the calls of the current reply when this token is cancelled, for example before a server stops.
    /// Once the calls of a reply run, all of them finish, unless they wait for a person or for a result. If the token is
    /// cancelled before they run, they stay pending. A reply that is awaited is dropped. One that is received ends like an
    /// interrupted one: without a log, it is kept if one of its calls has started. Default: none.
    ///
    /// The run ends with [`RunEnd::Cancelled`], and another run continues it.
    ///
    /// The [token](RunContext::cancellation) of the context stops the calls as well.
    pub fn stop_after_calls(mut self, token: CancellationToken) -> Self {
        self.settings.stop = Some(token);
        self
    }

    /// Sets a function that changes each request before it is sent: its tool choice, its allowed tools, trimmed messages. It is called
    /// again for a request that is repeated after a [compaction](Run::compact).
    ///
    /// The allowed tools of a request also apply to the calls of its reply. A tool choice that the request cannot have
    /// becomes [`ToolChoice::Auto`](crate::ToolChoice::Auto), with a
    /// [warning](crate::conversation::ReplyWarning::IgnoredToolChoice).
    ///
    /// ```
    /// # use tool_runtime::conversation::Request;
    /// # use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, tool, tools};
    /// use tool_runtime::ToolChoice;
    ///
    /// # /// Writes down the steps.
    /// # #[tool]
    /// # fn plan(steps: Vec<String>) {}
    /// # async fn complete(request: Request) -> Result<AssistantMessage, std::io::Error> {
    /// #     Ok(match request.messages().len() {
    /// #         1 => AssistantMessage::from_tool_calls(vec![ToolCall::new("1", "plan", r#"{"steps":[]}"#)]),
    /// #         _ => AssistantMessage::from_text("Done."),
    /// #     })
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let registry = Registry::new(tools![plan])?;
    /// # let mut session = Session::new().user("Clean up.");
    /// let mut choice = registry.tool_choice("plan")?; // the first reply must be a plan
    /// let run = session.run(&registry).map_request(|request| {
    ///     request.tool_choice(std::mem::replace(&mut choice, ToolChoice::Auto))
    /// });
    /// let _ = run.complete(complete).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn map_request<Q: FnMut(Request) -> Request>(self, map_request: Q) -> Run<'a, O, Q, A, K> {
        let Run { session, settings, map_request: _, on_event, classifier, answer } = self;
        Run { session, settings, map_request, on_event, classifier, answer }
    }

    /// Sets a listener for the [`Event`]s of the run. It runs in the task of the run and must not block. The calls of a reply
    /// run concurrently, so their results arrive in the order in which the calls end.
    ///
    /// If a tool sends progress and data faster than the listener receives them, at most 16 MiB of them wait. Further ones, those
    /// of a call that has reached its time limit or was cancelled, and those that wait one second after the run was cancelled, are
    /// skipped: [`CallStatus::EventsSkipped`](crate::dispatch::CallStatus::EventsSkipped) reports their number.
    ///
    /// To stop the run, cancel the [token](RunContext::cancellation) of its context in the listener: no call starts after
    /// it, not even the one whose start the listener receives.
    ///
    /// ```
    /// use tool_runtime::dispatch::{CallEvent, CallStatus};
    /// use tool_runtime::session::Event;
    /// # use tool_runtime::conversation::Request;
    /// # use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, tool, tools};
    /// # async fn complete(request: Request) -> Result<AssistantMessage, std::io::Error> {
    /// #     Ok(match request.messages().len() {
    /// #         1 => AssistantMessage::from_tool_calls(vec![ToolCall::new("1", "add", r#"{"a":1,"b":2}"#)]),
    /// #         _ => AssistantMessage::from_text("It is 3."),
    /// #     })
    /// # }
    /// # /// Adds two numbers.
    /// # #[tool]
    /// # fn add(a: i64, b: i64) -> i64 {
    /// #     a + b
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let registry = Registry::new(tools![add])?;
    /// let mut session = Session::new().user("What is 1 + 2?");
    /// let mut called = Vec::new();
    /// let run = session.run(&registry).on_event(|event| {
    ///     if let Event::Call(CallEvent { tool, status: CallStatus::Finished { result, .. }, .. }) = event {
    ///         called.push(format!("{tool}: {}", result.text()));
    ///     }
    /// });
    /// let _ = run.complete(complete).await?;
    /// assert_eq!(called, ["add: 3"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Each event serializes as one JSON object:
    ///
    /// ```
    /// # use tool_runtime::{AssistantMessage, Registry, Session, tools};
    /// # use tool_runtime::conversation::Request;
    /// # async fn complete(_: Request) -> Result<AssistantMessage, std::io::Error> { Ok(AssistantMessage::from_text("Hello!")) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let registry = Registry::new(tools![])?;
    /// let mut session = Session::new().user("Hello!");
    /// let mut lines = Vec::new();
    /// let run = session.run(&registry).on_event(|event| lines.push(serde_json::to_string(event)));
    /// let _ = run.complete(complete).await?;
    /// assert_eq!(lines[0].as_deref().ok(), Some(r#"{"type":"text","text":"Hello!"}"#));
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_event<G: FnMut(&Event)>(self, on_event: G) -> Run<'a, G, P, A, K> {
        let Run { session, settings, map_request, on_event: _, classifier, answer } = self;
        Run { session, settings, map_request, on_event: Some(on_event), classifier, answer }
    }

    /// Sets the format of the answer, and its marker.
    pub(super) fn with_answer<B>(self, format: fn(&Registry) -> AnswerFormat) -> Run<'a, O, P, B, K> {
        let Run { session, mut settings, map_request, on_event, classifier, answer: _ } = self;
        settings.answer = Some(Arc::new(format(&settings.registry)));
        Run { session, settings, map_request, on_event, classifier, answer: PhantomData }
    }
}

impl<O, P, A, K> fmt::Debug for Run<'_, O, P, A, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("session", &self.session)
            .field("registry", &self.settings.registry)
            .field("limits", &self.settings.limits)
            .field("wire", &self.settings.wire)
            .finish_non_exhaustive()
    }
}
