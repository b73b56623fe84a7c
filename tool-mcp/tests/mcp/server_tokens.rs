//! A server that requires bearer tokens.

use crate::http::{Answer, HttpServer, initialize, post_to};
use axum::body::{Body, to_bytes};
use serde_json::{Value, json};
use tool_runtime::{Registry, RunContext, tool};
use tool_runtime_mcp::{Access, Authorization, Server, TokenRejection, serve};
use tower_service::Service as _;

pub(crate) struct User(pub(crate) String);

/// The user of the token.
#[tool(read_only)]
fn who(#[state] user: &User) -> String {
    user.0.clone()
}

fn authorization() -> Authorization {
    let servers = ["https://auth.example.com"];
    Authorization::new("https://tools.example.com/mcp", servers)
        .expect("valid URLs")
        .scopes(["tools", "files"])
}

/// The user `ada` has the tokens `ada-1`, `ada-2` and so on. The user `guest` has too few scopes.
async fn check(token: String) -> Result<Access, TokenRejection> {
    match token.split_once('-') {
        Some(("guest", _)) => Err(TokenRejection::insufficient_scope(["tools"])),
        Some(("broken", _)) => panic!("the check is broken"),
        Some(("slow", _)) => std::future::pending().await,
        Some((user, _)) => {
            Ok(Access::new(user).with_run_context(RunContext::new().state(User(user.to_owned()))))
        }
        None => Err(TokenRejection::Invalid),
    }
}

fn server() -> Server {
    let registry = Registry::builder().tools(tool_runtime::tools![who]).state_per_run::<User>();
    serve(registry.build().expect("valid")).bearer_tokens(authorization(), |token, _| check(token))
}

fn call() -> String {
    let params = json!({"name": "who", "arguments": {}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
}

#[tokio::test]
async fn a_request_needs_a_valid_token() {
    let http = HttpServer::start(server().http_service()).await;
    let metadata =
        r#"resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource/mcp""#;
    let challenge = |error: &str, scopes: &str| format!("Bearer {metadata}{error}, scope=\"{scopes}\"");
    let invalid = challenge(", error=\"invalid_token\"", "tools files");
    for (header, status, expected) in [
        (None, 401, challenge("", "tools files")),
        (Some("Basic YTpi"), 401, challenge("", "tools files")),
        (Some("Bearer unknown"), 401, invalid.clone()),
        (Some("Bearer "), 401, challenge("", "tools files")),
        (Some("Bearer guest-1"), 403, challenge(", error=\"insufficient_scope\"", "tools")),
    ] {
        let headers: Vec<_> = header.iter().map(|header| ("Authorization", *header)).collect();
        // The body, which is not sent, is not waited for.
        let unread = [&headers[..], &[("Content-Length", "1000")]].concat();
        for (method, headers) in [("POST", unread), ("GET", headers.clone()), ("DELETE", headers)] {
            let answer = http.request(method, &headers, "").await;
            assert_eq!(
                (answer.status, answer.challenge),
                (status, Some(expected.clone())),
                "{method} {header:?}"
            );
            assert_eq!(answer.session, None);
        }
    }
    let long = format!("Bearer ada-{}", "x".repeat(17_000));
    let answer = post_to(server().http_service(), &[("authorization", &long)], Body::empty()).await;
    assert_eq!((answer.status, answer.challenge), (401, Some(invalid)));
    let answer = http.post(&[("Authorization", "bearer ada-1")], &initialize(&json!({}))).await;
    assert!(answer.status == 200 && answer.session.is_some(), "{answer:?}");
}

#[tokio::test(start_paused = true)]
async fn a_check_that_fails_or_hangs_is_no_access() {
    for token in ["Bearer broken-1", "Bearer slow-1"] {
        let headers = [("authorization", token)];
        let answer = post_to(server().http_service(), &headers, initialize(&json!({})).into()).await;
        assert_eq!((answer.status, &*answer.body), (503, "the token cannot be checked now"), "{token}");
    }
}

#[tokio::test]
async fn a_session_is_only_reached_with_tokens_of_its_subject() {
    let http = HttpServer::start(server().http_service()).await;
    let with = async |token: &str, session: &str, method: &str, body: &str| -> Answer {
        let token = format!("Bearer {token}");
        http.request(method, &[("Authorization", &token), ("Mcp-Session-Id", session)], body).await
    };
    let begun = http.post(&[("Authorization", "Bearer ada-1")], &initialize(&json!({}))).await;
    let session = begun.session.expect("a session");
    for (method, body) in [("POST", call()), ("GET", String::new()), ("DELETE", String::new())] {
        for (token, session) in [("bob-1", &*session), ("ada-1", "unknown")] {
            let answer = with(token, session, method, &body).await;
            assert_eq!((answer.status, &*answer.body), (404, "there is no such session"), "{method} {token}");
        }
    }
    let answer = with("ada-2", &session, "POST", &call()).await;
    assert_eq!(answer.message()["result"]["content"][0]["text"], "ada", "a renewed token: {answer:?}");
    assert_eq!(with("ada-3", &session, "DELETE", "").await.status, 202);
    assert_eq!(with("ada-3", &session, "POST", &call()).await.status, 404);
}

#[tokio::test]
async fn the_function_for_each_message_runs_after_the_check() {
    let server = server().try_context_per_request(|request| {
        let access = request.access().ok_or("there is no token")?;
        if access.subject() == "eve" {
            return Err("eve is not welcome");
        }
        // The state of the token's context is kept.
        if access.subject() == "bob" {
            return Ok(access.run_context().clone());
        }
        Ok(RunContext::new().state(User(format!("{} again", access.subject()))))
    });
    let http = HttpServer::start(server.clone().http_service()).await;
    let begin = async |token: &str| http.post(&[("Authorization", token)], &initialize(&json!({}))).await;
    let answer = begin("Bearer eve-1").await;
    assert_eq!(answer.message()["error"]["message"], "eve is not welcome");
    assert_eq!(begin("nothing").await.status, 401);
    for (token, expected) in [("Bearer ada-1", "ada again"), ("Bearer bob-1", "bob")] {
        let session = begin(token).await.session.expect("a session");
        let headers = [("Authorization", token), ("Mcp-Session-Id", &session)];
        assert_eq!(http.post(&headers, &call()).await.message()["result"]["content"][0]["text"], expected);
    }
}

#[tokio::test]
async fn the_metadata_names_the_authorisation_server() {
    let mut service = authorization().metadata_service();
    let request = axum::extract::Request::get("/").body(Body::empty()).expect("valid");
    let (parts, body) = service.call(request).await.expect("a response").into_parts();
    assert_eq!(parts.headers["content-type"], "application/json");
    let body = to_bytes(Body::new(body), 1 << 20).await.expect("it ends");
    let expected = json!({
        "resource": "https://tools.example.com/mcp",
        "authorization_servers": ["https://auth.example.com"],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["tools", "files"],
    });
    assert_eq!(serde_json::from_slice::<Value>(&body).expect("JSON"), expected);
    for (resource, path) in [
        ("https://tools.example.com", ""),
        ("https://tools.example.com/", ""),
        ("https://tools.example.com/a/b/?c=/d", "/a/b"),
    ] {
        let expected = format!("/.well-known/oauth-protected-resource{path}");
        let authorization = Authorization::new(resource, ["https://auth.example.com"]).expect("valid URLs");
        assert_eq!(authorization.metadata_path(), expected);
    }
    for url in ["tools.example.com/mcp", "/mcp", "https://", "ftp://tools.example.com", "https://a b", ""] {
        let expected = format!("`{url}` cannot be used: use a URL such as `https://tools.example.com/mcp`");
        for invalid in [Authorization::new(url, ["https://a"]), Authorization::new("https://a", [url])] {
            assert_eq!(invalid.expect_err("it is no such URL").to_string(), expected);
        }
    }
}
