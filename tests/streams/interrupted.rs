//! Interrupted replies.

use crate::{calls, complete_call, delta, event_log, finish};
use serde_json::{Value, json};
use std::error::Error as _;
use std::io;
use tool_runtime::stream::{Chunk, InterruptedError, ReplyAssembler, StreamError};
use tool_runtime::{AssistantMessage, Registry, ToolCall, tool, tools};

/// Look up the weather of a city.
#[tool(read_only)]
fn get_weather(city: Option<&str>) -> String {
    format!("{}: sunny", city.unwrap_or("everywhere"))
}

fn interrupted<C: Into<Chunk>>(chunks: impl IntoIterator<Item = C>) -> InterruptedError<AssistantMessage> {
    let mut reply = ReplyAssembler::new();
    for chunk in chunks {
        reply.push(chunk);
    }
    reply.into_reply().expect_err("the stream is interrupted")
}

async fn answers(reply: &AssistantMessage) -> Vec<String> {
    let registry = Registry::new(tools![get_weather]).expect("one tool");
    registry.dispatch(&reply.tool_calls).await.into_iter().map(|answer| answer.text().to_owned()).collect()
}

const TRUNCATED: &str = "Error: the call of `get_weather` was not run: the reply was truncated before the call was complete. Call it again with shorter arguments or in a shorter reply.";

#[tokio::test]
async fn an_error_in_the_stream_returns_the_partial_reply() {
    let cut = json!({ "index": 1, "id": "b", "function": { "name": "get_weather", "arguments": "{\"city\":\"Os" } });
    let error = json!({ "error": { "message": "Failed to call a function.", "code": "tool_use_failed", "failed_generation": "<x>" } });
    let chunks = [delta(json!({ "content": "Look." })), calls(&[complete_call(0, "Rome"), cut]), error];
    assert_eq!(
        event_log(chunks.clone()).last().map(String::as_str),
        Some("failed: the server sent an error: Failed to call a function.")
    );

    let interrupted = interrupted(chunks);
    assert_eq!(
        interrupted.to_string(),
        "the reply was interrupted: the server sent an error: Failed to call a function."
    );
    let StreamError::Server { error, .. } = &interrupted.cause else { panic!("{interrupted:?}") };
    assert_eq!(error["failed_generation"], "<x>", "the error of the server is complete");
    let reply = *interrupted.partial;
    assert_eq!(reply.text(), "Look.");
    assert_eq!(reply.tool_calls[0], ToolCall::new("call_0", "get_weather", r#"{"city":"Rome"}"#));
    assert_eq!(answers(&reply).await, ["Rome: sunny", TRUNCATED]);
}

#[tokio::test]
async fn missing_arguments_are_truncated_if_the_reply_has_no_end() {
    // For a tool without required arguments, they would mean no arguments.
    let begun =
        calls(&[json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": "" } })]);
    let reply = interrupted([begun.clone(), json!({ "error": "overloaded" })]).partial;
    assert_eq!(answers(&reply).await, [TRUNCATED]);
    // The stream ends without a finish reason and without `[DONE]`.
    let assembled = crate::assembled([begun.clone()]);
    assert_eq!(answers(&assembled).await, [TRUNCATED]);
    for reason in ["length", "insufficient_system_resource", "abort", "SAFETY", "no such word"] {
        let assembled = crate::assembled([begun.clone(), finish(reason)]);
        assert_eq!(answers(&assembled).await, [TRUNCATED], "{reason}");
    }
    // The server reported the end.
    for end in [finish("tool_calls"), "[DONE]".into()] {
        assert_eq!(answers(&crate::assembled([begun.clone(), end])).await, ["everywhere: sunny"]);
    }
}

#[test]
fn errors_are_read_in_every_format() {
    let text = |chunk: Value| interrupted([delta(json!({ "content": "Hi" })), chunk]).cause.to_string();
    for error in [
        json!({ "error": { "message": "no credit", "code": 402 } }),
        json!({ "error": "no credit" }),
        json!([{ "error": { "message": "no credit" } }]),
        json!({ "object": "error", "message": "no credit" }),
        json!({ "detail": "no credit" }),
        json!({ "type": "error", "error": { "type": "x", "message": "no credit" } }),
        json!({ "choices": [{ "index": 0, "delta": { "content": "" }, "finish_reason": "error" }], "error": { "message": "no credit" } }),
        json!({ "choices": [{ "index": 0, "delta": { "content": "" }, "error": { "message": "no credit" } }] }),
    ] {
        assert_eq!(text(error.clone()), "the server sent an error: no credit");
        assert_eq!(interrupted([error.to_string()]).cause.to_string(), "the server sent an error: no credit");
    }
    // If `error` is `true` or a number, the text is in another field.
    for error in [
        json!({ "error": true, "message": "no credit" }),
        json!({ "error": 402, "msg": "no credit" }),
        json!({ "error": 402, "detail": "no credit" }),
        json!({ "code": 402, "msg": "no credit" }),
        json!({ "error_message": "no credit" }),
        json!({ "choices": null, "base_resp": { "status_code": 1008, "status_msg": "no credit" } }),
    ] {
        assert_eq!(text(error), "the server sent an error: no credit");
    }
    assert_eq!(text(json!({ "errors": ["no credit"] })), r#"the server sent an error: ["no credit"]"#);
    // An object of type `error` is an error even if a reply follows.
    let declared = json!({ "object": "error", "message": "no credit" });
    assert!(matches!(&interrupted([declared, finish("stop")]).cause, StreamError::Server { .. }));
    // Also with an empty array of choices.
    assert_eq!(
        text(json!({ "choices": [], "object": "error", "message": "no credit" })),
        "the server sent an error: no credit"
    );
    assert_eq!(
        text(json!({ "error": { "code": 7, "message": "" } })),
        r#"the server sent an error: {"code":7,"message":""}"#
    );
    for no_error in [
        json!({ "error": null }),
        json!({ "error": "" }),
        json!({ "error": false }),
        json!({ "error": { "code": 0, "message": "" } }),
    ] {
        assert_eq!(event_log([no_error, finish("stop")]), ["finished stop"]);
    }
    assert_eq!(text(json!({ "error": 500 })), "the server sent an error: 500");
    assert_eq!(
        text(json!({ "detail": [{ "msg": "field required" }], "message": 7 })),
        r#"the server sent an error: [{"msg":"field required"}]"#
    );
}

#[test]
fn a_status_of_the_server_is_an_error_only_if_no_reply_follows() {
    for status in [
        json!({ "code": 0, "message": "Success" }),
        json!({ "type": "ping", "message": "keep-alive" }),
        json!({ "status": "processing", "detail": "queued" }),
        json!({ "choices": null, "base_resp": { "status_code": 0, "status_msg": "success" } }),
    ] {
        let chunks = [
            status.clone(),
            delta(json!({ "content": "Hi" })),
            status.clone(),
            finish("stop"),
            status.clone(),
        ];
        assert_eq!(event_log(chunks), ["text Hi", "finished stop"], "{status}");
        let chunks = [status.clone(), delta(json!({ "content": "Hi" })), "[DONE]".into()];
        assert_eq!(event_log(chunks), ["text Hi", "finished without a reason"], "{status}");
        let interrupted = interrupted([delta(json!({ "content": "Hi" })), status]);
        assert!(matches!(&interrupted.cause, StreamError::Server { .. }));
    }
}

#[test]
fn an_error_of_the_connection_keeps_its_source() {
    let chunks = [Ok(delta(json!({ "content": "Hi" }))), Err(io::Error::other("connection reset"))];
    let interrupted = interrupted(chunks);
    assert_eq!(interrupted.to_string(), "the reply was interrupted: the connection failed: connection reset");
    assert!(interrupted.source().is_none(), "the display text includes the source");
    let StreamError::Transport { source, .. } = &interrupted.cause else { panic!("{interrupted:?}") };
    assert_eq!(source.downcast_ref::<io::Error>().map(io::Error::kind), Some(io::ErrorKind::Other));
    assert_eq!(interrupted.partial.text(), "Hi");
}

#[test]
fn a_connection_error_after_the_end_of_the_reply_is_ignored() {
    let after = [Err(io::Error::other("unclean shutdown"))];
    let chunks = [Ok(delta(json!({ "content": "Hi" }))), Ok(finish("stop"))].into_iter().chain(after);
    assert_eq!(crate::assembled(chunks).text(), "Hi");
    let chunks =
        [delta(json!({ "content": "Hi" })).to_string(), finish("stop").to_string(), "{\"usage".to_owned()];
    assert_eq!(crate::assembled(chunks).text(), "Hi");
    // Not if a piece follows the finish reason.
    let more = [
        Ok(finish("stop")),
        Ok(delta(json!({ "content": "Hi" }))),
        Err(io::Error::other("connection reset")),
    ];
    assert!(matches!(&interrupted(more).cause, StreamError::Transport { .. }));
    // If the reason comes with a piece, the piece may not be the last one.
    let half = json!({ "choices": [{ "delta": { "content": "Hi" }, "finish_reason": "stop" }] });
    let chunks = [Ok(half), Err(io::Error::other("connection reset"))];
    assert!(matches!(&interrupted(chunks).cause, StreamError::Transport { .. }));
    // An error of the server is not ignored.
    let chunks = [delta(json!({ "content": "Hi" })), finish("stop"), json!({ "error": "no, wait" })];
    assert!(matches!(&interrupted(chunks).cause, StreamError::Server { .. }));
}

#[test]
fn an_error_for_an_invalid_chunk_names_the_expected_input() {
    for (text, begins) in [
        ("data: {\"choices\":[]}", "a chunk is not in the format of Chat Completions (expected value"),
        ("<html>", "a chunk is not"),
        ("{\"choices\":7}", "a chunk is not"),
    ] {
        let message = interrupted([text]).cause.to_string();
        assert!(message.starts_with(begins), "{message}");
        assert!(message.ends_with(text) && message.contains("the text after `data:`"), "{message}");
    }
    let long = "x".repeat(10_000);
    assert!(interrupted([long]).cause.to_string().len() < 500);
}

#[test]
fn a_stream_without_a_reply_is_an_error() {
    for chunks in [vec![], vec!["[DONE]"], vec!["", "{\"choices\":[]}", "[DONE]"]] {
        let interrupted = interrupted(chunks);
        assert!(matches!(&interrupted.cause, StreamError::NoReply { .. }));
        assert_eq!(interrupted.to_string(), "the reply was interrupted: the stream ended without a reply");
    }
    let other = r#"{"type":"message_start","message":{"role":"assistant"}}"#;
    assert_eq!(
        interrupted([other, "[DONE]"]).cause.to_string(),
        format!(
            "the stream ended without a reply; if it is of another wire, set it with `Run::wire` or \
             `ReplyAssembler::wire`. It begins with: {other}"
        )
    );
}

#[test]
fn chunks_after_an_error_are_ignored() {
    let chunks = [
        delta(json!({ "content": "Hi" })),
        json!({ "error": "x" }),
        delta(json!({ "content": " there" })),
        "[DONE]".into(),
    ];
    assert_eq!(event_log(chunks.clone()), ["text Hi", "failed: the server sent an error: x"]);
    assert_eq!(interrupted(chunks).partial.text(), "Hi");
}

#[test]
fn an_error_with_a_finish_reason_is_not_the_end_of_the_reply() {
    let both = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "error" }], "error": { "message": "overloaded" } });
    let event_log = event_log([calls(&[complete_call(0, "Rome")]), both]);
    assert_eq!(event_log.last().map(String::as_str), Some("failed: the server sent an error: overloaded"));
    assert!(event_log.iter().all(|event| !event.starts_with("finished")), "{event_log:?}");
}

#[test]
fn a_type_that_does_not_serialize_is_an_error() {
    let unwritable = std::collections::HashMap::from([((1, 2), 3)]);
    let message = interrupted([Chunk::from_serialize(&unwritable)]).cause.to_string();
    assert_eq!(message, "the client's chunk cannot be written as JSON (key must be a string)");
}

#[test]
fn an_interrupted_error_has_the_partial_reply_and_the_cause() {
    let chunks = [delta(json!({ "content": "Hi" })), json!({ "error": "x" })];
    let InterruptedError { partial: reply, cause, .. } = interrupted(chunks);
    assert_eq!(reply.text(), "Hi");
    assert_eq!(cause.to_string(), "the server sent an error: x");
}
