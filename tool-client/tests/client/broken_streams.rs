//! Streams that break, and responses that are no stream.

use crate::formats;
use crate::setup::{Setup, run_with};
use crate::streams::{event_text, events};
use crate::stub::{ANSWER, Part, Scripted, Server, WIRES, planned, sent_event};
use crate::waits::Waits;
use crate::weather::{question, registry};
use serde_json::json;
use std::error::Error as _;
use tool_runtime::session::{Event, RunEnd, RunError};
use tool_runtime::stream::StreamError;
use tool_runtime_client::{ErrorKind, Model, ModelError, RunModel as _, error_kind};

/// The end of a run with one request, and the text that it has shown.
async fn interrupted(parts: Vec<Part>) -> (RunError<ModelError>, String) {
    let setup = Setup::chat_completions([Scripted::stream(parts)]).await;
    let (mut session, mut shown) = (question(), String::new());
    let run = session.run(&setup.registry).on_event(|event| {
        if let Event::Text { text, .. } = event {
            shown += text;
        }
    });
    let error = run.stream_model(&setup.model).await.expect_err("the stream breaks");
    assert_eq!(setup.server.requests(), 1, "{error}: the text of a reply that is repeated appears twice");
    assert_eq!(session.messages().len(), 1, "the session is unchanged");
    let end = setup.run(&mut session, false).await.expect("another run repeats the request");
    assert_eq!((end, session.final_text()), (RunEnd::Answered, ANSWER));
    (error, shown)
}

#[tokio::test]
async fn a_stream_that_is_lost_after_its_first_text_is_not_repeated() {
    let text = event_text();
    let letter = text.find('–').expect("the answer has this letter");
    let event = text.find("day").map_or(text.len() / 2, |day| day + 1);
    // After an event, in the middle of an event, and in the middle of a letter.
    for length in [
        text.find("\n\n").map(|end| text[end + 2..].find("\n\n").map_or(0, |next| end + next + 4)),
        Some(event),
        Some(letter + 1),
    ] {
        let bytes = text.as_bytes()[..length.expect("a position")].to_vec();
        let (error, shown) = interrupted(vec![Part::Bytes(bytes), Part::Lost]).await;
        assert!(!shown.is_empty() && ANSWER.starts_with(&shown), "{shown}");
        let RunError::Stream(StreamError::Transport { source, .. }) = &error else { panic!("{error:?}") };
        let source = source.downcast_ref::<ModelError>().expect("the error of the model");
        assert!(matches!(source, ModelError::Connection { .. }) && source.source().is_some(), "{source:?}");
        assert_eq!(error_kind(&error), ErrorKind::Other);
        assert!(error.to_string().contains("the connection to http://127.0.0.1"), "{error}");
    }
}

#[tokio::test]
async fn an_error_after_the_first_text_is_not_repeated() {
    let mut parts: Vec<Part> = events()[..3].iter().map(|event| sent_event(event)).collect();
    parts.push(sent_event(r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#));
    let (error, _) = interrupted(parts).await;
    assert_eq!(error_kind(&error), ErrorKind::Overloaded, "{error}");
}

#[tokio::test]
async fn a_request_is_never_repeated_after_a_call_has_started() {
    // The call of a `read_only` tool starts before the end of the reply.
    let first = json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "call_1", "type": "function",
        "function": {"name": "get_weather", "arguments": "{\"city\":\"Rome\"}"}}]}}]});
    let second = json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 1, "id": "call_2", "type": "function",
        "function": {"name": "get_weather", "arguments": "{\"ci"}}]}}]});
    let error = sent_event(r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#);
    for end in [error, Part::Lost] {
        let parts = [sent_event(&first.to_string()), sent_event(&second.to_string()), end];
        let (server, waits, (registry, runs)) = (
            Server::start("chat_completions", [Scripted::stream(parts)]).await,
            Waits::default(),
            registry(),
        );
        let mut session = question();
        let ended = session.run(&registry).stream_model(&server.model(&waits)).await;
        assert!(matches!(ended, Err(RunError::Stream(_))), "{ended:?}");
        assert_eq!((server.requests(), runs.count()), (1, 1));
        assert_eq!(session.messages()[2].text(), "Rome: sunny", "the session keeps the result");
    }
}

#[tokio::test]
async fn a_stream_that_sends_nothing_ends_at_the_time_limit() {
    let parts = [Part::from(event_text()[..400].to_owned()), Part::Silence];
    let setup = Setup::chat_completions([Scripted::stream(parts)]).await;
    let (mut session, model) = (question(), setup.model.clone());
    let run = session.run(&setup.registry).on_event(|event| {
        if matches!(event, Event::Text { .. }) {
            setup.waits.end_limit();
        }
    });
    let error = run.stream_model(&model).await.expect_err("the server sends nothing more");
    assert!(
        error.to_string().contains("the time limit of 9002s has passed; set `idle_timeout` to wait longer"),
        "{error}"
    );
    assert_eq!(setup.server.requests(), 1);
}

#[tokio::test]
async fn a_time_limit_before_the_reply_is_an_error() {
    for is_stream in [false, true] {
        let setup = Setup::chat_completions([Scripted::stream([Part::Silence])]).await;
        let mut session = question();
        let run = setup.run(&mut session, is_stream);
        let end_limit = async {
            setup.server.first_request().await;
            setup.waits.end_limit();
        };
        let (end, ()) = tokio::join!(run, end_limit);
        let error = end.expect_err("the server is silent").to_string();
        let setting = if is_stream { "idle_timeout" } else { "reply_timeout" };
        assert!(
            error.contains("the time limit of 900") && error.contains(&format!("set `{setting}`")),
            "{error}"
        );
        assert_eq!(setup.server.requests(), 1, "the next attempt would take as long");
    }
}

#[tokio::test]
async fn a_response_without_end_is_an_error() {
    for is_stream in [false, true] {
        // One line, so that no event ends.
        let endless = vec![Part::from("data: ".to_owned() + &"a".repeat(5_000)); 9];
        let (server, waits, (registry, _)) = (
            Server::start("chat_completions", [Scripted::stream(endless)]).await,
            Waits::default(),
            registry(),
        );
        let model = server.model(&waits).max_reply_bytes(20_000);
        let mut session = question();
        let run = session.run(&registry);
        let end = if is_stream { run.stream_model(&model).await } else { run.model(&model).await };
        let error = end.expect_err("it is too long").to_string();
        assert!(error.contains("longer than 20000 bytes; set `max_reply_bytes`"), "{error}");
        assert_eq!(server.requests(), 1);
    }
}

#[tokio::test]
async fn a_page_in_place_of_a_reply_is_an_error_with_its_beginning() {
    for wire in WIRES {
        for is_stream in [false, true] {
            let page = Scripted::status(200, "<html>Sign in</html>")
                .header("content-type", "text/html; charset=utf-8");
            let setup = Setup::new(wire, [page]).await;
            let (mut session, model): (_, Model) = (question(), setup.model.clone());
            let run = session.run(&setup.registry);
            let end = run_with(run, &model, is_stream).await;
            let error = end.expect_err("it is a page").to_string();
            assert!(error.contains("<html>Sign in</html>"), "{wire}: {error}");
            assert_eq!(setup.server.requests(), 1, "{wire}");
        }
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_an_error() {
    let parts = [Part::Bytes(b"data: \xff\xfe\n\n".to_vec())];
    let setup = Setup::chat_completions([Scripted::stream(parts)]).await;
    let error = setup.run(&mut question(), true).await.expect_err("no text");
    assert!(error.to_string().contains("the response is not a stream of events"), "{error}");
    assert_eq!(setup.server.requests(), 1);
}

#[tokio::test]
async fn a_whole_reply_in_place_of_a_stream_is_an_error_that_names_the_method() {
    for wire in ["anthropic", "responses", "bedrock"] {
        let body = formats::body(wire, &planned(&json!("Beijing: sunny"))).to_string();
        let setup = Setup::new(wire, [Scripted::status(200, body)]).await;
        let error = setup.run(&mut question(), true).await.expect_err("no stream").to_string();
        assert!(error.contains("use `model` in place of `stream_model`"), "{wire}: {error}");
        assert_eq!(setup.server.requests(), 1, "{wire}");
    }
}

#[tokio::test]
async fn a_stream_of_another_api_is_an_error_with_its_beginning() {
    let event =
        r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[]}}"#;
    let setup = Setup::chat_completions([Scripted::stream([sent_event(event)])]).await;
    let error = setup.run(&mut question(), true).await.expect_err("another API").to_string();
    assert!(
        error.contains("check the provider and the base URL. It begins with: {\"type\":\"message_start\""),
        "{error}"
    );
    assert_eq!(setup.server.requests(), 1);
}

#[tokio::test]
async fn half_an_event_at_the_end_is_an_error() {
    let text = event_text();
    let length = text.find("day").map_or(text.len() / 2, |day| day + 1);
    let (error, _) = interrupted(vec![Part::from(text[..length].to_owned())]).await;
    assert!(matches!(error, RunError::Stream(StreamError::NotAChunk { .. })), "{error:?}");
}

#[cfg(feature = "bedrock")]
#[tokio::test]
async fn half_a_frame_at_the_end_is_an_error() {
    let events = formats::events("bedrock", &planned(&json!("Beijing: sunny")));
    let frames: Vec<Vec<u8>> = events.iter().map(|event| crate::stub::frame(event)).collect();
    let first = frames[..3].concat();
    // In the prelude, after it, and in the payload.
    for length in [5, 8, 12, 40] {
        let bytes = [&first[..], &frames[3][..length]].concat();
        let stream = Scripted::stream([Part::Bytes(bytes)])
            .header("content-type", "application/vnd.amazon.eventstream");
        let setup = Setup::new("bedrock", [stream]).await;
        let error = setup.run(&mut question(), true).await.expect_err("half a frame").to_string();
        assert!(error.contains("the stream ended in the middle of an event"), "{length}: {error}");
    }
    // Before the first content, the request is repeated.
    let stream = Scripted::stream([Part::Bytes(frames[0][..20].to_vec())]);
    let stream = stream.header("content-type", "application/vnd.amazon.eventstream");
    let setup = Setup::new("bedrock", [stream]).await;
    assert_eq!(setup.run(&mut question(), true).await.expect("an answer"), RunEnd::Answered);
}

#[tokio::test]
async fn a_long_beginning_without_content_is_not_repeated() {
    let events = "data: {}\n\n".repeat(2_000);
    let setup = Setup::chat_completions([Scripted::stream([events.into(), Part::Lost])]).await;
    let error = setup.run(&mut question(), true).await.expect_err("no reply").to_string();
    assert_eq!(setup.server.requests(), 1, "{error}");
}
