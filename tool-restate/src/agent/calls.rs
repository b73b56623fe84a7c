//! The calls: each is an invocation of its own, on any worker.
//!
//! An invocation has two recorded steps. The first names the attempt, unless the tool may run again. An attempt that reads the name
//! of another one does not run the call. The second is the run of the tool, whose result is recorded.

use super::named::{InvalidNameError, handlers, named, parse_name};
use super::object::Finished;
use crate::protocol::{CALLS, EndedCall, MAX_BYTES, json_bytes};
use restate_sdk::context::RequestTarget;
use restate_sdk::discovery::ServiceName;
use restate_sdk::endpoint::{Builder, HandlerOptions, ServiceOptions};
use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tool_runtime::dispatch::{CallEnd, HandedOutCall, ToolFailure, ToolResult};
use tool_runtime::{Registry, RunContext};

/// The service that runs calls: those of an [`Agent`](super::Agent), and those that programs send with [`remote`](crate::remote).
///
/// ```no_run
/// use tool_runtime::{Registry, tool, tools};
/// use tool_runtime_restate::{Calls, serve};
///
/// /// Renders a scene on a machine with a graphics card.
/// #[tool(idempotent, timeout = "30m")]
/// async fn render(scene: String) -> String {
///     format!("{scene}.png")
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let calls = Calls::new(Registry::new(tools![render])?).name("RenderCalls")?;
/// serve(calls.endpoint(), "0.0.0.0:9080".parse()?).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "it serves nothing before its endpoint is served"]
pub struct Calls {
    registry: Registry,
    /// `None` for the default.
    name: Option<ServiceName>,
    context: Arc<dyn Fn(&str) -> RunContext + Send + Sync>,
    longest_call: Duration,
    max_result_bytes: usize,
    idempotency_retention: Duration,
}

/// The limit of calls whose tools have no time limit.
const UNLIMITED: Duration = Duration::from_secs(24 * 3600);

/// The time that the engine waits longer than the tool, so that the tool ends first.
const MARGIN: Duration = Duration::from_secs(600);

impl Calls {
    /// The calls of these tools.
    pub fn new(registry: Registry) -> Self {
        let context = registry.run_context().cloned().unwrap_or_default();
        let limits = registry.tools().map(|tool| tool.policy.timeout.unwrap_or(UNLIMITED));
        Calls {
            longest_call: limits.max().unwrap_or_default(),
            registry,
            name: None,
            max_result_bytes: MAX_BYTES,
            context: Arc::new(move |_| context.clone()),
            idempotency_retention: Duration::from_secs(7 * 24 * 3600),
        }
    }

    /// Sets the name of the service in the engine. Default: `Calls`.
    ///
    /// # Errors
    ///
    /// The engine does not accept the name.
    pub fn name(mut self, name: impl Into<String>) -> Result<Self, InvalidNameError> {
        self.name = Some(parse_name(name.into())?);
        Ok(self)
    }

    /// Sets the run context of each session: the application state of its tools, and its allowed tools. It receives the id of the
    /// session, and replaces the context of the registry; the run id is set afterwards. Default: the context of the registry.
    pub fn context(mut self, context: impl Fn(&str) -> RunContext + Send + Sync + 'static) -> Self {
        self.context = Arc::new(context);
        self
    }

    /// Sets the longest time of a call, with the waits of its queue and of its middleware. Default: the longest time limit of the tools,
    /// and 24 hours if a tool has none.
    ///
    /// 10 minutes later, the engine ends the attempt, while its tool still runs. A call of a `read_only` or `idempotent` tool runs
    /// again, and any other call is interrupted.
    pub fn longest_call(mut self, time: Duration) -> Self {
        self.longest_call = time;
        self
    }

    /// Sets the largest result, as JSON. A larger one is an error for the model. Default: 10 MiB, which an engine with its default
    /// settings can store.
    pub fn max_result_bytes(mut self, bytes: usize) -> Self {
        self.max_result_bytes = bytes;
        self
    }

    /// Sets for how long the engine remembers the results of calls that programs send with [`remote`](crate::remote). Default: 7 days.
    pub fn idempotency_retention(mut self, time: Duration) -> Self {
        self.idempotency_retention = time;
        self
    }

    /// The endpoint of a worker process that runs only calls.
    #[must_use]
    pub fn endpoint(self) -> Endpoint {
        self.bind(Endpoint::builder()).build()
    }

    /// Adds the service to an endpoint that has other services, or the [key](Builder::identity_key) of the engine.
    #[must_use]
    pub fn bind(self, endpoint: Builder) -> Builder {
        let options = retries(ServiceOptions::new())
            .abort_timeout(self.longest_call.saturating_add(MARGIN))
            .idempotency_retention(self.idempotency_retention)
            .handler("run_for_session", HandlerOptions::new().ingress_private(true));
        let name = self.name.clone();
        endpoint.bind(named(CallService(self), name.as_ref()).options(options))
    }

    pub(super) fn service(&self) -> &str {
        self.name.as_ref().map_or(CALLS, |name| name.as_str())
    }

    /// The registry of a session.
    pub(super) fn registry(&self, session_id: &str) -> Registry {
        self.registry.with(&(self.context)(session_id).run_id(session_id))
    }
}

impl std::fmt::Debug for Calls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Calls { longest_call, registry, .. } = self;
        f.debug_struct("Calls")
            .field("name", &self.service())
            .field("longest_call", longest_call)
            .field("registry", registry)
            .finish_non_exhaustive()
    }
}

/// The attempts of an invocation whose worker ends: about a day of them, and then the engine pauses it.
pub(super) fn retries(options: ServiceOptions) -> ServiceOptions {
    options
        .retry_policy_initial_interval(Duration::from_millis(100))
        .retry_policy_exponentiation_factor(2.0)
        .retry_policy_max_interval(Duration::from_secs(10))
        .retry_policy_max_attempts(10_000)
        .retry_policy_pause_on_max_attempts()
}

/// A call of a session, and where its end goes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SessionCall {
    pub(super) call: HandedOutCall,
    /// The name of the virtual object.
    pub(super) object: String,
    /// The id of the session.
    pub(super) session: String,
}

struct CallService(Calls);

handlers!(CallService, [], [run, run_for_session]);

#[restate_sdk::service(name = "Calls", client_visibility = "pub(super)")]
impl CallService {
    /// Runs a call, and returns its end: for programs that keep their loop.
    #[handler]
    async fn run(&self, ctx: Context<'_>, Json(call): Json<HandedOutCall>) -> HandlerResult<Json<EndedCall>> {
        let (tool, arguments) = (call.tool.clone(), call.arguments.clone());
        Ok(Json(EndedCall { tool, arguments, end: self.run_once(&ctx, call).await? }))
    }

    /// Runs a call, and sends its end to its session.
    #[handler]
    async fn run_for_session(&self, ctx: Context<'_>, Json(call): Json<SessionCall>) -> HandlerResult<()> {
        let SessionCall { call, object, session } = call;
        let id = call.id.clone();
        let end = match self.run_once(&ctx, call).await {
            Ok(end) => end,
            // Before the tool began: by the session, or by an operator. The session waits for the end after the latter.
            Err(error) => ToolResult::error(format!("the call did not run: {}", error.message())).into(),
        };
        let target = RequestTarget::object(object, session, "finish");
        ctx.request::<_, ()>(target, Json(Finished { id, end })).send();
        Ok(())
    }
}

impl CallService {
    /// Runs a call. A call that may not run again runs in the attempt that has recorded its name first, or not at all.
    async fn run_once(&self, ctx: &Context<'_>, call: HandedOutCall) -> Result<CallEnd, TerminalError> {
        let mut may_run = true;
        if !call.annotations.may_repeat() {
            let attempt = attempt_name();
            let own = attempt.clone();
            let first = ctx.run(move || async move { Ok(own) }).name("begin").await?;
            may_run = first == attempt;
        }
        let (registry, max_bytes) = (self.0.registry(&call.key.run_id), self.0.max_result_bytes);
        let tool = call.tool.clone();
        // A recorded step in both cases, so that the commands of all attempts are the same.
        let end = ctx.run(move || async move {
            if !may_run {
                return Ok(Json(CallEnd::Interrupted));
            }
            Ok(Json(limit_size(registry.run_handed_out(&call).await, max_bytes)))
        });
        // An operator or the session may cancel the invocation while the tool runs.
        let interrupted = |_| ToolFailure::interrupted(tool).into();
        Ok(end.name("run").await.map_or_else(interrupted, Json::into_inner))
    }
}

/// Replaces a result that the engine would reject, which would repeat the call without end.
fn limit_size(end: CallEnd, max_bytes: usize) -> CallEnd {
    match json_bytes(&end) {
        bytes if bytes <= max_bytes => end,
        bytes => too_large(bytes, max_bytes),
    }
}

/// The end of a call whose result is too large.
pub(super) fn too_large(bytes: usize, max_bytes: usize) -> CallEnd {
    let text =
        format!("the call has run, but its result has {bytes} bytes, and may have at most {max_bytes}");
    ToolResult::error(text).into()
}

/// A name that no other attempt has.
pub(super) fn attempt_name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{}-{now}-{:x}", std::process::id(), fastrand::u64(..))
}
