//! The bearer tokens that a server requires.

use super::Server;
use super::contained::{Responding, without_panic};
use super::http_service::Rejection;
use super::protected_resource::Authorization;
use http::StatusCode;
use http::header::{AUTHORIZATION, HeaderMap};
use http::request::Parts;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use tool_runtime::RunContext;

/// The size of a token, in bytes.
const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// The time in which the program checks a token.
const MAX_TIME: Duration = Duration::from_secs(30);

/// The rights of a valid token: whose it is, and the run context of the calls.
#[derive(Clone)]
#[must_use = "return it from the function of `Server::bearer_tokens`"]
pub struct Access {
    subject: Arc<str>,
    run: RunContext,
}

impl Access {
    /// The access of a user or a program. A session that it begins is only reached by requests with the same subject, for example
    /// the claims `iss` and `sub` of the token.
    pub fn new(subject: impl Into<Arc<str>>) -> Self {
        Access { subject: subject.into(), run: RunContext::new() }
    }

    /// Sets the run context of the calls: state of the user, or the tools that it may use. Default: an empty one.
    pub fn with_run_context(mut self, run: RunContext) -> Self {
        self.run = run;
        self
    }

    /// The user or the program.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    pub(super) fn shared_subject(&self) -> Arc<str> {
        Arc::clone(&self.subject)
    }

    /// The run context of the calls. A function of [`context_per_request`](Server::context_per_request) may return a clone of it.
    #[must_use]
    pub fn run_context(&self) -> &RunContext {
        &self.run
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("subject", &self.subject).finish_non_exhaustive()
    }
}

/// The reason why a server rejects a token.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenRejection {
    /// The token is unknown, has expired, or is not for this server. The status is 401, and the client gets another token.
    Invalid,
    /// The token has too few scopes. The status is 403, and the client asks for one with these scopes.
    InsufficientScope(Vec<String>),
    /// The token cannot be checked now. The status is 503, and the client may try again.
    Unavailable,
}

impl TokenRejection {
    /// The token has too few scopes: these are necessary.
    pub fn insufficient_scope<S: Into<String>>(scopes: impl IntoIterator<Item = S>) -> Self {
        TokenRejection::InsufficientScope(scopes.into_iter().map(Into::into).collect())
    }
}

type Checking = Responding<Result<Access, TokenRejection>>;

type Check = Box<dyn Fn(String, &Parts) -> Checking + Send + Sync>;

/// Checks the token of each HTTP request.
pub(super) struct TokenCheck {
    authorization: Authorization,
    check: Check,
}

impl TokenCheck {
    /// The access of a request, before anything of its body is read.
    pub(super) async fn access(&self, parts: &Parts) -> Result<Access, Rejection> {
        let Some(token) = bearer_token(&parts.headers) else {
            return Err(self.unauthorized(None));
        };
        if token.is_empty() || token.len() > MAX_TOKEN_BYTES {
            return Err(self.unauthorized(Some("invalid_token")));
        }
        let unavailable =
            || Rejection::text(StatusCode::SERVICE_UNAVAILABLE, "the token cannot be checked now".into());
        // The panic hook of the process has reported a panic. The client must get a response.
        let checking = catch_unwind(AssertUnwindSafe(|| (self.check)(token.to_owned(), parts)));
        let checking = without_panic(checking.map_err(|_| unavailable())?);
        let checked = timeout(MAX_TIME, checking).await.ok().flatten();
        let checked = checked.unwrap_or(Err(TokenRejection::Unavailable));
        checked.map_err(|rejection| match rejection {
            TokenRejection::Invalid => self.unauthorized(Some("invalid_token")),
            TokenRejection::InsufficientScope(scopes) => {
                let text = "the token has too few scopes".to_owned();
                let challenge = self.authorization.challenge(Some("insufficient_scope"), Some(&scopes));
                Rejection::text(StatusCode::FORBIDDEN, text).with_challenge(challenge)
            }
            TokenRejection::Unavailable => unavailable(),
        })
    }

    /// A request without a token has no error, so that the client knows that it has only not sent one.
    fn unauthorized(&self, error: Option<&str>) -> Rejection {
        let text = if error.is_some() { "the token is not valid" } else { "a bearer token is required" };
        let challenge = self.authorization.challenge(error, None);
        Rejection::text(StatusCode::UNAUTHORIZED, text.to_owned()).with_challenge(challenge)
    }
}

/// The token of the header `Authorization`, if it has the scheme `Bearer`. Two such headers are as none.
fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (scheme, token) = values.next()?.to_str().ok()?.split_once(' ')?;
    (values.next().is_none() && scheme.eq_ignore_ascii_case("bearer")).then(|| token.trim())
}

impl Server {
    /// Requires a bearer token for each request to [`http_service`](Server::http_service), as the protocol describes it for OAuth
    /// 2.1. The function checks the token of a request, with a library for JWT or by a question to the authorisation server, and
    /// decides whose it is. It must also check that the token is for this server (its audience). Default: no tokens.
    ///
    /// It runs for each HTTP request, before anything of the body is read, and has 30 seconds. A request without a token, or with
    /// a rejected one, has the status 401 or 403 with the header `WWW-Authenticate`, from which clients know where to get a
    /// token; if the token cannot be checked, the status is 503. Such a request creates no session and reaches none. A session is
    /// only reached with tokens of the [subject](Access::new) that began it; for others, it does not exist (404). Sessions are
    /// not restored from a session store of [`rmcp`].
    ///
    /// A call, a response or a stream of notifications that has begun continues after its token has expired.
    ///
    /// The calls use the run context of the [`Access`]. A new context for each request counts
    /// [`max_calls`](tool_runtime::registry::Policy::max_calls) from 0 each time: to limit a user, keep one context for each
    /// user, and return clones of it. If [`context_per_request`](Server::context_per_request) is set as well, its function runs
    /// afterwards, for each message, and creates the run context instead, for example from that of the
    /// [access](super::McpRequest::access).
    ///
    /// Over standard input and output, and other transports, there are no tokens: the function does not run. A server with a
    /// public name sets it with [`http_service_with`](Server::http_service_with): otherwise each request has the status 403. A
    /// tool that takes the state of the user needs [`state_per_run`](tool_runtime::RegistryBuilder::state_per_run).
    ///
    /// ```
    /// use tool_runtime::{Registry, RunContext, tools};
    /// use tool_runtime_mcp::rmcp::transport::StreamableHttpServerConfig;
    /// use tool_runtime_mcp::{Access, Authorization, TokenRejection, serve};
    ///
    /// # mod jwt {
    /// #     pub struct Claims { pub sub: String, pub scopes: Vec<String> }
    /// #     pub fn decode(_: &str) -> Result<Claims, ()> { Err(()) }
    /// # }
    /// #[derive(Clone)]
    /// struct User(String);
    ///
    /// /// The claims of a valid token of this server.
    /// async fn verify(token: &str) -> Option<(String, Vec<String>)> {
    ///     let claims = jwt::decode(token).ok()?; // signature, issuer, audience and time
    ///     Some((claims.sub, claims.scopes))
    /// }
    ///
    /// let authorization = Authorization::new("https://tools.example.com/mcp", ["https://auth.example.com"])?.scopes(["tools"]);
    /// let (path, metadata) = (authorization.metadata_path(), authorization.metadata_service());
    /// let service = serve(Registry::new(tools![])?)
    ///     .bearer_tokens(authorization, |token, _request| async move {
    ///         let (user, scopes) = verify(&token).await.ok_or(TokenRejection::Invalid)?;
    ///         if !scopes.iter().any(|scope| scope == "tools") {
    ///             return Err(TokenRejection::insufficient_scope(["tools"]));
    ///         }
    ///         Ok(Access::new(user.clone()).with_run_context(RunContext::new().state(User(user))))
    ///     })
    ///     .http_service_with(StreamableHttpServerConfig::default().with_allowed_hosts(["tools.example.com"]));
    /// let router: axum::Router = axum::Router::new().nest_service("/mcp", service).route_service(&path, metadata);
    /// # drop(router);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bearer_tokens<F>(
        mut self,
        authorization: Authorization,
        check: impl Fn(String, &Parts) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Access, TokenRejection>> + Send + 'static,
    {
        let check = Box::new(move |token, parts: &Parts| -> Checking { Box::pin(check(token, parts)) });
        self.tokens = Some(Arc::new(TokenCheck { authorization, check }));
        self
    }
}
