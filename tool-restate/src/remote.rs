//! Calls of programs that keep their loop.

use crate::engine::{Engine, Invocation, body};
use crate::engine_error::EngineError;
use crate::protocol::{CALLS, EndedCall};
use std::pin::Pin;
use std::time::Duration;
use tool_runtime::ToolOutput;
use tool_runtime::dispatch::{CallEnd, HandedOutCall, ReadyCall, ToolFailure, ToolResult};

/// The pause before a call that has not begun is sent again.
const PAUSE: Duration = Duration::from_secs(1);

/// The future of a call that runs on a worker.
pub type RemoteFuture = Pin<Box<dyn Future<Output = ToolResult> + Send>>;

/// Middleware for [`RegistryBuilder::around_call`](tool_runtime::RegistryBuilder::around_call) and
/// [`Run::around_call`](tool_runtime::session::Run::around_call), for programs that keep their loop and stream their replies: the
/// calls run on workers that serve [`Calls`](crate::Calls), through the engine with this address of its ingress. See [`Remote`] for its
/// settings.
///
/// ```no_run
/// use tool_runtime::{Registry, RunContext, Session};
/// use tool_runtime_restate::remote;
/// # use tool_runtime::AssistantMessage;
/// # use tool_runtime::conversation::Request;
/// # async fn complete(_: Request) -> std::io::Result<AssistantMessage> { Ok(AssistantMessage::from_text("Hello!")) }
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::collect()?.with(&RunContext::new().run_id("session-7"));
/// let mut session = Session::new().user("Render the scene.");
/// let run = session.run(&registry).around_call(remote("http://restate:8080"));
/// println!("{}", run.complete(complete).await?);
/// # Ok(())
/// # }
/// ```
pub fn remote(
    address: impl Into<String>,
) -> impl Fn(ReadyCall) -> RemoteFuture + Clone + Send + Sync + 'static {
    Remote::at(address).layer()
}

/// The settings of [`remote`].
///
/// The run context needs a [`run_id`](tool_runtime::RunContext::run_id). The engine runs each
/// [key](tool_runtime::CallContext::key) once: a program that is started again with the same replies receives the results of the calls
/// that run or have run. So record the replies, and not the calls: with `journal_replies` of the package `tool-runtime-durable`, for
/// example.
///
/// The engine remembers the results for [7 days](crate::Calls::idempotency_retention). Do not start a program again after that while
/// calls of its session have no results: they would run again, whatever their annotations.
///
/// The registry of the workers has no such middleware: it would wait for its own call. If the call ends earlier here, by a time limit
/// or a cancellation, it continues on its worker.
#[derive(Clone, Debug)]
#[must_use = "`layer` is the middleware"]
pub struct Remote {
    engine: Engine,
    service: String,
    retry_for: Duration,
}

impl Remote {
    /// The calls of the engine with this address of its ingress.
    pub fn at(address: impl Into<String>) -> Self {
        let engine = Engine::new(address.into());
        Remote { engine, service: CALLS.to_owned(), retry_for: Duration::from_secs(600) }
    }

    /// Sets the name of the service: that of [`Calls::name`](crate::Calls::name). Default: `Calls`.
    pub fn service(mut self, name: impl Into<String>) -> Self {
        self.service = name.into();
        self
    }

    /// Sets the HTTP client. Default: [`reqwest::Client::new`].
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.engine.client = client;
        self
    }

    /// Sets for how long a call is sent again while the engine does not respond. Then it fails, and the model reads that it may
    /// have taken effect, unless its tool is `read_only` or `idempotent`. Default: 10 minutes.
    pub fn retry_for(mut self, time: Duration) -> Self {
        self.retry_for = time;
        self
    }

    /// The middleware.
    pub fn layer(self) -> impl Fn(ReadyCall) -> RemoteFuture + Clone + Send + Sync + 'static {
        move |call| {
            let remote = self.clone();
            Box::pin(async move { remote.run(&call).await })
        }
    }

    async fn run(&self, call: &ReadyCall) -> ToolResult {
        let Some(key) = call.context().key() else {
            return ToolResult::error(
                "a call without a run id cannot run elsewhere: set `RunContext::run_id`",
            );
        };
        let mut sent = HandedOutCall::new(key, call.id(), call.tool(), call.arguments());
        (sent.annotations, sent.policy) = (call.annotations(), call.policy());
        let mut attempt = 0_u32;
        loop {
            match self.send(&sent, attempt).await {
                Ok(CallEnd::Finished(result)) => return result,
                Ok(CallEnd::NeedsResult { ticket, .. }) => {
                    return ToolOutput::pending(ticket.unwrap_or_else(|| sent.key.to_string())).into();
                }
                // A worker that stops has not run it. Its key has this end from now on.
                Ok(CallEnd::NotBegun) => {}
                Ok(CallEnd::Interrupted) if call.annotations().may_repeat() => {}
                Err(error) if call.annotations().may_repeat() || did_not_run(&error) => {
                    return ToolResult::error(error.to_string());
                }
                Ok(_) | Err(_) => return ToolFailure::interrupted(call.tool()).into(),
            }
            attempt += 1;
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn send(&self, call: &HandedOutCall, attempt: u32) -> Result<CallEnd, EngineError> {
        let key = call.key.to_string().escape_default().to_string(); // A header has no other characters than those of ASCII.
        let key = if attempt == 0 { key } else { format!("{key}#{attempt}") };
        let target = [&*self.service, "run"];
        let body = Some(body(call)?);
        let invocation =
            Invocation { target: &target, idempotency_key: Some(&key), body, retry_for: self.retry_for };
        let EndedCall { tool, arguments, end } = self.engine.call(&invocation).await?;
        if (&tool, &arguments) == (&call.tool, &call.arguments) {
            return Ok(end);
        }
        Ok(ToolResult::error(format!(
            "another call of `{tool}` has run under the key {key}: use one run id for each session, and record its replies"
        ))
        .into())
    }
}

/// Whether no worker has the call: it was not sent, or a server rejects it, since it is not allowed or its path is unknown.
fn did_not_run(error: &EngineError) -> bool {
    use EngineError::{InvalidAddress, InvalidId, InvalidKey, InvalidRequest, Rejected, TooLarge};

    match error {
        TooLarge { .. } | InvalidRequest(_) | InvalidAddress(_) | InvalidId(_) | InvalidKey(_) => true,
        Rejected { status, .. } => matches!(status, 400 | 401 | 403 | 404 | 413),
        _ => false,
    }
}
