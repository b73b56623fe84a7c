//! Servers with hostile clients: large first messages, many sessions, lines without an end.

use super::{Case, Running};
use crate::http::{Answer, HttpServer, initialize};
use crate::peer::Peer;
use axum::body::{Body, Bytes};
use futures_util::{StreamExt as _, stream};
use serde_json::json;
use std::collections::BTreeMap;
use std::convert::Infallible;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tool_runtime::{Registry, tools};
use tool_runtime_mcp::rmcp::model::ResourceTemplate;
use tool_runtime_mcp::serve;
use tower_service::Service as _;

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "forty sessions with a large first request",
            [10_000, 100_000, 1_000_000],
            12.0,
            large_initialize,
        ),
        Case::new(
            "a large first request over a stream",
            [300_000, 1_000_000, 10_000_000],
            100.0,
            streamed_initialize,
        ),
        Case::new("many sessions", [150, 300, 600], 24.0, many_sessions),
        Case::new("a request without an end", [20, 40, 80], 50.0, endless_line),
        Case::new(
            "two hundred bodies that never end",
            [1_000_000, 2_000_000, 4_000_000],
            70.0,
            endless_bodies,
        ),
        Case::new("subscriptions to many resources", [300, 1_000, 3_000], 12.0, many_subscriptions),
    ]
}

fn empty() -> Registry {
    Registry::new(tools![]).expect("valid")
}

/// The first request of a client, with capabilities of about this size, whose values take much more memory than their text.
fn large(bytes: usize) -> String {
    let objects = r#"{"":0},"#.repeat(bytes / 7);
    initialize(&json!({"experimental": {"a": {"b": "OBJECTS"}}}))
        .replace("\"OBJECTS\"", &format!("[{objects}0]"))
}

fn large_initialize(bytes: usize) -> Running {
    Box::pin(async move {
        let server = HttpServer::start(serve(empty()).http_service()).await;
        let body = large(bytes);
        let mut sessions = 0;
        for _ in 0..40 {
            let Answer { session, .. } = server.post(&[], &body).await;
            sessions += usize::from(session.is_some());
        }
        assert_eq!(sessions, if bytes < 64 << 10 { 40 } else { 0 });
        format!("{sessions} sessions")
    })
}

fn streamed_initialize(bytes: usize) -> Running {
    Box::pin(async move {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(serve(empty()).run(theirs));
        let mut client = Peer::new(ours);
        client.send_line(&large(bytes)).await;
        let response = client.receive("id", 0).await;
        let response = response.to_string();
        let expected = if bytes <= 300_000 { "serverInfo" } else { "the request is too large" };
        assert!(response.contains(expected), "{response}");
        format!("{response:.60}")
    })
}

fn many_sessions(count: usize) -> Running {
    Box::pin(async move {
        let server = HttpServer::start(serve(empty()).max_sessions(100).http_service()).await;
        let body = initialize(&json!({}));
        let mut sessions = 0;
        for _ in 0..count {
            sessions += usize::from(server.post(&[], &body).await.session.is_some());
        }
        assert_eq!(sessions, 100);
        format!("{sessions} sessions of {count} requests")
    })
}

fn endless_line(megabytes: usize) -> Running {
    Box::pin(async move {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(serve(empty()).run(theirs));
        let (reader, mut writer) = tokio::io::split(ours);
        writer.write_all(br#"{"jsonrpc":"2.0","id":1,"method":""#).await.expect("it is read");
        for _ in 0..megabytes {
            writer.write_all(&vec![b'x'; 1 << 20]).await.expect("it is read");
        }
        writer.write_all(b"\"}\n").await.expect("it is read");
        let response = BufReader::new(reader).lines().next_line().await.expect("a line").expect("a response");
        assert!(
            response.contains(r#""id":1,"#) && response.contains("the request is too large"),
            "{response}"
        );
        format!("{megabytes} MB are read: {response:.60}")
    })
}

fn many_subscriptions(count: usize) -> Running {
    Box::pin(async move {
        let template = ResourceTemplate::new("a://{id}", "a");
        let server = serve(empty()).resource_template(template, |_| async { Ok::<_, &str>("") });
        let mut client = Peer::connect_to(server.expect("the template is valid")).await;
        let mut accepted = 0;
        for id in 1..=count as u64 {
            let params = json!({"uri": format!("a://{id:01900}")});
            let response = client.request(id, "resources/subscribe", params).await;
            accepted += usize::from(response["error"].is_null());
        }
        assert_eq!(accepted, 64 * 1024 / 1_904, "their URIs have 64 KiB");
        format!("{accepted} of {count} subscriptions")
    })
}

/// Requests whose bodies stop after so many bytes.
fn endless_bodies(bytes: usize) -> Running {
    Box::pin(async move {
        tokio::time::pause();
        let mut service = serve(empty()).http_service();
        let requests: Vec<_> = (0..200)
            .map(|_| {
                let chunk = Ok::<_, Infallible>(Bytes::from_static(&[b' '; 10_000]));
                let chunks = stream::repeat(chunk).take(bytes / 10_000).chain(stream::pending());
                let request = axum::extract::Request::post("http://localhost/mcp");
                service.call(request.body(Body::from_stream(chunks)).expect("valid"))
            })
            .collect();
        let mut statuses = BTreeMap::<u16, usize>::new();
        for response in futures_util::future::join_all(requests).await {
            *statuses.entry(response.expect("a response").status().as_u16()).or_default() += 1;
        }
        let expected: &[u16] = if bytes < 4 << 20 { &[408, 503] } else { &[413] };
        assert!(statuses.keys().eq(expected), "{statuses:?}");
        format!("statuses {statuses:?}")
    })
}
