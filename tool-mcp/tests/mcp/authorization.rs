//! The client over HTTP with bearer tokens.

use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, LOCATION, WWW_AUTHENTICATE};
use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;
use tool_runtime::registry::Registry;
use tool_runtime::{ToolCall, tool, tools};
use tool_runtime_mcp::{Access, Authorization, Client, ClientBuilder, TokenRejection, serve};

/// A server that accepts some tokens.
#[derive(Clone, Default)]
pub(crate) struct TokenServer {
    accepted: Arc<Mutex<HashSet<String>>>,
    /// The tokens of all requests.
    seen: Arc<Mutex<Vec<String>>>,
    calls: Arc<AtomicUsize>,
    rejected: Arc<AtomicUsize>,
    /// Rejections that wait, if there is one.
    gate: Arc<Mutex<Option<Arc<Semaphore>>>>,
}

struct Calls(Arc<AtomicUsize>);

/// Has an effect that must not happen twice.
#[tool(destructive)]
fn pay(#[state] calls: &Calls) -> String {
    format!("paid {}", calls.0.fetch_add(1, Ordering::Relaxed) + 1)
}

impl TokenServer {
    pub(crate) fn accept(&self, tokens: &[&str]) {
        *self.accepted.lock().expect("not poisoned") =
            tokens.iter().map(|token| (*token).to_owned()).collect();
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// Lets a request whose token is not accepted wait for a permit.
    #[cfg(feature = "oauth")]
    pub(crate) fn hold_rejections(&self, gate: &Arc<Semaphore>) {
        *self.gate.lock().expect("not poisoned") = Some(Arc::clone(gate));
    }

    /// The number of requests whose token was not accepted.
    #[cfg(feature = "oauth")]
    pub(crate) fn rejected(&self) -> usize {
        self.rejected.load(Ordering::Relaxed)
    }

    pub(crate) fn seen(&self, token: &str) -> usize {
        self.seen.lock().expect("not poisoned").iter().filter(|seen| *seen == token).count()
    }

    /// Serves on this listener, for clients that sign in at this authorisation server.
    pub(crate) fn router(&self, address: SocketAddr, issuer: &str) -> axum::Router {
        let registry = Registry::builder().tools(tools![pay]).state(Calls(Arc::clone(&self.calls)));
        let authorization = Authorization::new(format!("http://{address}/mcp"), [issuer])
            .expect("valid URLs")
            .scopes(["tools"]);
        let (path, metadata) = (authorization.metadata_path(), authorization.metadata_service());
        let this = self.clone();
        let service = serve(registry.build().expect("valid"))
            .bearer_tokens(authorization, move |token, _| {
                this.seen.lock().expect("not poisoned").push(token.clone());
                let is_accepted = this.accepted.lock().expect("not poisoned").contains(&token);
                this.rejected.fetch_add(usize::from(!is_accepted), Ordering::Relaxed);
                let gate = this.gate.lock().expect("not poisoned").clone().filter(|_| !is_accepted);
                async move {
                    if let Some(gate) = gate {
                        gate.acquire().await.expect("it is open").forget();
                    }
                    match is_accepted {
                        true => Ok(Access::new("ada")),
                        false if token.starts_with("small") => {
                            Err(TokenRejection::insufficient_scope(["tools", "admin"]))
                        }
                        false => Err(TokenRejection::Invalid),
                    }
                }
            })
            .http_service();
        axum::Router::new().nest_service("/mcp", service).route_service(&path, metadata)
    }

    async fn start(&self) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
        let address = listener.local_addr().expect("it has an address");
        let router = self.router(address, "https://auth.example.com");
        tokio::spawn(async move { axum::serve(listener, router).await });
        format!("http://{address}/mcp")
    }
}

/// A client whose function gives `token-1`, `token-2` and so on, and the number of tokens.
fn counting(url: &str) -> (ClientBuilder, Arc<AtomicUsize>) {
    let given = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&given);
    let builder = Client::http(url).bearer_token(move || {
        let token = format!("token-{}", counter.fetch_add(1, Ordering::Relaxed) + 1);
        async move { Ok::<_, std::io::Error>(token) }
    });
    (builder, given)
}

#[tokio::test]
async fn a_token_is_renewed_once_for_all_calls_and_no_call_runs_twice() {
    let server = TokenServer::default();
    let url = server.start().await;
    let (builder, given) = counting(&url);
    server.accept(&["token-1"]);
    let registry = builder.connect().await.expect("connected").registry().await.expect("listed");
    assert_eq!(registry.call("pay", ()).await.text(), "paid 1");
    assert_eq!(given.load(Ordering::Relaxed), 1);

    server.accept(&["token-2"]);
    let calls: Vec<_> = (0..20).map(|id| ToolCall::new(id.to_string(), "pay", "{}")).collect();
    let results = registry.dispatch(&calls).await;
    let texts: HashSet<_> = results.iter().map(|result| result.text().to_owned()).collect();
    let expected: HashSet<_> = (2..=21).map(|number| format!("paid {number}")).collect();
    assert_eq!(texts, expected);
    assert_eq!((given.load(Ordering::Relaxed), server.calls()), (2, 21));
}

#[tokio::test]
async fn a_rejected_token_is_renewed_once_only() {
    let server = TokenServer::default();
    let url = server.start().await;
    let (builder, given) = counting(&url);
    let error = builder.connect().await.expect_err("no token is accepted");
    assert!(matches!(error, tool_runtime_mcp::ConnectError::Unauthorized(_)), "{error}");
    let text = error.to_string();
    assert!(text.starts_with("cannot connect to the MCP server: it requires authorisation ("), "{text}");
    assert!(text.contains("`bearer_token`") && !text.contains("token-"), "{text}");
    assert_eq!(given.load(Ordering::Relaxed), 2);

    server.accept(&["token-1"]);
    let (builder, given) = counting(&url);
    let registry = builder.connect().await.expect("connected").registry().await.expect("listed");
    server.accept(&[]);
    let result = registry.call("pay", ()).await;
    assert_eq!(
        result.text(),
        "Error: the server of the tool requires authorisation that this program does not have; the tool was not called. Ask \
         the user to sign in again, or to give the program a token with the necessary rights."
    );
    assert_eq!((given.load(Ordering::Relaxed), server.seen("token-2"), server.calls()), (2, 2, 0));

    let same = Client::http(&*url).bearer_token(|| async { Ok::<_, std::io::Error>("same") });
    same.connect().await.expect_err("it is rejected");
    assert_eq!(server.seen("same"), 1, "a token that is still the same is not sent again");
}

#[tokio::test]
async fn a_function_that_fails_is_the_reason() {
    let server = TokenServer::default();
    let url = server.start().await;
    let failing = Client::http(&*url).bearer_token(|| async { Err::<String, _>("the vault is sealed") });
    let error = failing.connect().await.expect_err("there is no token").to_string();
    assert!(error.contains("(the client has no token: the vault is sealed)"), "{error}");

    let panics = Client::http(&*url).bearer_token(|| -> std::future::Ready<Result<String, String>> {
        panic!("the vault is gone");
    });
    let error = panics.connect().await.expect_err("there is no token").to_string();
    assert!(error.contains("(the client has no token: the function of `bearer_token` panicked)"), "{error}");

    server.accept(&["first"]);
    let given = AtomicUsize::new(0);
    let builder = Client::http(&*url).bearer_token(move || {
        let is_first = given.fetch_add(1, Ordering::Relaxed) == 0;
        async move { if is_first { Ok("first") } else { Err("the vault is sealed") } }
    });
    let registry = builder.connect().await.expect("connected").registry().await.expect("listed");
    server.accept(&[]);
    let results = registry.dispatch(&[ToolCall::new("1", "pay", "{}")]).await;
    let text = results[0].text();
    assert!(text.contains("requires authorisation that this program does not have"), "{text}");
    let error = results[0].outcome().and_then(|outcome| outcome.error()).expect("an error");
    let sources = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    let text = sources.map(ToString::to_string).collect::<Vec<_>>().join(": ");
    assert!(text.ends_with("the client has no token: the vault is sealed"), "{text}");
}

#[tokio::test]
async fn a_token_is_not_sent_to_another_origin_and_not_printed() {
    let other = TokenServer::default();
    let target = other.start().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("it has an address"));
    let redirect = move || async move { (StatusCode::TEMPORARY_REDIRECT, [(LOCATION, target)]) };
    tokio::spawn(async move { axum::serve(listener, axum::Router::new().fallback(redirect)).await });

    let long = "s3cret".repeat(100);
    let secret = || Client::http(&*url).bearer_token(|| async { Ok::<_, std::io::Error>("s3cret") });
    let error = secret().connect().await.expect_err("the redirect is not followed");
    assert!(other.seen.lock().expect("not poisoned").is_empty(), "the other origin received a request");
    let invalid = Client::http(&*url).bearer_token(|| async { Ok::<_, std::io::Error>("s3cret\n") });
    let invalid = invalid.connect().await.expect_err("it is no value of a header");
    assert!(invalid.to_string().contains("the token cannot be the value of a header"), "{invalid}");
    let repeats = async |status: StatusCode| {
        let (listener, address) = {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
            let address = listener.local_addr().expect("it has an address");
            (listener, address)
        };
        let repeat = move |request: axum::extract::Request| async move {
            let header = request.headers().get(AUTHORIZATION).and_then(|token| token.to_str().ok());
            let token = header.unwrap_or_default().to_owned();
            (status, [(WWW_AUTHENTICATE, token.clone())], token)
        };
        tokio::spawn(async move { axum::serve(listener, axum::Router::new().fallback(repeat)).await });
        let client = Client::http(format!("http://{address}/mcp"));
        let token = long.clone();
        let client = client.bearer_token(move || std::future::ready(Ok::<_, std::io::Error>(token.clone())));
        let error = client.connect().await.expect_err("it is no MCP server");
        assert!(error.to_string().contains("[token]"), "{error}");
        format!("{error} {error:?}")
    };
    for text in [
        format!("{error} {error:?} {:?}", secret()),
        format!("{invalid} {invalid:?}"),
        repeats(StatusCode::BAD_REQUEST).await,
        repeats(StatusCode::UNAUTHORIZED).await,
        repeats(StatusCode::FORBIDDEN).await,
    ] {
        assert!(!text.contains("s3cret"), "{text}");
    }
}

#[tokio::test]
async fn only_http_has_tokens() {
    let builder = Client::program("a-server", ["--verbose"]);
    let error = builder.bearer_token(|| async { Ok::<_, std::io::Error>("a") }).connect().await;
    let error = error.expect_err("there is no token").to_string();
    assert!(error.ends_with("only a client over HTTP has tokens: use `Client::http`"), "{error}");
}
