//! Sign-in at the authorisation server of an HTTP server.

mod addresses;
mod bound_store;
mod discovery;
mod machine;
mod person;
mod requests;
mod sign_in;
mod tokens;

pub(super) use tokens::OAuthTokens;

use super::tokens::BoxFuture;
use super::transport_error::BoxError;
use machine::Machine;
use rmcp::transport::auth::CredentialStore;
#[cfg(feature = "oauth-jwt")]
use rmcp::transport::auth::JwtSigningAlgorithm;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The function that lets a person sign in.
type Open = Arc<dyn Fn(String) -> BoxFuture<'static, Result<String, BoxError>> + Send + Sync>;

/// How a client signs in at the authorisation server of an MCP server (OAuth 2.1): see
/// [`ClientBuilder::oauth`](super::ClientBuilder::oauth).
///
/// With [`new`](OAuth::new), a person signs in (authorisation code with PKCE); with
/// [`client_credentials`](OAuth::client_credentials), the program does. The server names its authorisation server in its response
/// with the status 401. The client registers there: as the [client](OAuth::client) that the program has registered before, with
/// the URL of its [metadata document](OAuth::client_metadata_url) if the authorisation server supports that, or dynamically.
///
/// ```no_run
/// use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
/// use tool_runtime_mcp::{Client, OAuth};
///
/// /// Opens the page in a browser, and waits for its request to the redirect URI.
/// async fn sign_in(url: String) -> Result<String, std::io::Error> {
///     let listener = tokio::net::TcpListener::bind("127.0.0.1:8976").await?;
///     eprintln!("open {url}");
///     let (mut browser, _) = listener.accept().await?;
///     let mut line = String::new(); // GET /callback?code=..&state=.. HTTP/1.1
///     BufReader::new(&mut browser).read_line(&mut line).await?;
///     browser.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nSigned in.").await?;
///     Ok(format!("http://127.0.0.1:8976{}", line.split(' ').nth(1).unwrap_or_default()))
/// }
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let oauth = OAuth::new()
///     .client_name("My agent")
///     .redirect_uri("http://127.0.0.1:8976/callback")
///     .open(sign_in);
/// let client = Client::http("https://example.com/mcp").oauth(oauth).connect().await?;
/// # Ok(())
/// # }
/// ```
///
/// # When a person signs in
///
/// In [`connect`](super::ClientBuilder::connect), or in the first call that the server rejects with the status 401, if there is
/// no token that can be renewed. Calls at the same time share one sign-in, and its error. A call waits within its time limit, 60
/// seconds by default, and a person has 5 minutes: the sign-in continues afterwards, and the next call uses its token. The time
/// limit of `connect` does not count while a person signs in.
///
/// If the server responds with the status 403 and `insufficient_scope`, the person is asked for the scopes that are missing, up
/// to two times for one call, and not if the authorisation server has granted them already. A server that rejects a new token as
/// well is an error, and nobody is asked for the next 5 minutes.
///
/// # Servers that are not trusted
///
/// The server and its authorisation server name the URLs that the client requests.
///
/// - Only `https` URLs are requested, and the URL of the page that a person opens has that scheme as well. If the server itself
///   is on the loopback interface, its authorisation server may be there as well, with `http`.
/// - A name must not resolve to an address of a private network, unless
///   [`allow_private_addresses`](OAuth::allow_private_addresses) is set, and never to a link-local address.
/// - A response has at most 1 MiB and arrives within 30 seconds. One sign-in has at most 40 requests. Redirects are followed
///   only for metadata, and only to the same origin.
/// - The metadata must name the URL of the server as its resource, the issuer of the metadata must be the one that the server
///   names, and `state` and `iss` of the redirect are validated.
/// - With [`issuer`](OAuth::issuer), no other authorisation server receives a secret. A stored refresh token is only sent to the
///   issuer that has issued it.
/// - A token is only sent to the origin of the server's URL, and neither a token nor a secret is in an error or in `Debug`
///   output. At the level `debug`, [`rmcp`] writes the authorisation code and additional fields of token responses to the log.
#[derive(Clone)]
#[must_use = "pass it to `ClientBuilder::oauth`"]
pub struct OAuth {
    machine: Option<Machine>,
    client_name: Option<String>,
    client: Option<(String, Option<String>)>,
    client_metadata_url: Option<String>,
    redirect_uri: Option<String>,
    scopes: Vec<String>,
    store: Option<Arc<dyn CredentialStore>>,
    issuer: Option<String>,
    open: Option<Open>,
    sign_in_timeout: Duration,
    allow_private_addresses: bool,
}

impl Default for OAuth {
    fn default() -> Self {
        OAuth::new()
    }
}

impl OAuth {
    /// A person signs in. [`redirect_uri`](OAuth::redirect_uri) and [`open`](OAuth::open) are required.
    pub fn new() -> Self {
        OAuth {
            machine: None,
            client_name: None,
            client: None,
            client_metadata_url: None,
            redirect_uri: None,
            scopes: Vec::new(),
            store: None,
            issuer: None,
            open: None,
            sign_in_timeout: Duration::from_secs(300),
            allow_private_addresses: false,
        }
    }

    /// The program signs in, with the id and the secret that it has at the authorisation server (the grant `client_credentials`).
    /// Name that server with [`issuer`](OAuth::issuer): the secret goes to any that the MCP server names otherwise.
    ///
    /// ```
    /// use tool_runtime_mcp::{Client, OAuth};
    ///
    /// let oauth = OAuth::client_credentials("nightly-report", "a-secret")
    ///     .issuer("https://auth.example.com")
    ///     .scopes(["reports:read"]);
    /// let builder = Client::http("https://example.com/mcp").oauth(oauth);
    /// # drop(builder);
    /// ```
    pub fn client_credentials(id: impl Into<String>, secret: impl Into<String>) -> Self {
        let (id, secret) = (id.into(), secret.into());
        OAuth { machine: Some(Machine::Secret { id, secret }), ..OAuth::new() }
    }

    /// Like [`client_credentials`](OAuth::client_credentials), with a private key in the format PEM (`private_key_jwt`).
    #[cfg(feature = "oauth-jwt")]
    pub fn private_key_jwt(
        id: impl Into<String>,
        key: impl Into<Vec<u8>>,
        algorithm: JwtSigningAlgorithm,
    ) -> Self {
        let (id, key) = (id.into(), key.into());
        OAuth { machine: Some(Machine::Key { id, key, algorithm }), ..OAuth::new() }
    }

    /// Sets the name that a person sees on the page, for dynamic registration. Default: that of this crate.
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.client_name = Some(name.into());
        self
    }

    /// Sets the URI that receives the result of a sign-in, for example `http://127.0.0.1:8976/callback`. Default: none.
    pub fn redirect_uri(mut self, uri: impl Into<String>) -> Self {
        self.redirect_uri = Some(uri.into());
        self
    }

    /// Sets the id that the program has registered at the authorisation server before, so that it does not register there; and its
    /// secret, if it has one; name the authorisation server with [`issuer`](OAuth::issuer) then. Default: none.
    pub fn client(mut self, id: impl Into<String>, secret: Option<String>) -> Self {
        self.client = Some((id.into(), secret));
        self
    }

    /// Sets the `https` URL of the metadata document that describes the program, which is its id at authorisation servers that
    /// support that. Default: none.
    pub fn client_metadata_url(mut self, url: impl Into<String>) -> Self {
        self.client_metadata_url = Some(url.into());
        self
    }

    /// Sets the scopes of a token. A person is asked for more if the server needs them for a request; a program that signs in
    /// itself never asks for more. Default: those that the server asks for, or else all that its metadata names.
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the store of the tokens, so that they outlive the program. It has the tokens of one server: use another one for each.
    /// A client saves the URL of its server in the additional field `mcp_server` of the token, and ignores tokens of other
    /// servers and those without the field. The store must return all fields of what it has saved. Default: they are in memory,
    /// and each client has its own.
    pub fn store(mut self, store: impl CredentialStore + 'static) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Sets the issuer of the only authorisation server at which the client signs in, for example `https://auth.example.com`: an
    /// error of the sign-in if the server names another one. Default: any that the server names.
    ///
    /// Set it with each secret that the program has registered before ([`client`](OAuth::client) and
    /// [`client_credentials`](OAuth::client_credentials)): without it, a server can name an authorisation server of its own, which
    /// receives the secret.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Sets the function that lets a person sign in: it opens the URL in a browser, and returns the URL to which the browser is
    /// redirected, with its parameters, such as `http://127.0.0.1:8976/callback?code=..&state=..`. Default: none.
    pub fn open<F, E>(mut self, open: impl Fn(String) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<String, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.open = Some(Arc::new(move |url| {
            let opened = open(url);
            Box::pin(async move { opened.await.map_err(Into::into) })
        }));
        self
    }

    /// Sets the time in which a person must sign in. Default: 5 minutes.
    pub fn sign_in_timeout(mut self, limit: Duration) -> Self {
        self.sign_in_timeout = limit;
        self
    }

    /// The secret of the client, unless it is empty.
    fn secret(&self) -> Option<&str> {
        let secret = match (&self.machine, &self.client) {
            (Some(Machine::Secret { secret, .. }), _) => Some(secret),
            (_, Some((_, secret))) => secret.as_ref(),
            _ => None,
        };
        secret.map(String::as_str).filter(|secret| !secret.is_empty())
    }

    /// Allows names that resolve to addresses of a private network, for an authorisation server of a company. Default: `false`.
    pub fn allow_private_addresses(mut self, allow: bool) -> Self {
        self.allow_private_addresses = allow;
        self
    }
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth")
            .field("client_name", &self.client_name)
            .field("client", &self.client.as_ref().map(|(id, _)| id))
            .field("redirect_uri", &self.redirect_uri)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}
