//! The requests that the server accepts, and the headers and files of the page.

use crate::page::{Headers, Page, error, text};
use crate::tools::{Effects, registry};
use axum::Router;
use axum::http::{Method, StatusCode};
use std::collections::BTreeSet;
use std::fs;
use tool_runtime_inspector::{Inspector, ServeError};

fn page() -> Page {
    Page(Inspector::new(&registry(&Effects::default())).router())
}

async fn status(page: &Page, method: Method, path: &str, headers: Headers<'_>) -> StatusCode {
    page.send(method, path, headers, "{}").await.status()
}

const OWN: (&str, &str) = ("x-tool-inspector", "1");

#[tokio::test]
async fn only_requests_of_the_page_for_this_machine_are_accepted() {
    let page = page();
    let accepted: [Headers<'_>; 5] = [
        &[OWN, ("host", "127.0.0.1:4000")],
        &[OWN, ("host", "localhost:4000"), ("origin", "http://localhost:4000")],
        &[OWN, ("host", "[::1]:4000"), ("origin", "http://[::1]:4000")],
        &[OWN, ("host", "LOCALHOST:4000"), ("origin", "http://localhost:4000")],
        &[OWN, ("host", "localhost:4000"), ("sec-fetch-site", "same-origin")],
    ];
    for headers in accepted {
        assert_eq!(status(&page, Method::GET, "/api/registry", headers).await, StatusCode::OK, "{headers:?}");
    }
    let rejected: [Headers<'_>; 9] = [
        &[OWN],
        &[OWN, ("host", "evil.example")],
        &[OWN, ("host", "127.0.0.1.evil.example:4000")],
        &[OWN, ("host", "127.0.0.1@evil.example")],
        &[OWN, ("host", "127.0.0.1:4000"), ("origin", "http://evil.example")],
        &[OWN, ("host", "127.0.0.1:4000"), ("origin", "http://127.0.0.1:5000")],
        &[OWN, ("host", "127.0.0.1:4000"), ("origin", "null")],
        &[OWN, ("host", "127.0.0.1:4000"), ("sec-fetch-site", "cross-site")],
        &[OWN, ("host", "127.0.0.1:4000"), ("sec-fetch-site", "same-site")],
    ];
    for headers in rejected {
        for path in ["/", "/page.js", "/api/registry", "/api/tools/add", "/nothing"] {
            for method in [Method::GET, Method::HEAD, Method::POST] {
                let status = status(&page, method, path, headers).await;
                assert_eq!(status, StatusCode::FORBIDDEN, "{headers:?} {path}");
            }
        }
    }
}

/// A page of another site can send such a request with an image or a form, but without a header of its own.
#[tokio::test]
async fn a_request_for_data_needs_the_header_of_the_page() {
    let page = page();
    let host = ("host", "127.0.0.1:4000");
    for path in ["/api/registry", "/api/requests", "/api/tools/add", "/api/file"] {
        assert_eq!(status(&page, Method::GET, path, &[host]).await, StatusCode::FORBIDDEN, "{path}");
    }
    for path in [
        "/api/calls",
        "/api/history",
        "/api/calls/r1/decision",
        "/api/calls/r1/answer",
        "/api/calls/r1/result",
    ] {
        assert_eq!(status(&page, Method::POST, path, &[host]).await, StatusCode::FORBIDDEN, "{path}");
    }
    let response = page.send(Method::POST, "/api/history", &[host], "[]").await;
    assert_eq!(error(response).await.1, "the request has no header `x-tool-inspector`");
    assert_eq!(status(&page, Method::POST, "/api/history", &[host, OWN]).await, StatusCode::BAD_REQUEST);
    // JSON that a form can send has another type.
    let response =
        page.send(Method::POST, "/api/calls", &[host, OWN, ("content-type", "text/plain")], "{}").await;
    assert_eq!(response.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[tokio::test]
async fn a_link_of_another_site_leads_to_the_page_but_not_to_its_data() {
    let link = |path| {
        let page = page();
        async move {
            let headers: Headers<'_> = &[
                OWN,
                ("host", "localhost"),
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "navigate"),
            ];
            status(&page, Method::GET, path, headers).await
        }
    };
    assert_eq!(link("/").await, StatusCode::OK);
    assert_eq!(link("/api/registry").await, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_program_can_allow_other_hosts() {
    let inspector =
        Inspector::new(&registry(&Effects::default())).allow_hosts(["lan"]).allow_hosts(["tools.internal"]);
    let page = Page(inspector.router());
    let headers: Headers<'_> =
        &[OWN, ("host", "tools.internal:8443"), ("origin", "https://tools.internal:8443")];
    assert_eq!(status(&page, Method::GET, "/api/registry", headers).await, StatusCode::OK);
    let other = [OWN, ("host", "other.internal")];
    assert_eq!(status(&page, Method::GET, "/api/registry", &other).await, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn other_machines_cannot_connect_unless_a_host_is_allowed() {
    let error = tool_runtime_inspector::serve(&registry(&Effects::default()), "0.0.0.0:0").await;
    let error = error.expect_err("it is not a loopback address");
    assert!(matches!(error, ServeError::NotLoopback { .. }), "{error}");
    assert!(error.to_string().contains("other machines could reach the inspector at 0.0.0.0:"), "{error}");

    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address");
    let error = tool_runtime_inspector::serve(&registry(&Effects::default()), address).await;
    assert!(matches!(error, Err(ServeError::Bind { .. })), "{error:?}");
}

#[tokio::test]
async fn each_response_has_the_policy_of_the_page() {
    for path in ["/", "/page.js", "/api/registry", "/api/tools/nothing", "/nothing"] {
        let response = page().send(Method::GET, path, &[OWN, ("host", "localhost")], "").await;
        let header = |name: &str| response.headers()[name].to_str().expect("text");
        let policy = header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; "), "{path}: {policy}");
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(header("cross-origin-resource-policy"), "same-origin", "{path}");
        assert_eq!(header("cache-control"), "no-store", "{path}");
    }
}

#[tokio::test]
async fn the_page_has_the_address_under_which_it_is_nested() {
    let nested = Page(Router::new().nest("/dev/inspector", page().0));
    let headers: Headers<'_> = &[("host", "localhost")];
    let html = text(nested.send(Method::GET, "/dev/inspector", headers, "").await).await;
    assert!(html.contains(r#"<base href="/dev/inspector/">"#), "{html}");
    let script = nested.send(Method::GET, "/dev/inspector/page.js", headers, "").await;
    assert_eq!(script.headers()["content-type"], "text/javascript; charset=utf-8");

    let html = text(page().send(Method::GET, "/", headers, "").await).await;
    assert!(html.contains(r#"<base href="/">"#), "{html}");
}

#[tokio::test]
async fn each_file_of_the_page_is_served_and_loads_nothing_from_elsewhere() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/page");
    let names: BTreeSet<String> = fs::read_dir(folder)
        .expect("the folder of the page")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    assert!(names.len() > 3);
    for name in names {
        let path = if name == "page.html" { "/".to_owned() } else { format!("/{name}") };
        let response = page().send(Method::GET, &path, &[("host", "localhost")], "").await;
        assert_eq!(response.status(), StatusCode::OK, "{name}");
        let text = text(response).await;
        for way in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "https://",
        ] {
            assert!(!text.contains(way), "{name} contains {way}");
        }
    }
}
