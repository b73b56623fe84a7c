//! Tools that run before the end of their reply.

use crate::logged_tools::{Log, call, history_of, paced, registry, texts};
use crate::{calls, complete_call, delta, finish};
use futures_util::FutureExt as _;
use futures_util::StreamExt as _;
use futures_util::stream;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::sleep;
use tool_runtime::dispatch::Decision;
use tool_runtime::stream::ReplyEvent;
use tool_runtime::wire::{Gemini, Wire as _};
use tool_runtime::{Conversation, Registry, ToolCall, history, tool, tools};

#[tokio::test(start_paused = true)]
async fn read_only_tools_run_before_the_end_of_the_reply() {
    let log = Log::new();
    let registry = registry(&log).build().expect("the registry builds");
    let chunks = paced([
        (300, call(0, "read")),
        (300, call(1, "read")),
        (300, call(2, "read")),
        (100, finish("tool_calls")),
        (50, "[DONE]".into()),
    ]);
    let (reply, answers) = registry
        .dispatch_stream_events(chunks, |event| {
            if let ReplyEvent::Finished { .. } = event {
                log.add("the reply ends");
            }
        })
        .await
        .expect("the stream is not interrupted");
    log.add("all is there");
    assert_eq!(
        log.lines(),
        [
            "300 read 0 starts",
            "600 read 1 starts",
            "800 read 0 ends",
            "900 read 2 starts",
            "1000 the reply ends",
            "1100 read 1 ends",
            "1400 read 2 ends",
            "1400 all is there",
        ]
    );
    assert_eq!(reply.tool_calls.len(), 3);
    assert_eq!(texts(&answers), ["read 0", "read 1", "read 2"]);
    assert_eq!(history::validate(&history_of(reply, answers)), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_call_starts_with_its_closing_brace() {
    let log = Log::new();
    let registry = registry(&log).build().expect("the registry builds");
    let piece = |piece: &str| calls(&[json!({ "index": 0, "function": { "arguments": piece } })]);
    let begun = calls(&[json!({ "index": 0, "id": "a", "function": { "name": "read", "arguments": "" } })]);
    let chunks = [
        (0, begun),
        (100, piece("{\"n\"")),
        (100, piece(":7")),
        (100, piece("}")),
        (900, delta(json!({ "content": "." }))),
    ];
    registry.dispatch_stream(paced(chunks)).await.expect("the stream is not interrupted");
    assert_eq!(log.lines(), ["300 read 7 starts", "800 read 7 ends"]);
}

#[tokio::test(start_paused = true)]
async fn tools_with_side_effects_start_after_the_end_of_the_reply() {
    let log = Log::new();
    let registry = registry(&log).build().expect("the registry builds");
    let chunks = paced([
        (300, call(0, "send")),
        (300, call(1, "set")),
        (300, call(2, "send")),
        (300, finish("tool_calls")),
    ]);
    let (_, answers) = registry.dispatch_stream(chunks).await.expect("the stream is not interrupted");
    assert_eq!(
        log.lines(),
        [
            "600 set 1 starts",
            "1100 set 1 ends",
            "1200 send 0 starts",
            "1200 send 2 starts",
            "1700 send 0 ends",
            "1700 send 2 ends"
        ]
    );
    assert_eq!(texts(&answers), ["sent 0", "set 1", "sent 2"]);
}

#[tokio::test(start_paused = true)]
async fn a_setting_starts_all_tools_before_the_end_of_the_reply() {
    let log = Log::new();
    let registry = registry(&log).start_all_while_streaming(true).build().expect("the registry builds");
    let chunks = paced([(300, call(0, "send")), (300, call(1, "nothing")), (300, finish("tool_calls"))]);
    let (_, answers) = registry.dispatch_stream(chunks).await.expect("the stream is not interrupted");
    assert_eq!(log.lines(), ["300 send 0 starts", "800 send 0 ends"]);
    assert_eq!(texts(&answers)[0], "sent 0");
    assert!(texts(&answers)[1].starts_with("Error: there is no tool `nothing`"));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_may_be_truncated_starts_once_the_reply_goes_on() {
    let call =
        |n: u8| json!({ "functionCall": { "id": format!("call_{n}"), "name": "send", "args": { "n": n } } });
    let chunk = |parts: &[Value], finish: Option<&str>| {
        let candidate = json!({ "content": { "parts": parts }, "finishReason": finish });
        Gemini::new().read_event(&json!({ "candidates": [candidate] }).to_string())
    };
    let text = |text: &str| json!({ "text": text });
    let signed = json!({ "text": "", "thoughtSignature": "c2ln" });
    // The chunks, and the calls that start and end.
    let (one, two) = ([call(1)], [call(1), call(2)]);
    let cases = [
        (vec![(300, chunk(&one, Some("MAX_TOKENS")))], vec![]),
        (vec![(300, chunk(&one, None)), (300, chunk(&[], Some("MAX_TOKENS")))], vec![]),
        (vec![(300, chunk(&one, None)), (300, chunk(&[], Some("NEW_REASON")))], vec![]),
        (
            vec![(300, chunk(&one, Some("STOP"))), (300, chunk(&[], None))],
            vec!["300 send 1 starts", "800 send 1 ends"],
        ),
        (vec![(300, chunk(&two, Some("MAX_TOKENS")))], vec!["300 send 1 starts", "800 send 1 ends"]),
        (
            vec![(300, chunk(&one, None)), (300, chunk(&[call(2)], Some("MAX_TOKENS")))],
            vec!["600 send 1 starts", "1100 send 1 ends"],
        ),
        (
            vec![
                (300, chunk(&one, None)),
                (300, chunk(&[text("Do")], None)),
                (300, chunk(&[], Some("MAX_TOKENS"))),
            ],
            vec!["600 send 1 starts", "1100 send 1 ends"],
        ),
        (
            vec![(300, chunk(&[call(1), text("Do")], Some("MAX_TOKENS")))],
            vec!["300 send 1 starts", "800 send 1 ends"],
        ),
        (vec![(300, chunk(&[call(1), text(""), signed], Some("MAX_TOKENS")))], vec![]),
    ];
    for (chunks, expected) in cases {
        let log = Log::new();
        let registry = registry(&log).start_all_while_streaming(true).build().expect("the registry builds");
        let (reply, answers) =
            registry.dispatch_stream(paced(chunks)).await.expect("the stream is not interrupted");
        assert_eq!(log.lines(), expected);
        let has_run = |answer: &&str| !answer.starts_with("Error: the call of `send` was not run");
        let texts = texts(&answers);
        assert_eq!(texts.iter().filter(|text| has_run(text)).count(), expected.len() / 2, "{texts:?}");
        let last = reply.tool_calls.last().is_some_and(ToolCall::is_truncated);
        assert_eq!(last, reply.is_truncated() && reply.text().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn tool_messages_are_in_call_order() {
    /// Waits for this time.
    #[tool(read_only)]
    async fn wait(ms: u64) -> u64 {
        sleep(Duration::from_millis(ms)).await;
        ms
    }
    let registry = Registry::new(tools![wait]).expect("one tool");
    let wait = |index: u64, ms: u64| {
        calls(&[
            json!({ "index": index, "id": format!("call_{index}"), "function": { "name": "wait", "arguments": format!("{{\"ms\":{ms}}}") } }),
        ])
    };
    let chunks = stream::iter([wait(0, 300), wait(1, 100), wait(2, 200), finish("tool_calls")]);
    let (reply, answers) = registry.dispatch_stream(chunks).await.expect("the stream is not interrupted");
    assert_eq!(texts(&answers), ["300", "100", "200"]);
    let ids: Vec<&str> = answers.iter().map(|answer| &*answer.tool_call_id).collect();
    assert_eq!(ids, ["call_0", "call_1", "call_2"]);
    assert!(reply.tool_calls.iter().map(|call| &*call.id).eq(ids));
}

#[tokio::test(start_paused = true)]
async fn calls_get_unique_ids_if_the_server_sends_none() {
    let log = Log::new();
    let registry = registry(&log).build().expect("the registry builds");
    let without_id = |n: u8, tool: &str| {
        calls(&[
            json!({ "index": 0, "id": "", "function": { "name": tool, "arguments": format!("{{\"n\":{n}}}") } }),
        ])
    };
    let same_id = |n: u8| {
        calls(&[
            json!({ "index": n, "id": "call_0", "function": { "name": "read", "arguments": format!("{{\"n\":{n}}}") } }),
        ])
    };
    let chunks = [without_id(0, "send"), without_id(1, "read"), same_id(2), same_id(3), finish("stop")];
    let (reply, answers) =
        registry.dispatch_stream(stream::iter(chunks)).await.expect("the stream is not interrupted");
    assert_eq!(texts(&answers), ["sent 0", "read 1", "read 2", "read 3"]);
    assert_eq!(reply.tool_calls[2].id, "call_0", "a usable id is kept");
    let chat = Conversation::new().user("Go on.");
    let tool_runtime::conversation::Received::ToolCalls(mut pending) = chat.receive(reply) else {
        panic!("expected tool calls")
    };
    pending.add_results(answers).expect("the results belong to the calls of the reply");
    assert!(pending.into_conversation().is_ok(), "each call has its result");
}

#[tokio::test]
async fn the_call_limit_applies_to_the_reply() {
    let log = Log::new();
    let registry = registry(&log).max_calls_per_reply(1).build().expect("the registry builds");
    let chunks = stream::iter([call(0, "send"), call(1, "read"), finish("stop")]);
    let (_, answers) = registry.dispatch_stream(chunks).await.expect("the stream is not interrupted");
    assert_eq!(texts(&answers)[0], "sent 0");
    assert!(texts(&answers)[1].starts_with("Error: not run: a reply may have at most 1 call."));
}

#[tokio::test(start_paused = true)]
async fn the_hook_runs_before_an_early_call() {
    let log = Log::new();
    let registry = registry(&log)
        .before_call(|call| async move {
            if call.arguments().contains('1') { Decision::Deny("not 1".into()) } else { Decision::Run }
        })
        .build()
        .expect("the registry builds");
    let chunks = paced([(0, call(0, "read")), (100, call(1, "read")), (100, finish("stop"))]);
    let (_, answers) = registry.dispatch_stream(chunks).await.expect("the stream is not interrupted");
    assert_eq!(texts(&answers), ["read 0", "Error: not 1"]);
    assert_eq!(log.lines(), ["0 read 0 starts", "500 read 0 ends"]);
}

#[tokio::test]
async fn a_tool_that_panics_early_does_not_end_the_reply() {
    /// Fails.
    #[tool(read_only)]
    fn fail(n: u8) {
        panic!("no {n}");
    }
    let registry = Registry::new(tools![fail]).expect("one tool");
    let chunks = stream::iter([call(0, "fail"), delta(json!({ "content": "Done." })), finish("stop")]);
    let (reply, answers) = registry.dispatch_stream(chunks).await.expect("the stream is not interrupted");
    assert_eq!(reply.text(), "Done.");
    assert_eq!(texts(&answers), ["Error: the tool `fail` failed unexpectedly."]);
}

#[tokio::test]
async fn repaired_arguments_are_in_the_reply() {
    let log = Log::new();
    let registry = registry(&log).lenient_arguments(true).build().expect("the registry builds");
    let sloppy = |n: u8, tool: &str| {
        calls(&[
            json!({ "index": n, "id": format!("call_{n}"), "function": { "name": tool, "arguments": format!("{{'n': {n},}}") } }),
        ])
    };
    let chunks = stream::iter([sloppy(0, "read"), sloppy(1, "send"), finish("stop")]);
    let (reply, answers) = registry.dispatch_stream(chunks).await.expect("the stream is not interrupted");
    assert_eq!(texts(&answers), ["read 0", "sent 1"]);
    assert_eq!(reply.tool_calls[0].arguments, r#"{"n": 0}"#);
    assert_eq!(reply.tool_calls[1].arguments, r#"{"n": 1}"#);
}

#[tokio::test(start_paused = true)]
async fn the_duration_of_a_call_is_measured_from_its_start() {
    let log = Log::new();
    let registry = registry(&log).measure_durations(true).build().expect("the registry builds");
    let chunks = paced([(300, call(0, "read")), (300, call(1, "send")), (300, finish("stop"))]);
    let (_, answers) = registry.dispatch_stream(chunks).await.expect("the stream is not interrupted");
    for answer in &answers {
        assert_eq!(answer.outcome().map(|outcome| outcome.duration().as_millis() / 10), Some(50));
    }
}

#[test]
fn a_streamed_dispatch_is_send() {
    fn is_send(_: &impl Send) {}
    let registry = Registry::new(tools![read_nothing]).expect("one tool");
    is_send(&registry.dispatch_stream(stream::iter(["[DONE]"])));
    is_send(&registry.dispatch_stream_events(stream::iter([complete_call(0, "Rome")]), |_| {}));
}

/// Reads nothing.
#[tool(read_only)]
fn read_nothing() {}

#[tokio::test]
async fn a_read_only_tool_that_needs_approval_does_not_run_early_without_it() {
    /// Reads private letters.
    #[tool(read_only, requires_approval)]
    fn read_letters() {}
    let registry = Registry::new(tools![read_letters]).expect("one tool");
    let letters =
        calls(&[json!({ "index": 0, "id": "a", "function": { "name": "read_letters", "arguments": {} } })]);
    let (_, answers) =
        registry.dispatch_stream(stream::iter([letters])).await.expect("the stream is not interrupted");
    assert_eq!(texts(&answers), ["Error: the tool `read_letters` needs approval, which was not given."]);
}

#[tokio::test]
async fn a_stream_that_is_always_ready_does_not_starve_tools_and_tasks() {
    use std::sync::atomic::{AtomicBool, Ordering};
    static TICKED: AtomicBool = AtomicBool::new(false);
    /// Waits for another task.
    #[tool(read_only)]
    async fn wait_for_the_other(n: u8) -> u8 {
        while !TICKED.load(Ordering::Relaxed) {
            tokio::task::yield_now().await;
        }
        n
    }
    let registry = Registry::new(tools![wait_for_the_other]).expect("one tool");
    let other = tokio::spawn(async { TICKED.store(true, Ordering::Relaxed) });
    let (many, mut read) = (1_000_000, 0);
    let nothing = stream::repeat(delta(json!({}))).take(many);
    let chunks = stream::iter([call(0, "wait_for_the_other")]).chain(nothing);
    // The stream ends once another task has run.
    let chunks = chunks.take_while(|_| async { !TICKED.load(Ordering::Relaxed) }).inspect(|_| read += 1);
    let (_, answers) = registry.dispatch_stream(chunks).await.expect("the stream is not interrupted");
    assert_eq!(texts(&answers), ["0"]);
    assert!(read < many, "all {read} chunks were read before another task ran");
    other.await.expect("the task does not panic");
}

#[test]
fn a_streamed_dispatch_needs_no_runtime_if_its_tools_need_none() {
    let registry = Registry::new(tools![read_nothing]).expect("one tool");
    let nothing =
        calls(&[json!({ "index": 0, "id": "a", "function": { "name": "read_nothing", "arguments": "{}" } })]);
    let dispatched = registry.dispatch_stream(stream::iter([nothing, finish("stop")])).now_or_never();
    let (_, answers) = dispatched.expect("the future is ready").expect("the stream is not interrupted");
    assert_eq!(texts(&answers), ["ok"]);
}
