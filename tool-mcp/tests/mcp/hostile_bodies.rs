//! Bodies of HTTP requests that arrive slowly, not at all, or many at the same time.

use crate::http::{initialize, post_to};
use axum::body::{Body, Bytes};
use futures_util::{Stream, StreamExt as _, stream};
use serde_json::json;
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tool_runtime::{Registry, tools};
use tool_runtime_mcp::{HttpService, serve};

fn service() -> HttpService {
    serve(Registry::new(tools![]).expect("valid")).http_service()
}

/// The status and the text of the response.
async fn post(service: HttpService, body: impl Stream<Item = Bytes> + Send + 'static) -> (u16, String) {
    let body = Body::from_stream(body.map(Ok::<_, Infallible>));
    let answer = post_to(service, &[("content-length", "4000000")], body).await;
    (answer.status, answer.body)
}

/// A body of this size that does not end.
fn endless(bytes: usize) -> impl Stream<Item = Bytes> {
    let chunk = Bytes::from_static(&[b' '; 1 << 14]);
    stream::iter(vec![chunk; bytes >> 14]).chain(stream::pending())
}

fn initialize_with(padding: usize) -> Bytes {
    Bytes::from(initialize(&json!({"experimental": {"a": {"b": "x".repeat(padding)}}})))
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_arrive_in_time_is_rejected() {
    let one_byte_per_second = || {
        stream::repeat(Bytes::from_static(b" ")).then(|byte| async {
            sleep(Duration::from_secs(1)).await;
            byte
        })
    };
    let started = Instant::now();
    let (status, text) = post(service(), one_byte_per_second()).await;
    assert_eq!((status, started.elapsed().as_secs()), (408, 30));
    assert_eq!(text, "the request body did not arrive within 30 s; send it again");

    let slow = one_byte_per_second().take(25).chain(stream::iter([initialize_with(0)]));
    assert_eq!(post(service(), slow).await.0, 200);
}

#[tokio::test(start_paused = true)]
async fn bodies_that_arrive_at_the_same_time_have_a_limit() {
    let service = service();
    // The declared sizes are not those of the limit.
    let silent: Vec<_> = (0..20).map(|_| tokio::spawn(post(service.clone(), endless(0)))).collect();
    let large: Vec<_> = (0..8).map(|_| tokio::spawn(post(service.clone(), endless(4 << 20)))).collect();
    sleep(Duration::from_millis(1)).await;

    let started = Instant::now();
    let one_more = || post(service.clone(), stream::iter([initialize_with(500_000)]));
    let (status, text) = one_more().await;
    assert_eq!((status, started.elapsed().as_secs()), (503, 1));
    assert_eq!(text, "the server has too many large requests; try again later");
    let small = post(service.clone(), stream::iter([initialize_with(10_000)]));
    assert_eq!(small.await.0, 200, "small requests are handled");

    for request in silent.into_iter().chain(large) {
        assert_eq!(request.await.expect("no panic").0, 408);
    }
    for _ in 0..100 {
        let (status, text) = one_more().await;
        assert!(status == 413 && text.contains("`initialize` may have"), "it is read: {text}");
    }
}

/// 40 bodies of these sizes count more than the limit.
#[tokio::test(start_paused = true)]
async fn messages_that_are_handled_no_longer_count() {
    let service = service();
    let hello = initialize(&json!({"experimental": {"a": {"b": "OBJECTS"}}}));
    let hello = hello.replace("\"OBJECTS\"", &format!("[{}0]", r#"{"":0},"#.repeat(8_000)));
    let padding = "x".repeat(1 << 20);
    let messages = [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {"_meta": {"p": padding}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/x", "params": {"p": padding}}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": {"p": padding}}}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "unknown", "params": {"p": padding}}),
    ];
    for _ in 0..40 {
        let begun = post_to(service.clone(), &[], Body::from(hello.clone())).await;
        assert_eq!(begun.status, 200, "{begun:?}");
        let session = begun.session.expect("a session");
        for message in &messages {
            let headers = [("mcp-session-id", &*session)];
            let answer = post_to(service.clone(), &headers, Body::from(message.to_string())).await;
            assert!(answer.status < 300, "{answer:?}");
        }
    }
}
