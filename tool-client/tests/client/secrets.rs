//! Keys appear in requests alone.

use crate::quick_start;
use crate::setup::{Setup, run_with};
use crate::stub::{KEY, Part, Scripted, Server, WIRES, sent_event};
use crate::waits::Waits;
use crate::weather::{question, registry};
use serde_json::json;
use std::error::Error;
use std::io;
use std::sync::{Arc, Mutex};
use tool_runtime::session::Event;
use tool_runtime_client::{Model, RunModel as _};

/// The lines of all spans, events and log records.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no test panics here").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The error and its sources, for people and for programmers.
fn all_texts(error: &(dyn Error + 'static)) -> String {
    let mut texts = vec![format!("{error} {error:?}")];
    let mut source = error.source();
    while let Some(error) = source {
        texts.push(format!("{error} {error:?}"));
        source = error.source();
    }
    texts.join(" ")
}

const PASSWORD: &str = "a-password-of-a-url";
const QUERY: &str = "a-secret-of-a-query";

/// Responses that repeat the secrets.
fn indiscreet() -> Vec<Scripted> {
    let secrets = format!("{KEY} {PASSWORD} {QUERY}");
    let error = json!({"error": {"message": format!("invalid key {secrets}"), "code": "invalid_api_key"}})
        .to_string();
    // As PHP and Gson write it.
    let escaped = error.replace('/', r"\/").replace('=', r"\u003d");
    let event = json!({"error": {"message": format!("no credit for {secrets}")}}).to_string();
    let skipped = json!({"key": secrets}).to_string();
    let page =
        || Scripted::status(200, format!("<html>{secrets}</html>")).header("content-type", "text/html");
    vec![
        Scripted::status(401, error.clone()),
        Scripted::status(401, escaped.clone()),
        Scripted::status(503, error.clone()),
        page().with_status(401),
        Scripted::status(200, error),
        Scripted::status(200, escaped),
        page(),
        Scripted::status(307, "").header("location", &format!("http://127.0.0.1/login?key={KEY}")),
        Scripted::stream([sent_event(&event)]),
        Scripted::stream([sent_event(&format!("no JSON: {secrets}"))]),
        Scripted::stream([sent_event(&skipped)]),
        Scripted::stream([sent_event(&skipped), sent_event("[DONE]")]),
        Scripted::stream([Part::from(format!("data: {secrets}")), Part::Lost]),
    ]
}

#[tokio::test]
async fn no_error_event_debug_text_or_span_contains_the_key() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::FULL)
        .with_writer(move || writer.clone())
        .finish();
    // The records of reqwest, which has no spans.
    tracing_log::LogTracer::init().expect("no other test has a logger");
    let _guard = tracing::subscriber::set_default(subscriber);
    let mut texts = Vec::new();
    for wire in WIRES {
        for scripted in indiscreet() {
            for is_stream in [false, true] {
                let setup = Setup::new(wire, [scripted.clone()]).await;
                let url = setup.server.url.replace("http://", &format!("http://user:{PASSWORD}@"));
                let url = format!("{url}?key={QUERY}");
                let model = setup.model.clone();
                let model = model.base_url(url);
                let mut session = question();
                let run =
                    session.run(&setup.registry).on_event(|event: &Event| texts.push(format!("{event:?}")));
                let end = run_with(run, &model, is_stream).await;
                if let Err(error) = &end {
                    texts.push(all_texts(error));
                }
                texts.push(format!("{end:?} {model:?} {session:?}"));
            }
        }
    }
    // A query whose key belongs to no header.
    let unreachable =
        Model::openai("m").base_url(format!("http://user:{PASSWORD}@127.0.0.1:1/v1?key={QUERY}"));
    let unreachable = Waits::default().set(unreachable.key(KEY));
    let (mut session, (registry, _)) = (question(), registry());
    let error = session.run(&registry).model(&unreachable).await.expect_err("there is no server");
    texts.push(format!("{} {unreachable:?}", all_texts(&error)));
    let texts = texts.concat();
    assert!(
        texts.contains("[secret]") && texts.contains("http://127.0.0.1:1/v1/chat/completions"),
        "{texts}"
    );
    check(&texts);
    let log = String::from_utf8_lossy(&log.0.lock().expect("no test panics here")).into_owned();
    assert!(log.contains("hyper") && log.contains("reqwest"), "the log has no records of the HTTP client");
    check(&log);
}

/// Checks that the text has no secret. The message of the test has the text before it.
fn check(text: &str) {
    for secret in [KEY, PASSWORD, QUERY] {
        if let Some(end) = text.find(secret) {
            let start = text[..end].char_indices().rev().nth(300).map_or(0, |(start, _)| start);
            panic!("{secret} after {}", &text[start..end]);
        }
    }
}

#[tokio::test]
async fn a_key_goes_to_no_other_server() {
    let other = Server::start("anthropic", []).await;
    let redirect = Scripted::status(307, "").header("location", &(other.url.clone() + "/v1/messages"));
    let server = Server::start("anthropic", [redirect]).await;
    // A process with the default HTTP client.
    let output = quick_start::run([
        ("LLM_MODEL", "anthropic/stub-1".to_owned()),
        ("ANTHROPIC_API_KEY", KEY.to_owned()),
        ("ANTHROPIC_BASE_URL", server.url.clone()),
    ])
    .await;
    let error = String::from_utf8_lossy(&output.stderr);
    let expected =
        format!("the server redirects to {}/v1/messages; set the base URL to its server", other.url);
    assert!(!output.status.success() && error.contains(&expected), "{error}");
    assert_eq!((server.requests(), other.requests()), (1, 0));
}

#[tokio::test]
async fn a_short_key_is_a_word() {
    let error = Scripted::status(401, r#"{"error":{"message":"none of the keys is valid"}}"#);
    let setup = Setup::chat_completions([error]).await;
    let model = setup.model.clone().key("none");
    let error = question().run(&setup.registry).model(&model).await.expect_err("an error");
    assert!(error.to_string().ends_with("none of the keys is valid"), "{error}");
}
