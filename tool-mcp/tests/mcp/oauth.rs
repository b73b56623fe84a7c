//! The client that signs in, with servers that work and with hostile ones.

use crate::authorization::TokenServer;
use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, LOCATION, WWW_AUTHENTICATE};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get, post};
use reqwest::Url;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tool_runtime::ToolCall;
use tool_runtime_mcp::rmcp::transport::auth::{CredentialStore as _, InMemoryCredentialStore};
use tool_runtime_mcp::{Client, ClientError, ConnectError, OAuth};

const REDIRECT_URI: &str = "http://127.0.0.1:8976/callback";

/// The behaviour of an authorisation server, and the requests that it has received.
#[derive(Default)]
struct Behaviour {
    /// The prefix of its tokens.
    prefix: Mutex<&'static str>,
    /// The error of its responses to refresh tokens, if it no longer accepts them.
    refresh_error: Mutex<Option<&'static str>>,
    /// The refresh token that it has issued last. Each one is accepted once.
    refresh_token: Mutex<String>,
    /// Requests with a refresh token that wait, if there is one.
    gate: Mutex<Option<Arc<Semaphore>>>,
    /// It states that its tokens expire at once.
    expires: AtomicBool,
    /// The bodies of the requests for a token.
    token_requests: Mutex<Vec<String>>,
    sign_ins: AtomicUsize,
}

impl Behaviour {
    fn count(&self, grant: &str) -> usize {
        let requests = self.token_requests.lock().expect("not poisoned");
        requests.iter().filter(|body| body.contains(&format!("grant_type={grant}"))).count()
    }

    fn sign_ins(&self) -> usize {
        self.sign_ins.load(Ordering::Relaxed)
    }
}

async fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    (listener, address)
}

fn json_response(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

fn metadata(issuer: &str) -> Value {
    json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "registration_endpoint": format!("{issuer}/register"),
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
    })
}

/// A server and its authorisation server, whose tokens it accepts. The URL of the server.
async fn start(server: &TokenServer, behaviour: &Arc<Behaviour>) -> String {
    let (listener, address) = listen().await;
    let issuer = format!("http://{address}");
    let described = metadata(&issuer);
    let (server_, behaviour) = (server.clone(), Arc::clone(behaviour));
    let token = move |body: String| {
        let is_refresh = body.contains("grant_type=refresh_token");
        let mut last = behaviour.refresh_token.lock().expect("not poisoned");
        let is_known = body.contains(&*last);
        let number = {
            let mut requests = behaviour.token_requests.lock().expect("not poisoned");
            requests.push(body);
            requests.len()
        };
        let error = *behaviour.refresh_error.lock().expect("not poisoned");
        let error = error.or(Some("invalid_grant").filter(|_| !is_known)).filter(|_| is_refresh);
        let token = format!("{}{number}", behaviour.prefix.lock().expect("not poisoned"));
        if error.is_none() && !token.starts_with("small") && !token.starts_with("bad") {
            server_.accept(&[&token]);
        }
        if error.is_none() {
            *last = format!("again{number}");
        }
        let mut response =
            json!({"access_token": token, "token_type": "Bearer", "refresh_token": *last, "scope": "tools"});
        if behaviour.expires.load(Ordering::Relaxed) {
            response["expires_in"] = json!(0);
        }
        let gate = behaviour.gate.lock().expect("not poisoned").clone().filter(|_| is_refresh);
        async move {
            if let Some(gate) = gate {
                gate.acquire().await.expect("it is open").forget();
            }
            match error {
                Some(error) => json_response(400, &json!({"error": error})),
                None => json_response(200, &response),
            }
        }
    };
    let register = |body: String| async move {
        let mut client: Value = serde_json::from_str(&body).expect("JSON");
        client["client_id"] = json!("registered");
        json_response(201, &client)
    };
    let router = server
        .router(address, &issuer)
        .route(
            "/.well-known/oauth-authorization-server",
            get(move || async move { json_response(200, &described) }),
        )
        .route("/register", post(register))
        .route("/token", post(token));
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("{issuer}/mcp")
}

/// The redirect after a sign-in, with these changes to its parameters.
fn redirect(page: &str, change: impl Fn(&str, String) -> String) -> String {
    let page = Url::parse(page).expect("a URL");
    let parameter = |name: &str| {
        let found = page.query_pairs().find(|(key, _)| key == name);
        found.map(|(_, value)| value.into_owned()).unwrap_or_default()
    };
    let mut redirect = Url::parse(&parameter("redirect_uri")).expect("a URL");
    let state = change("state", parameter("state"));
    let issuer = change("iss", page.origin().ascii_serialization());
    redirect
        .query_pairs_mut()
        .append_pair("code", "a-code")
        .append_pair("state", &state)
        .append_pair("iss", &issuer);
    redirect.into()
}

/// A person who signs in at once.
fn person(behaviour: &Arc<Behaviour>) -> OAuth {
    let behaviour = Arc::clone(behaviour);
    OAuth::new().redirect_uri(REDIRECT_URI).open(move |page| {
        behaviour.sign_ins.fetch_add(1, Ordering::Relaxed);
        async move { Ok::<_, std::io::Error>(redirect(&page, |_, value| value)) }
    })
}

fn pay_calls(count: usize) -> Vec<ToolCall> {
    (0..count).map(|id| ToolCall::new(id.to_string(), "pay", "{}")).collect()
}

#[tokio::test]
async fn calls_share_a_sign_in_and_tokens_are_refreshed() {
    let (server, behaviour) = (TokenServer::default(), Arc::new(Behaviour::default()));
    let url = start(&server, &behaviour).await;
    let store = InMemoryCredentialStore::new();
    let oauth = || person(&behaviour).store(store.clone());
    let registry = Client::http(&*url).oauth(oauth()).connect().await.expect("signed in");
    let registry = registry.registry().await.expect("listed");
    let all_paid = async |count: usize| {
        let results = registry.dispatch(&pay_calls(count)).await;
        assert!(results.iter().all(|result| result.text().starts_with("paid ")), "{results:?}");
    };
    all_paid(1).await;
    assert_eq!((behaviour.sign_ins(), behaviour.count("authorization_code")), (1, 1));
    let body = behaviour.token_requests.lock().expect("not poisoned")[0].clone();
    let resource: String = url.replace(':', "%3A").replace('/', "%2F");
    assert!(body.contains("code_verifier=") && body.contains(&format!("resource={resource}")), "{body}");

    server.accept(&[]);
    all_paid(10).await;
    assert_eq!((behaviour.sign_ins(), behaviour.count("refresh_token")), (1, 1), "refreshed once");

    *behaviour.refresh_error.lock().expect("not poisoned") = Some("invalid_request");
    server.accept(&[]);
    all_paid(10).await;
    assert_eq!((behaviour.sign_ins(), server.calls()), (2, 21), "signed in once, and each call has run once");

    let again = Client::http(&*url).oauth(oauth()).connect().await.expect("the store has a token");
    assert_eq!(again.registry().await.expect("listed").call("pay", ()).await.text(), "paid 22");
    *behaviour.refresh_error.lock().expect("not poisoned") = None;
    server.accept(&[]);
    let again = Client::http(&*url).oauth(oauth()).connect().await.expect("the store has a refresh token");
    drop(again);
    assert_eq!(behaviour.sign_ins(), 2);
}

#[tokio::test]
async fn a_sign_in_that_fails_is_one_error_for_all_calls() {
    let (server, behaviour) = (TokenServer::default(), Arc::new(Behaviour::default()));
    let url = start(&server, &behaviour).await;
    let (opened, allowed) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let (count, waits) = (Arc::clone(&opened), Arc::clone(&allowed));
    let oauth = OAuth::new().redirect_uri(REDIRECT_URI).open(move |page| {
        let is_first = count.fetch_add(1, Ordering::Relaxed) == 0;
        let waits = Arc::clone(&waits);
        async move {
            if is_first {
                return Ok(redirect(&page, |_, value| value));
            }
            waits.acquire().await.expect("it is open").forget();
            Err("the page was closed")
        }
    });
    let client = Client::http(&*url).oauth(oauth).connect().await.expect("signed in");
    let registry = client.registry().await.expect("listed");
    *behaviour.refresh_error.lock().expect("not poisoned") = Some("invalid_grant");
    server.accept(&[]);
    let gate = Arc::new(Semaphore::new(4));
    server.hold_rejections(&gate);
    let mut calls = JoinSet::new();
    for _ in 0..5 {
        let registry = registry.clone();
        calls.spawn(async move { registry.call("pay", ()).await.text().into_owned() });
    }
    // All calls are sent when the page is closed, and one is rejected afterwards.
    while server.rejected() < 5 {
        tokio::task::yield_now().await;
    }
    allowed.add_permits(1);
    for ended in 1..=5 {
        let text = calls.join_next().await.expect("five calls").expect("no panic");
        assert!(text.contains("requires authorisation"), "{text}");
        gate.add_permits(usize::from(ended == 4));
    }
    assert_eq!((opened.load(Ordering::Relaxed), server.calls()), (2, 0));
}

#[tokio::test]
async fn a_server_that_rejects_new_tokens_asks_nobody_again() {
    let (server, behaviour) = (TokenServer::default(), Arc::new(Behaviour::default()));
    let url = start(&server, &behaviour).await;
    let client = Client::http(&*url).oauth(person(&behaviour)).connect().await.expect("signed in");
    *behaviour.prefix.lock().expect("not poisoned") = "bad";
    *behaviour.refresh_error.lock().expect("not poisoned") = Some("invalid_grant");
    server.accept(&[]);
    for expected in ["Auth required", "the server has rejected a new token", "5 minutes later"] {
        let error = client.tools().await.expect_err("no token is accepted");
        let text = error.to_string();
        assert!(matches!(error, ClientError::Unauthorized(_)) && text.contains(expected), "{text}");
        let error = client.read_resource("shop://terms").await.expect_err("no token is accepted");
        assert!(matches!(error, ClientError::Unauthorized(_)), "{error}");
    }
    assert_eq!(behaviour.sign_ins(), 2);
}

#[tokio::test]
async fn missing_scopes_are_asked_for_with_a_limit() {
    for (is_granted, sign_ins) in [(true, 2), (false, 3)] {
        let (server, behaviour) = (TokenServer::default(), Arc::new(Behaviour::default()));
        let url = start(&server, &behaviour).await;
        let (pages, person) = (Arc::new(Mutex::new(Vec::new())), person(&behaviour));
        let (opened, asked) = (Arc::clone(&pages), Arc::clone(&behaviour));
        let oauth = person.open(move |page| {
            opened.lock().expect("not poisoned").push(page.clone());
            let is_first = asked.sign_ins.fetch_add(1, Ordering::Relaxed) == 0;
            let prefix = if is_first || !is_granted { "small" } else { "large" };
            *asked.prefix.lock().expect("not poisoned") = prefix;
            async move { Ok::<_, std::io::Error>(redirect(&page, |_, value| value)) }
        });
        let connected = Client::http(&*url).oauth(oauth).connect().await;
        assert_eq!((connected.is_ok(), behaviour.sign_ins()), (is_granted, sign_ins));
        let pages = pages.lock().expect("not poisoned");
        assert!(pages[0].contains("scope=tools&") || pages[0].ends_with("scope=tools"), "{}", pages[0]);
        assert!(pages[1].contains("scope=tools+admin"), "{}", pages[1]);
    }
}

#[tokio::test]
async fn a_program_signs_in_without_a_person() {
    let (server, behaviour) = (TokenServer::default(), Arc::new(Behaviour::default()));
    let url = start(&server, &behaviour).await;
    let oauth = OAuth::client_credentials("a-program", "s3cret").scopes(["tools"]);
    assert!(!format!("{oauth:?}").contains("s3cret"));
    let client = Client::http(&*url).oauth(oauth).connect().await.expect("signed in");
    let registry = client.registry().await.expect("listed");
    server.accept(&[]);
    *behaviour.refresh_error.lock().expect("not poisoned") = Some("invalid_grant");
    assert_eq!(registry.call("pay", ()).await.text(), "paid 1");
    assert_eq!(behaviour.count("client_credentials"), 2);
}

#[tokio::test]
async fn an_expired_token_is_replaced() {
    let (server, behaviour) = (TokenServer::default(), Arc::new(Behaviour::default()));
    behaviour.expires.store(true, Ordering::Relaxed);
    let url = start(&server, &behaviour).await;
    let oauth = OAuth::client_credentials("a-program", "s3cret");
    let client = Client::http(&*url).oauth(oauth).connect().await.expect("signed in");
    let registry = client.registry().await.expect("listed");
    server.accept(&[]);
    *behaviour.refresh_error.lock().expect("not poisoned") = Some("invalid_grant");
    assert_eq!(registry.call("pay", ()).await.text(), "paid 1");
}

#[tokio::test]
async fn a_call_that_ends_does_not_lose_a_refreshed_token() {
    let (server, behaviour) = (TokenServer::default(), Arc::new(Behaviour::default()));
    behaviour.expires.store(true, Ordering::Relaxed);
    let url = start(&server, &behaviour).await;
    let client = Client::http(&*url).oauth(person(&behaviour)).connect().await.expect("signed in");
    let registry = client.registry().await.expect("listed");
    server.accept(&[]);
    let (gate, refreshed) = (Arc::new(Semaphore::new(0)), behaviour.count("refresh_token"));
    *behaviour.gate.lock().expect("not poisoned") = Some(Arc::clone(&gate));
    let call = tokio::spawn(async move { registry.call("pay", ()).await.text().into_owned() });
    while behaviour.count("refresh_token") == refreshed {
        tokio::task::yield_now().await;
    }
    call.abort();
    call.await.expect_err("it is aborted");
    gate.add_permits(10);
    let registry = client.registry().await.expect("listed");
    assert_eq!(registry.call("pay", ()).await.text(), "paid 1");
    assert_eq!(behaviour.sign_ins(), 1);
}

#[tokio::test]
async fn a_token_is_only_for_the_server_that_it_was_obtained_for() {
    for store in [None, Some(InMemoryCredentialStore::new())] {
        let servers = [TokenServer::default(), TokenServer::default()];
        let behaviours = [Arc::new(Behaviour::default()), Arc::new(Behaviour::default())];
        *behaviours[0].prefix.lock().expect("not poisoned") = "first";
        let oauth = OAuth::new()
            .redirect_uri(REDIRECT_URI)
            .open(|page| async move { Ok::<_, std::io::Error>(redirect(&page, |_, value| value)) });
        let oauth = match store {
            Some(store) => oauth.store(store),
            None => oauth,
        };
        for (server, behaviour) in servers.iter().zip(&behaviours) {
            let url = start(server, behaviour).await;
            Client::http(url).oauth(oauth.clone()).connect().await.expect("signed in");
        }
        let counts = (behaviours[1].count("authorization_code"), behaviours[1].count("refresh_token"));
        assert_eq!((servers[0].seen("first1") > 0, servers[1].seen("first1"), counts), (true, 0, (1, 0)));
    }
}

#[tokio::test]
async fn a_secret_is_only_for_its_issuer() {
    let (server, behaviour) = (TokenServer::default(), Arc::new(Behaviour::default()));
    let url = start(&server, &behaviour).await;
    let secret = || Some("s3cret".to_owned());
    for oauth in
        [OAuth::client_credentials("a-program", "s3cret"), person(&behaviour).client("a-program", secret())]
    {
        let trusted = oauth.clone().issuer(url.replace("/mcp", "/"));
        let error = Client::http(&*url).oauth(oauth.issuer("https://auth.example.com")).connect().await;
        let error = error.expect_err("the issuer is another one").to_string();
        assert!(
            error.contains("issuer mismatch: expected https://auth.example.com, received http:"),
            "{error}"
        );
        let (sent, pages) =
            (behaviour.token_requests.lock().expect("not poisoned").len(), behaviour.sign_ins());
        assert_eq!((sent, pages), (0, 0));
        Client::http(&*url).oauth(trusted).connect().await.expect("signed in");
        behaviour.token_requests.lock().expect("not poisoned").clear();
    }
    assert_eq!(behaviour.sign_ins(), 1);
}

#[tokio::test]
async fn a_program_gets_no_more_scopes_than_its_own() {
    let (server, behaviour) = (TokenServer::default(), Arc::new(Behaviour::default()));
    *behaviour.prefix.lock().expect("not poisoned") = "small";
    let url = start(&server, &behaviour).await;
    let oauth = OAuth::client_credentials("a-program", "s3cret").scopes(["tools"]);
    Client::http(url).oauth(oauth).connect().await.expect_err("it has too few scopes");
    assert_eq!(behaviour.count("client_credentials"), 1);
}

#[tokio::test]
async fn a_refresh_token_is_not_sent_to_a_server_without_its_issuer() {
    let (listener, address) = listen().await;
    let url = format!("http://{address}/mcp");
    let received = Arc::new(Mutex::new(Vec::new()));
    let bodies = Arc::clone(&received);
    let token = move |body: String| async move {
        bodies.lock().expect("not poisoned").push(body);
        json_response(200, &json!({"access_token": "a", "token_type": "Bearer"}))
    };
    let unauthorized = any(async || (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")]));
    let router = Router::new().route("/mcp", unauthorized).route("/token", post(token));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let token = json!({
        "access_token": "old", "token_type": "Bearer", "expires_in": 0, "refresh_token": "again", "mcp_server": url,
    });
    let stored = json!({
        "client_id": "a", "token_response": token, "token_received_at": 0, "issuer": "https://auth.example.com",
    });
    let store = InMemoryCredentialStore::new();
    store.save(serde_json::from_value(stored).expect("valid")).await.expect("it is in memory");
    let oauth = OAuth::new().redirect_uri(REDIRECT_URI).client("a", Some("s3cret".to_owned())).store(store);
    let oauth = oauth.open(async |_| Err::<String, _>("the page was closed"));
    let error = Client::http(url).oauth(oauth).connect().await.expect_err("nobody signs in");
    assert!(received.lock().expect("not poisoned").is_empty());
    assert!(error.to_string().contains("the page was closed"), "{error}");
}

/// The documents of a hostile server.
#[derive(Clone)]
struct Documents {
    resource: Value,
    /// `None`: it redirects endlessly.
    server: Option<Value>,
    state: &'static str,
    issuer: &'static str,
}

/// The error of a client that signs in at this server, the number of pages that were opened, and that of requests for a token.
async fn error_at(documents: impl FnOnce(&str) -> Documents) -> (String, usize, usize) {
    let (listener, address) = listen().await;
    let base = format!("http://{address}");
    let documents = documents(&base);
    let challenge =
        format!("Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\", scope=\"a\"");
    let unauthorized = move || async move { (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, challenge)]) };
    let (resource, server) = (documents.resource, documents.server);
    let describe = move |request: Request| async move {
        match server {
            Some(server) => json_response(200, &server),
            None => (StatusCode::FOUND, [(LOCATION, request.uri().to_string())]).into_response(),
        }
    };
    let tokens = Arc::new(AtomicUsize::new(0));
    let received = Arc::clone(&tokens);
    let token = move || async move {
        received.fetch_add(1, Ordering::Relaxed);
        json_response(200, &json!({"access_token": "a", "token_type": "Bearer"}))
    };
    let registered = json!({"client_id": "a", "redirect_uris": []});
    let router = Router::new()
        .route("/mcp", any(unauthorized))
        .route(
            "/.well-known/oauth-protected-resource/mcp",
            get(move || async move { json_response(200, &resource) }),
        )
        .route("/.well-known/oauth-authorization-server", get(describe))
        .route("/register", post(move || async move { json_response(201, &registered) }))
        .route("/token", post(token));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let opened = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&opened);
    let (state, issuer) = (documents.state, documents.issuer);
    let oauth = OAuth::new().redirect_uri(REDIRECT_URI).open(move |page| {
        count.fetch_add(1, Ordering::Relaxed);
        let change = move |name: &str, value: String| match name {
            "state" if !state.is_empty() => state.to_owned(),
            "iss" if !issuer.is_empty() => issuer.to_owned(),
            _ => value,
        };
        async move { Ok::<_, std::io::Error>(redirect(&page, change)) }
    });
    let client = Client::http(format!("{base}/mcp")).oauth(oauth);
    let error =
        client.connect_timeout(Duration::from_secs(20)).connect().await.expect_err("no token is accepted");
    assert!(matches!(error, ConnectError::Unauthorized(_)), "{error}");
    let text = error.to_string();
    assert!(text.len() < 5_000, "{} bytes", text.len());
    (text, opened.load(Ordering::Relaxed), tokens.load(Ordering::Relaxed))
}

type Attack = Box<dyn FnOnce(&str) -> Documents>;

/// The documents of a server that is not hostile.
fn documents(base: &str) -> Documents {
    let resource = json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]});
    Documents { resource, server: Some(metadata(base)), state: "", issuer: "" }
}

/// The documents with another field of the authorisation server's.
fn with_server(base: &str, field: &str, value: Value) -> Documents {
    let mut documents = documents(base);
    documents.server.as_mut().expect("it has one")[field] = value;
    documents
}

#[tokio::test]
async fn a_hostile_server_gets_no_sign_in() {
    // Without an attack, the client gets a token, which this server does not accept either.
    let (_, pages, tokens) = error_at(documents).await;
    assert_eq!((pages, tokens), (1, 1));

    let resource = |base: &str, field: &str, value: Value| {
        let mut documents = documents(base);
        documents.resource[field] = value;
        documents
    };
    let many: Vec<String> = (0..10_000).map(|number| format!("/{number}")).collect();
    let attacks: Vec<(&str, usize, Attack)> = vec![
        (
            "Authorization state not found",
            1,
            Box::new(|base| Documents { state: "another", ..documents(base) }),
        ),
        (
            "issuer mismatch",
            1,
            Box::new(|base| Documents { issuer: "https://evil.example.com", ..documents(base) }),
        ),
        (
            "issuer mismatch",
            0,
            Box::new(|base| with_server(base, "issuer", json!("https://evil.example.com"))),
        ),
        (
            "resource mismatch",
            0,
            Box::new(move |base| resource(base, "resource", json!("https://evil.example.com/mcp"))),
        ),
        ("exceeded 10 redirects", 0, Box::new(|base| Documents { server: None, ..documents(base) })),
        (
            "a response has more than 1048576 bytes",
            0,
            Box::new(|base| with_server(base, "service_documentation", json!("x".repeat(2 << 20)))),
        ),
        (
            "is not allowed: it must be an `https` URL",
            0,
            Box::new(move |base| resource(base, "authorization_servers", json!(["http://auth.example.com"]))),
        ),
        (
            "the sign-in needs more than 40 requests",
            0,
            Box::new(move |base| {
                let many: Vec<String> = many.iter().map(|path| format!("{base}{path}")).collect();
                let mut documents = documents(base);
                documents.resource["authorization_servers"] = json!(many);
                documents.server = Some(json!({}));
                documents
            }),
        ),
        (
            "`file:///etc/passwd` is not allowed",
            0,
            Box::new(|base| with_server(base, "authorization_endpoint", json!("file:///etc/passwd"))),
        ),
        (
            "`http://example.com/register` is not allowed",
            0,
            Box::new(|base| with_server(base, "registration_endpoint", json!("http://example.com/register"))),
        ),
        (
            "`http://example.com/token` is not allowed",
            1,
            Box::new(|base| with_server(base, "token_endpoint", json!("http://example.com/token"))),
        ),
        (
            "required PKCE code challenge method",
            0,
            Box::new(|base| with_server(base, "code_challenge_methods_supported", json!(["plain"]))),
        ),
    ];
    for (expected, pages, attack) in attacks {
        let (error, opened, tokens) = error_at(attack).await;
        assert!(error.contains(expected), "{expected}: {error}");
        assert_eq!((opened, tokens), (pages, 0), "{expected}");
    }
}
