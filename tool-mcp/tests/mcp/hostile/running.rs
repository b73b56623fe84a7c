//! Requests whose arguments take much more memory than their text, and whose calls do not end.

use super::{Case, Running};
use crate::http::{initialize, post_to};
use crate::peer::Peer;
use axum::body::{Body, Bytes};
use serde_json::json;
use std::future::pending;
use std::time::Duration;
use tokio::time::timeout;
use tool_runtime::{DynamicTool, Registry};
use tool_runtime_mcp::serve;

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("running requests over a stream", [3, 5, 8], 400.0, over_a_stream),
        Case::new("running requests in sessions", [3, 5, 8], 330.0, in_sessions),
        Case::new("running requests without a session", [3, 5, 8], 360.0, without_sessions),
    ]
}

/// A tool that keeps its arguments and never ends.
fn waiting() -> Registry {
    let schema = json!({"type": "object"});
    let wait = DynamicTool::new("wait", "", schema, |arguments| async move {
        pending::<()>().await;
        drop(arguments);
        Ok::<_, String>("")
    });
    Registry::builder().dynamic(wait).build().expect("valid")
}

/// A call with 900,000 values, in a text of 1.8 MB.
fn call(id: usize, meta: &str) -> String {
    let values = "1,".repeat(900_000);
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{{meta}"name":"wait","arguments":{{"a":[{values}1]}}}}}}"#
    )
}

fn over_a_stream(count: usize) -> Running {
    Box::pin(async move {
        tokio::time::pause();
        let mut client = Peer::connect_to(serve(waiting())).await;
        for id in 1..=count {
            client.send_line(&call(id, "")).await;
        }
        let mut rejected = 0;
        while let Ok(Some(response)) = timeout(Duration::from_secs(10), client.next()).await {
            rejected += usize::from(response["error"].is_object());
        }
        outcome(count, rejected)
    })
}

fn outcome(count: usize, rejected: usize) -> String {
    assert!((1..=8).contains(&(count - rejected)), "{rejected} of {count} requests are rejected");
    format!("{rejected} of {count} requests are rejected")
}

/// Posts requests with these headers and bodies at the same time, and counts those that are rejected. The others do not end.
async fn rejected(
    service: &tool_runtime_mcp::HttpService,
    requests: Vec<(Vec<(&str, &str)>, Bytes)>,
) -> usize {
    let posts = requests.into_iter().map(|(headers, body)| {
        let posted = post_to(service.clone(), &headers, Body::from(body));
        timeout(Duration::from_secs(5), posted)
    });
    let answers = futures_util::future::join_all(posts).await;
    answers.iter().flatten().filter(|answer| answer.status == 503).count()
}

fn in_sessions(count: usize) -> Running {
    Box::pin(async move {
        tokio::time::pause();
        let service = serve(waiting()).http_service();
        let (mut sessions, body) = (Vec::new(), Bytes::from(call(1, "")));
        for _ in 0..count {
            let hello = post_to(service.clone(), &[], Body::from(initialize(&json!({})))).await;
            sessions.push(hello.session.expect("a session"));
        }
        let requests = sessions.iter().map(|session| (vec![("mcp-session-id", &**session)], body.clone()));
        outcome(count, rejected(&service, requests.collect()).await)
    })
}

fn without_sessions(count: usize) -> Running {
    Box::pin(async move {
        tokio::time::pause();
        let service = serve(waiting()).http_service();
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = Bytes::from(call(1, &format!(r#""_meta":{meta},"#)));
        let headers =
            vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "wait")];
        let requests = vec![(headers, body); count];
        let first = rejected(&service, requests.clone()).await;
        // The calls of clients that have disconnected no longer run.
        assert_eq!(rejected(&service, requests).await, first);
        outcome(count, first)
    })
}
