//! Layers of `tower` as middleware: each run waits for a rate limit, and idempotent tools run again after an error.
//!
//! `cargo run --example tower` needs no model and no network.

use examples::transcript::print_line;
use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::time::sleep;
use tool_runtime::dispatch::{ReadyCall, ToolFailure, ToolResult};
use tool_runtime::{Registry, ToolCall, ToolMessage, ToolOutput, tool, tools};
use tower::retry::Policy;
use tower::retry::backoff::{Backoff as _, ExponentialBackoff, ExponentialBackoffMaker, MakeBackoff as _};
use tower::util::rng::HasherRng;
use tower::util::{ServiceFn, service_fn};
use tower::{BoxError, Layer, Service, ServiceBuilder, ServiceExt as _};

type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The innermost service, which runs the call. A failure is an error, as layers such as `retry` expect.
type RunCall = ServiceFn<fn(ReadyCall) -> BoxFuture<Result<ToolOutput, ToolFailure>>>;

/// Turns a layer into middleware for `around_call`.
fn middleware<L, S>(layer: L) -> impl Fn(ReadyCall) -> BoxFuture<ToolResult> + Send + Sync + 'static
where
    L: Layer<RunCall, Service = S>,
    S: Service<ReadyCall, Response = ToolOutput, Error: Into<BoxError>> + Clone + Send + 'static,
    S::Future: Send,
{
    let run_call: RunCall = service_fn(|call| Box::pin(async move { call.run().await.into_result() }));
    // A service need not be `Sync`. Each call has a clone, and clones share the limits.
    let service = Mutex::new(layer.layer(run_call));
    move |call| {
        let service = service.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Box::pin(async move {
            let tool = call.tool().to_owned();
            match service.oneshot(call).await.map_err(|error| error.into().downcast::<ToolFailure>()) {
                Ok(output) => output.into(),
                Err(Ok(failure)) => (*failure).into(),
                // A layer did not run the call.
                Err(Err(error)) => ToolResult::error(format!("the tool `{tool}` is not available: {error}")),
            }
        })
    }
}

/// Runs an idempotent tool again after an error, with pauses that become longer.
#[derive(Clone)]
struct RetryIdempotent {
    retries: usize,
    pauses: ExponentialBackoff,
}

impl Policy<ReadyCall, ToolOutput, BoxError> for RetryIdempotent {
    type Future = tokio::time::Sleep;

    fn retry(
        &mut self,
        call: &mut ReadyCall,
        result: &mut Result<ToolOutput, BoxError>,
    ) -> Option<Self::Future> {
        let failure = result.as_ref().err()?.downcast_ref::<ToolFailure>()?;
        let may_pass = matches!(failure.kind(), "returned" | "timeout");
        if !may_pass || !call.annotations().is_idempotent() {
            return None;
        }
        self.retries = self.retries.checked_sub(1)?;
        Some(self.pauses.next_backoff())
    }

    fn clone_request(&mut self, call: &ReadyCall) -> Option<ReadyCall> {
        Some(call.clone())
    }
}

/// The runs of each tool.
#[derive(Default)]
struct Runs {
    copy: AtomicUsize,
    send: AtomicUsize,
    concurrent: AtomicUsize,
    most_concurrent: AtomicUsize,
}

/// Copies a file to the archive. The archive is busy at first.
#[tool(idempotent)]
fn copy_to_archive(file: &str, #[state] runs: &Runs) -> Result<String, &'static str> {
    match runs.copy.fetch_add(1, Ordering::Relaxed) {
        0 | 1 => Err("the archive is busy"),
        _ => Ok(format!("{file} is in the archive")),
    }
}

/// Sends a letter. The mailbox is full.
#[tool]
fn send_letter(#[state] runs: &Runs) -> Result<(), &'static str> {
    runs.send.fetch_add(1, Ordering::Relaxed);
    Err("the mailbox is full")
}

/// Asks a server.
#[tool(read_only)]
async fn ask_server(#[state] runs: &Runs) -> &'static str {
    let concurrent = runs.concurrent.fetch_add(1, Ordering::Relaxed) + 1;
    runs.most_concurrent.fetch_max(concurrent, Ordering::Relaxed);
    sleep(Duration::from_millis(20)).await;
    runs.concurrent.fetch_sub(1, Ordering::Relaxed);
    "42"
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let runs = Arc::new(Runs::default());
    let builder = || {
        let tools = tools![ask_server, copy_to_archive, send_letter];
        Registry::builder().tools(tools).state(Arc::clone(&runs))
    };

    // The first layer is the outermost: each run of a call, also a repeated one, passes the rate limit.
    // `buffer` makes the service `Clone`, which `rate_limit` is not.
    let pauses = ExponentialBackoffMaker::new(
        Duration::from_millis(10),
        Duration::from_secs(1),
        0.5,
        HasherRng::default(),
    )?
    .make_backoff();
    let layers = ServiceBuilder::new()
        .retry(RetryIdempotent { retries: 3, pauses })
        .buffer(64)
        .rate_limit(3, Duration::from_millis(200));
    let registry = builder().around_call(middleware(layers)).build()?;
    let calls = [
        ToolCall::new("call_1", "copy_to_archive", r#"{"file":"a.txt"}"#),
        ToolCall::new("call_2", "send_letter", "{}"),
    ];
    let start = Instant::now();
    let messages = registry.dispatch(&calls).await;
    print("Retries and a rate limit of 3 runs in 200 ms", start, &messages);
    assert_eq!(messages[0].content, "a.txt is in the archive");
    assert_eq!(messages[1].content, "Error: the mailbox is full");
    assert_eq!(messages[1].error_kind(), Some("returned"), "the failure passes the layers");
    assert_eq!(runs.copy.load(Ordering::Relaxed), 3, "two runs of an idempotent tool failed");
    assert_eq!(runs.send.load(Ordering::Relaxed), 1, "no other tool runs again");
    assert!(start.elapsed() >= Duration::from_millis(200), "the fourth run waited");

    // `RegistryBuilder::max_concurrency` has the same effect without `tower`.
    let registry = builder().around_call(middleware(ServiceBuilder::new().concurrency_limit(2))).build()?;
    let calls: Vec<ToolCall> = (0..6).map(|n| ToolCall::new(n.to_string(), "ask_server", "{}")).collect();
    let start = Instant::now();
    let messages = registry.dispatch(&calls).await;
    print("Two concurrent runs", start, &messages);
    assert!(messages.iter().all(|message| message.content == "42"));
    assert_eq!(runs.most_concurrent.load(Ordering::Relaxed), 2);

    // A layer that rejects a call returns its own error, and the model receives it.
    let layers = ServiceBuilder::new().load_shed().concurrency_limit(1);
    let registry = builder().around_call(middleware(layers)).build()?;
    let start = Instant::now();
    let messages = registry.dispatch(&calls[..2]).await;
    print("One run, and no queue", start, &messages);
    assert_eq!(messages[0].content, "42");
    assert_eq!(messages[1].content, "Error: the tool `ask_server` is not available: service overloaded");
    Ok(())
}

fn print(title: &str, start: Instant, messages: &[ToolMessage]) {
    print_line(format_args!("{title} ({} ms):", start.elapsed().as_millis()));
    for message in messages {
        print_line(format_args!("  {}: {}", message.tool_call_id, message.text()));
    }
}
