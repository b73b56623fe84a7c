//! Replies that are interrupted or dropped while their calls run.

use crate::logged_tools::{Log, call, history_of, paced, registry, send, texts};
use crate::{calls, delta, finish};
use futures_util::StreamExt as _;
use futures_util::stream;
use serde_json::json;
use std::io;
use std::time::Duration;
use tokio::time::sleep;
use tool_runtime::dispatch::{CancellationToken, Outcome};
use tool_runtime::stream::StreamError;
use tool_runtime::{CallError, Registry, RunContext, history, tool, tools};

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_interrupted_after_two_complete_calls_leaves_a_valid_history() {
    let log = Log::new();
    let registry = registry(&log).build().expect("the registry builds");
    let cut = calls(&[
        json!({ "index": 2, "id": "call_2", "function": { "name": "read", "arguments": "{\"n\":" } }),
    ]);
    let chunks = paced([
        (0, Ok(delta(json!({ "content": "Look." })))),
        (300, Ok(call(0, "read"))),
        (300, Ok(call(1, "send"))),
        (300, Ok(cut)),
        (300, Err(io::Error::other("connection reset"))),
    ]);
    let interrupted = registry.dispatch_stream(chunks).await.expect_err("the stream is interrupted");
    assert!(matches!(&interrupted.cause, StreamError::Transport { .. }));
    assert_eq!(log.lines(), ["300 read 0 starts", "800 read 0 ends"], "tools with side effects do not run");

    let (reply, answers) = *interrupted.partial;
    assert_eq!(
        texts(&answers),
        [
            "read 0",
            "Error: the tool `send` was not run: the reply was interrupted. Call it again if it is still needed.",
            "Error: the tool `read` was not run: the reply was interrupted. Call it again if it is still needed.",
        ]
    );
    let kinds = answers.iter().map(|answer| answer.outcome().and_then(Outcome::error).map(CallError::kind));
    assert_eq!(kinds.collect::<Vec<_>>(), [None, Some("stream_interrupted"), Some("stream_interrupted")]);
    assert_eq!(history::validate(&history_of(reply, answers)), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn running_calls_finish_after_an_interruption() {
    let log = Log::new();
    let registry = registry(&log).build().expect("the registry builds");
    let chunks =
        paced([(0, call(0, "read")), (100, call(1, "set")), (100, json!({ "error": "overloaded" }))]);
    let interrupted = registry.dispatch_stream(chunks).await.expect_err("the stream is interrupted");
    assert_eq!(texts(&interrupted.partial.1), ["read 0", "set 1"]);
}

#[tokio::test(start_paused = true)]
async fn a_truncated_reply_runs_its_complete_calls() {
    let log = Log::new();
    let registry = registry(&log).build().expect("the registry builds");
    let cut =
        calls(&[json!({ "index": 1, "id": "call_1", "function": { "name": "send", "arguments": "" } })]);
    let chunks = paced([(0, call(0, "send")), (100, cut), (100, finish("length"))]);
    let (_, answers) = registry.dispatch_stream(chunks).await.expect("the stream is not interrupted");
    assert_eq!(texts(&answers)[0], "sent 0");
    assert!(texts(&answers)[1].starts_with("Error: the call of `send` was not run: the reply was truncated"));
}

#[tokio::test(start_paused = true)]
async fn a_dispatch_ends_before_the_connection_closes() {
    let log = Log::new();
    let registry = registry(&log).build().expect("the registry builds");
    let chunks =
        paced([(0, call(0, "send")), (0, finish("stop")), (0, "[DONE]".into())]).chain(stream::pending());
    let dispatched = tokio::time::timeout(Duration::from_secs(60), registry.dispatch_stream(chunks)).await;
    let (_, answers) = dispatched.expect("the future is ready").expect("the stream is not interrupted");
    assert_eq!(texts(&answers), ["sent 0"]);
}

#[tokio::test(start_paused = true)]
async fn cancelling_the_token_ends_the_reply() {
    let log = Log::new();
    let token = CancellationToken::new();
    let context = RunContext::new().cancellation(token.clone());
    let registry = registry(&log).build().expect("the registry builds").with(&context);
    let cut =
        calls(&[json!({ "index": 2, "id": "call_2", "function": { "name": "read", "arguments": "{" } })]);
    let chunks = paced([(0, call(0, "read")), (200, call(1, "send")), (0, cut)]).chain(stream::pending());
    let mut events = Vec::new();
    let dispatched = registry.dispatch_stream_events(chunks, |event| events.push(crate::describe(event)));
    let cancelled = async {
        sleep(Duration::from_millis(300)).await;
        token.cancel();
    };
    let (dispatched, ()) = tokio::join!(dispatched, cancelled);
    assert_eq!(events.last().map(String::as_str), Some("failed: cancelled before the reply was complete"));
    let interrupted = dispatched.expect_err("the run was cancelled");
    assert!(matches!(&interrupted.cause, StreamError::Cancelled));
    let (reply, answers) = *interrupted.partial;
    assert_eq!(texts(&answers), ["Error: cancelled before it finished"; 3]);
    assert_eq!(history::validate(&history_of(reply, answers)), Ok(()));
    assert_eq!(log.since.elapsed().as_millis(), 300);
}

/// Logs when it is dropped.
struct Dropped(Log);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.add("dropped");
    }
}

/// Waits forever.
#[tool(read_only)]
async fn wait_forever(n: u8, #[state] log: &Log) {
    let _dropped = Dropped(log.clone());
    log.add(format_args!("{n} waits"));
    std::future::pending::<()>().await;
}

#[tokio::test(start_paused = true)]
async fn dropping_the_dispatch_drops_running_tools_and_starts_no_others() {
    let log = Log::new();
    let registry = Registry::builder().tools(tools![wait_forever, send]).state(log.clone());
    let registry = registry.build().expect("the registry builds");
    let waits = calls(&[
        json!({ "index": 1, "id": "a", "function": { "name": "wait_forever", "arguments": { "n": 1 } } }),
    ]);
    let chunks = paced([(0, call(0, "send")), (0, waits), (1_000, finish("tool_calls"))]);
    let dispatched = registry.dispatch_stream(chunks);
    assert!(tokio::time::timeout(Duration::from_millis(100), dispatched).await.is_err());
    assert_eq!(log.lines(), ["0 1 waits", "100 dropped"]);
}

#[tokio::test(start_paused = true)]
async fn the_stream_is_dropped_before_the_tools_finish() {
    let log = Log::new();
    let registry = registry(&log).build().expect("the registry builds");
    let dropped = Dropped(log.clone());
    let chunks = paced([(0, call(0, "send")), (0, finish("stop")), (0, "[DONE]".into())]).map(move |chunk| {
        let _ = &dropped;
        chunk
    });
    registry.dispatch_stream(chunks).await.expect("the stream is not interrupted");
    assert_eq!(log.lines(), ["0 dropped", "0 send 0 starts", "500 send 0 ends"]);
}

#[tokio::test]
async fn an_unknown_tool_is_reported_in_an_interrupted_reply() {
    let log = Log::new();
    let registry = registry(&log).build().expect("the registry builds");
    let chunks = stream::iter([call(0, "sent"), json!({ "error": "overloaded" })]);
    let interrupted = registry.dispatch_stream(chunks).await.expect_err("the stream is interrupted");
    let answers = &interrupted.partial.1;
    assert!(
        texts(answers)[0].starts_with("Error: there is no tool `sent`; did you mean `send`?"),
        "{answers:?}"
    );
}

#[tokio::test]
async fn a_call_in_the_same_chunk_as_an_error_does_not_start() {
    let log = Log::new();
    let registry = registry(&log).start_all_while_streaming(true).build().expect("the registry builds");
    let mut both = call(0, "send");
    both["error"] = json!({ "message": "overloaded" });
    let interrupted =
        registry.dispatch_stream(stream::iter([both])).await.expect_err("the stream is interrupted");
    assert!(texts(&interrupted.partial.1)[0].starts_with("Error: the tool `send` was not run"));
    assert!(log.lines().is_empty());
}

#[tokio::test]
async fn the_end_of_a_stream_without_done_is_an_event() {
    let log = Log::new();
    let registry = registry(&log).build().expect("the registry builds");
    let mut events = Vec::new();
    let chunks = stream::iter([delta(json!({ "content": "Hi" }))]);
    let dispatched = registry.dispatch_stream_events(chunks, |event| events.push(crate::describe(event)));
    dispatched.await.expect("a missing end is not an error");
    assert_eq!(events, ["text Hi", "finished without a reason"]);
}
