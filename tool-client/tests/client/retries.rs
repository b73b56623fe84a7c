//! Which attempts are repeated, when, and how often.

use crate::setup::{Setup, run_with};
use crate::stub::{ANSWER, Part, Scripted, WIRES, sent_event};
use crate::weather::question;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use tool_runtime::Conversation;
use tool_runtime::session::{Event, RunEnd, RunError};
use tool_runtime::wire::ErrorKind;
use tool_runtime_client::{Model, ModelError};

const OVERLOADED: &str = r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#;
const PROMPT_TOO_LONG: &str = r#"{"error":{"type":"invalid_request_error","message":"prompt is too long"}}"#;

/// The end of a run with a server that first responds by the script, and the number of requests before the answer.
struct Tried {
    end: Result<RunEnd, RunError<ModelError>>,
    attempts: usize,
    delays: Vec<Duration>,
    /// The number, the error and the delay in milliseconds of each event.
    events: Vec<(u32, String, u64)>,
    runs: usize,
}

async fn tried(
    script: impl IntoIterator<Item = Scripted>,
    set: impl FnOnce(Model) -> Model,
    is_stream: bool,
) -> Tried {
    tried_on("chat_completions", script, set, is_stream).await
}

async fn tried_on(
    wire: &str,
    script: impl IntoIterator<Item = Scripted>,
    set: impl FnOnce(Model) -> Model,
    is_stream: bool,
) -> Tried {
    let setup = Setup::new(wire, script).await;
    let model = set(setup.model.clone());
    let (mut session, mut events) = (question(), Vec::new());
    let run = session.run(&setup.registry).on_event(|event| {
        if let Event::RequestRetried { attempt, error, delay_ms, .. } = event {
            events.push((*attempt, error.clone(), *delay_ms));
        }
    });
    let end = run_with(run, &model, is_stream).await;
    Tried {
        end,
        attempts: setup.server.requests(),
        delays: setup.waits.delays(),
        events,
        runs: setup.runs.count(),
    }
}

fn kind(tried: &Tried) -> ErrorKind {
    match &tried.end {
        Err(RunError::Client(error)) => error.kind(),
        end => panic!("{end:?}"),
    }
}

/// A run has two requests: the second one follows the call.
const WITHOUT_RETRIES: usize = 2;

#[tokio::test]
async fn a_temporary_status_is_repeated() {
    for status in [408, 429, 500, 502, 503, 504, 529] {
        for is_stream in [false, true] {
            let script = [Scripted::status(status, "{}"), Scripted::status(status, "<html>gateway</html>")];
            let tried = tried(script, |model| model, is_stream).await;
            assert_eq!(tried.end.expect("an answer"), RunEnd::Answered, "{status}");
            assert_eq!((tried.attempts, tried.runs), (WITHOUT_RETRIES + 2, 1), "{status}");
        }
    }
}

#[tokio::test]
async fn another_status_ends_the_run_at_once() {
    let expected = [
        (400, ErrorKind::InvalidRequest),
        (401, ErrorKind::Authentication),
        (403, ErrorKind::Authentication),
        (404, ErrorKind::InvalidRequest),
        (422, ErrorKind::InvalidRequest),
    ];
    for (status, expected) in expected {
        for is_stream in [false, true] {
            let body = r#"{"error":{"message":"the server explains it"}}"#;
            let tried = tried([Scripted::status(status, body)], |model| model, is_stream).await;
            assert_eq!((kind(&tried), tried.attempts), (expected, 1), "{status}");
            let text = tried.end.expect_err("an error").to_string();
            assert!(text.contains(&format!("status {status}: the server explains it")), "{text}");
        }
    }
}

#[tokio::test]
async fn a_conflict_is_repeated_if_it_means_overload() {
    let tried_with = async |body: &str| tried([Scripted::status(409, body)], |model| model, false).await;
    let overloaded = tried_with(OVERLOADED).await;
    assert_eq!((overloaded.end.expect("an answer"), overloaded.attempts), (RunEnd::Answered, 3));
    let conflict = tried_with(r#"{"error":{"message":"the thread has an active run"}}"#).await;
    assert_eq!((kind(&conflict), conflict.attempts), (ErrorKind::InvalidRequest, 1));
}

#[tokio::test]
async fn an_account_without_credit_is_not_a_rate_limit() {
    let body = r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}"#;
    let tried = tried([Scripted::status(429, body)], |model| model, false).await;
    assert_eq!((kind(&tried), tried.attempts), (ErrorKind::Authentication, 1));
}

#[tokio::test]
async fn the_server_decides_with_x_should_retry() {
    let overloaded = Scripted::status(503, OVERLOADED).header("x-should-retry", "false");
    assert_eq!(tried([overloaded], |model| model, false).await.attempts, 1);
    let invalid = Scripted::status(400, "{}").header("x-should-retry", "true");
    assert_eq!(tried([invalid], |model| model, false).await.attempts, WITHOUT_RETRIES + 1);
}

#[tokio::test]
async fn an_overloaded_error_in_a_successful_response_is_repeated_on_each_wire() {
    for wire in WIRES {
        let tried = tried_on(wire, [Scripted::status(200, OVERLOADED)], |model| model, false).await;
        assert_eq!(tried.end.unwrap_or_else(|error| panic!("{wire}: {error}")), RunEnd::Answered);
        assert_eq!((tried.attempts, tried.runs), (WITHOUT_RETRIES + 1, 1), "{wire}");
    }
}

#[tokio::test]
async fn another_error_in_a_successful_response_ends_the_run() {
    for is_stream in [false, true] {
        let tried = tried([Scripted::status(200, PROMPT_TOO_LONG)], |model| model, is_stream).await;
        assert_eq!((kind(&tried), tried.attempts), (ErrorKind::ContextTooLong, 1));
    }
}

/// The events before an error of the server at the beginning of a stream, and the event with the error.
fn failing_beginnings() -> Vec<(&'static str, Vec<&'static str>)> {
    let chat = r#"{"id":"1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#;
    vec![
        ("chat_completions", vec![r#"{"error":{"message":"The server is overloaded","code":503}}"#]),
        ("chat_completions", vec![chat, r#"{"error":{"type":"server_error","message":"try again"}}"#]),
        (
            "responses",
            vec![
                r#"{"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}}"#,
                r#"{"type":"response.in_progress","response":{"id":"r","status":"in_progress","output":[]}}"#,
                r#"{"type":"response.failed","response":{"id":"r","status":"failed","error":{"code":"server_error","message":"try again"},"output":[]}}"#,
            ],
        ),
        (
            "anthropic",
            vec![
                r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":9,"output_tokens":1}}}"#,
                r#"{"type":"ping"}"#,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            ],
        ),
        (
            "gemini",
            vec![r#"{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#],
        ),
        (
            "gemini_interactions",
            vec![
                r#"{"event_type":"interaction.created","interaction":{"id":"i","status":"in_progress"}}"#,
                r#"{"event_type":"error","error":{"code":"unavailable","message":"The model is overloaded."}}"#,
            ],
        ),
    ]
}

#[tokio::test]
async fn an_overloaded_error_in_a_stream_that_has_begun_nothing_is_repeated() {
    for (wire, events) in failing_beginnings() {
        let stream = Scripted::stream(events.iter().map(|event| sent_event(event)));
        let tried = tried_on(wire, [stream], |model| model, true).await;
        assert_eq!(tried.end.unwrap_or_else(|error| panic!("{wire}: {error}")), RunEnd::Answered);
        assert_eq!((tried.attempts, tried.events.len()), (WITHOUT_RETRIES + 1, 1), "{wire}, {events:?}");
    }
    let line = Part::from("{\"error\":\"the server is overloaded\"}\n");
    let stream = Scripted::stream([line]).header("content-type", "application/x-ndjson");
    assert_eq!(tried_on("ollama", [stream], |model| model, true).await.attempts, WITHOUT_RETRIES + 1);
}

#[cfg(feature = "bedrock")]
#[tokio::test]
async fn an_exception_of_bedrock_at_the_beginning_is_repeated() {
    use crate::stub::frame;
    let events = [
        r#"{"messageStart":{"role":"assistant"}}"#,
        r#"{"throttlingException":{"message":"Too many tokens, please wait before trying again."}}"#,
    ];
    let stream = Scripted::stream(events.map(|event| Part::Bytes(frame(event))))
        .header("content-type", "application/vnd.amazon.eventstream");
    let tried = tried_on("bedrock", [stream], |model| model, true).await;
    assert_eq!((tried.end.expect("an answer"), tried.attempts), (RunEnd::Answered, WITHOUT_RETRIES + 1));
}

#[tokio::test]
async fn a_connection_that_is_lost_before_the_reply_is_repeated() {
    let half = r#"{"choices":[{"message":{"conten"#;
    let whole = Scripted::stream([half.into(), Part::Lost]).header("content-type", "application/json");
    assert_eq!(tried([whole], |model| model, false).await.end.expect("an answer"), RunEnd::Answered);
    let start = r#"{"id":"1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#;
    let beginnings = [
        vec![Part::Lost],
        vec![": ping\n\n".into(), Part::Lost],
        vec![],
        vec![": ping\n\n".into()],
        vec![sent_event(start), Part::Lost],
        vec![sent_event(start)],
        vec![sent_event("[DONE]")],
    ];
    for parts in beginnings {
        let tried = tried([Scripted::stream(parts.clone())], |model| model, true).await;
        let end = tried.end.unwrap_or_else(|error| panic!("{parts:?}: {error}"));
        assert_eq!((end, tried.attempts), (RunEnd::Answered, WITHOUT_RETRIES + 1), "{parts:?}");
    }
}

#[tokio::test]
async fn the_last_event_needs_no_line_break() {
    let error = format!("data: {OVERLOADED}");
    let tried = tried([Scripted::stream([error.into()])], |model| model, true).await;
    assert_eq!((tried.end.expect("an answer"), tried.attempts), (RunEnd::Answered, WITHOUT_RETRIES + 1));
    assert!(tried.events[0].1.ends_with(" sent an error: Overloaded"), "{:?}", tried.events);
}

#[tokio::test]
async fn a_status_before_the_reply_is_no_error() {
    for status in [
        r#"{"status":"processing","detail":"queued"}"#,
        r#"{"code":0,"message":"Success"}"#,
        r#"{"choices":[{"delta":{"role":"assistant"}}],"base_resp":{"status_code":0,"status_msg":"success"}}"#,
    ] {
        let reply = r#"{"choices":[{"delta":{"content":"Hi!"},"finish_reason":"stop"}]}"#;
        let stream = Scripted::stream([sent_event(status), sent_event(reply), sent_event("[DONE]")]);
        let tried = tried([stream], |model| model, true).await;
        let end = tried.end.unwrap_or_else(|error| panic!("{status}: {error}"));
        assert_eq!((end, tried.attempts), (RunEnd::Answered, 1), "{status}");
    }
    // Without a reply, it is one.
    let stream = Scripted::stream([sent_event(r#"{"message":"The server is overloaded"}"#)]);
    assert_eq!(tried([stream], |model| model, true).await.attempts, WITHOUT_RETRIES + 1);
}

#[tokio::test]
async fn the_status_of_an_error_whose_body_does_not_end_decides() {
    for is_stream in [false, true] {
        let parts = [Part::from(r#"{"error":{"message":"no"#), Part::Silence];
        let silent = Scripted::stream(parts).header("content-type", "application/json");
        let setup = Setup::chat_completions([silent.with_status(401)]).await;
        let mut session = question();
        let run = setup.run(&mut session, is_stream);
        let end_limit = async {
            setup.server.first_request().await;
            setup.waits.end_error_body();
        };
        let (end, ()) = tokio::join!(run, end_limit);
        let Err(RunError::Client(error)) = end else { panic!("{end:?}") };
        assert_eq!(error.kind(), ErrorKind::Authentication, "{error}");
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_tried_five_times() {
    for is_stream in [false, true] {
        let tried = tried([], |model| model.base_url("http://127.0.0.1:1/v1"), is_stream).await;
        assert_eq!((tried.events.len(), tried.delays.len()), (4, 4));
        let error = tried.end.expect_err("there is no server").to_string();
        assert!(error.contains("cannot reach http://127.0.0.1:1/v1/chat/completions: "), "{error}");
    }
}

#[tokio::test]
async fn attempts_have_a_limit() {
    let script = || vec![Scripted::status(503, "{}"); 9];
    assert_eq!(tried(script(), |model| model, false).await.attempts, 5);
    assert_eq!(tried(script(), |model| model.max_attempts(2), false).await.attempts, 2);
    assert_eq!(tried(script(), |model| model.max_attempts(1), true).await.attempts, 1);
    assert_eq!(tried(script(), |model| model.max_attempts(0), true).await.attempts, 1);
}

#[tokio::test]
async fn delays_double_and_differ_by_chance() {
    let mut seen = Vec::new();
    for _ in 0..4 {
        let delays = tried(vec![Scripted::status(503, "{}"); 4], |model| model, false).await.delays;
        for (delay, base) in delays.iter().zip([500, 1000, 2000, 4000]) {
            let (from, to) = (Duration::from_millis(base), Duration::from_millis(2 * base));
            assert!(*delay >= from && *delay <= to, "{delay:?} is not between {from:?} and {to:?}");
        }
        assert_eq!(delays.len(), 4);
        seen.push(delays);
    }
    assert!(seen.iter().any(|delays| *delays != seen[0]), "all delays are equal: {seen:?}");
}

#[tokio::test]
async fn the_time_of_retry_after_adds_to_the_delay() {
    let in_a_minute = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(60));
    let limits = [
        (Scripted::status(429, "{}").header("retry-after", "20"), 20),
        (Scripted::status(503, "{}").header("retry-after", "20"), 20),
        // The date has whole seconds, and the request takes some time.
        (Scripted::status(429, "{}").header("retry-after", &in_a_minute), 40),
        (Scripted::status(429, "{}").header("retry-after-ms", "20000"), 20),
        (Scripted::status(429, r#"{"error":{"message":"Please try again in 20s."}}"#), 20),
    ];
    for (limit, seconds) in limits {
        let tried = tried([limit.clone()], |model| model, true).await;
        assert_eq!(tried.end.expect("an answer"), RunEnd::Answered);
        let [delay] = tried.delays[..] else { panic!("{:?}", tried.delays) };
        assert!(delay > Duration::from_secs(seconds), "{limit:?}: {delay:?}");
        assert!(delay <= Duration::from_secs(62), "{limit:?}: {delay:?}");
    }
}

#[tokio::test]
async fn a_wait_beyond_the_limit_of_delays_is_an_error_at_once() {
    let limit = || Scripted::status(429, "{}").header("retry-after", "3600");
    let tried_once = tried([limit()], |model| model, false).await;
    assert_eq!((tried_once.attempts, tried_once.delays.len()), (1, 0));
    match tried_once.end {
        Err(RunError::Client(error)) => assert_eq!(error.retry_after(), Some(Duration::from_secs(3600))),
        end => panic!("{end:?}"),
    }
    let patient = tried([limit()], |model| model.max_retry_delay(Duration::from_secs(4000)), false).await;
    assert_eq!(patient.end.expect("an answer"), RunEnd::Answered);
    // 50 seconds and 50 seconds are less than two minutes, and the third 50 seconds are not.
    let limit = Scripted::status(429, "{}").header("retry-after", "50");
    assert_eq!(tried(vec![limit; 5], |model| model, false).await.delays.len(), 2);
}

#[tokio::test]
async fn each_attempt_that_failed_is_an_event() {
    let script = [Scripted::status(503, OVERLOADED), Scripted::status(429, "slow down")];
    let tried = tried(script, |model| model, true).await;
    assert_eq!(tried.end.expect("an answer"), RunEnd::Answered);
    let [(1, first, delay), (2, second, _)] = &tried.events[..] else { panic!("{:?}", tried.events) };
    assert!(first.ends_with("/v1/chat/completions responded with status 503: Overloaded"), "{first}");
    assert!(second.ends_with("responded with status 429: slow down"), "{second}");
    assert_eq!(u128::from(*delay), tried.delays[0].as_millis());
}

#[tokio::test]
async fn a_client_without_a_run_repeats_attempts_and_reports_them() {
    let script = [Scripted::status(503, "{}"), Scripted::status(429, "{}").header("retry-after", "20")];
    let setup = Setup::new("anthropic", script).await;
    let reported = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&reported);
    let model = setup.model.clone().on_retry(move |attempt, error, delay| {
        listener.lock().expect("no test panics here").push((attempt, error.to_string(), delay));
    });
    let request = Conversation::new().user("Beijing: sunny").request(&setup.registry);
    let reply = model.complete(request).await.expect("the third attempt succeeds");
    assert_eq!((reply.text(), setup.server.requests()), (ANSWER, 3));
    let reported = reported.lock().expect("no test panics here");
    let [(1, first, _), (2, second, delay)] = &reported[..] else { panic!("{reported:?}") };
    assert!(first.ends_with("/v1/messages responded with status 503: {}"), "{first}");
    assert!(second.ends_with("; the server accepts requests again in 20s"), "{second}");
    assert!(*delay > Duration::from_secs(20));
}

#[tokio::test]
async fn a_wrong_url_is_advice_to_check_it() {
    let page = Scripted::status(404, "<html>not found</html>").header("content-type", "text/html");
    let tried = tried([page], |model| model, false).await;
    let text = tried.end.expect_err("an error").to_string();
    assert!(text.ends_with("<html>not found</html>; check the base URL and the name of the model"), "{text}");
}

#[tokio::test]
async fn a_server_without_tls_is_an_error_at_once() {
    let setup = Setup::chat_completions([]).await;
    let model = setup.model.clone().base_url(setup.server.url.replace("http:", "https:") + "/v1");
    let error =
        run_with(question().run(&setup.registry), &model, false).await.expect_err("no TLS").to_string();
    assert!(error.contains("cannot establish TLS with https://127.0.0.1"), "{error}");
    assert!(setup.waits.delays().is_empty(), "{error}");
}

#[tokio::test]
async fn the_message_of_a_server_forges_no_line_of_a_log() {
    let message = format!("no\n2026-11-27 INFO paid \u{202e}{}", "a".repeat(100_000));
    let body = serde_json::json!({"error": {"message": message}}).to_string();
    let tried = tried([Scripted::status(400, body)], |model| model, false).await;
    let text = tried.end.expect_err("an error").to_string();
    assert!(text.contains(r"no\n2026-11-27 INFO paid \u{202e}aaa") && text.ends_with('…'), "{text}");
    assert!(text.len() < 3_000 && text.lines().count() == 1, "{} bytes", text.len());
}
