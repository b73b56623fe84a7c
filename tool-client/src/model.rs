//! The settings of a model.

use crate::ModelError;
use crate::api::Api;
use crate::credentials::CredentialsSource;
use crate::retries::Retries;
use crate::secret::{Secret, redacted_url};
use crate::wait::Wait;
use reqwest::Url;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, Responses, Wire,
};

/// A model of a provider, or of a local server.
///
/// [`RunModel`](crate::RunModel) runs a session with it. [`complete`](Model::complete) and [`stream`](Model::stream) send one
/// request, for a program with a loop of its own. A clone shares the connections.
///
/// ```
/// use tool_runtime_client::Model;
///
/// let local = Model::openai("qwen3").base_url("http://localhost:8080/v1");
/// let remote = Model::anthropic("claude-haiku-4-5").key("a key").max_tokens(2_000).field("temperature", 0.2);
/// ```
///
/// | | Default | Setting |
/// | --- | --- | --- |
/// | Attempts of a request | 5 | [`max_attempts`](Model::max_attempts) |
/// | Delays between attempts, in total | 2 minutes | [`max_retry_delay`](Model::max_retry_delay) |
/// | Time for a whole reply | 10 minutes | [`reply_timeout`](Model::reply_timeout) |
/// | Time without a byte of a stream | 5 minutes | [`idle_timeout`](Model::idle_timeout) |
/// | Size of a response | 64 MiB | [`max_reply_bytes`](Model::max_reply_bytes) |
#[derive(Clone)]
#[must_use = "each setting returns the changed model"]
pub struct Model {
    pub(crate) wire: Arc<dyn Wire>,
    pub(crate) api: Api,
    pub(crate) name: String,
    pub(crate) custom_base_url: Option<String>,
    pub(crate) region: Option<String>,
    pub(crate) key: Option<Secret>,
    pub(crate) credentials: CredentialsSource,
    pub(crate) fields: Map<String, Value>,
    pub(crate) headers: Vec<(String, String)>,
    /// The name of a field that cannot be written as JSON, and the error.
    pub(crate) invalid_field: Option<(String, String)>,
    pub(crate) http_client: Arc<OnceLock<reqwest::Client>>,
    pub(crate) retries: Retries,
    pub(crate) reply_timeout: Duration,
    pub(crate) idle_timeout: Duration,
    pub(crate) max_reply_bytes: usize,
    pub(crate) wait: Wait,
    pub(crate) on_retry: Option<RetryListener>,
}

pub(crate) type RetryListener = Arc<dyn Fn(u32, &ModelError, Duration) + Send + Sync>;

/// The maximum of tokens of a reply of Anthropic, whose requests must have one.
const ANTHROPIC_MAX_TOKENS: u32 = 8192;

impl Model {
    /// A model on a wire with settings of its own, such as a tool of the provider. The other constructors have the default
    /// settings.
    ///
    /// ```
    /// use tool_runtime::wire::{Anthropic, Cache};
    /// use tool_runtime_client::Model;
    ///
    /// let model = Model::new(Anthropic::new().cache(Cache::new().tools()), "claude-haiku-4-5").key("a key");
    /// ```
    pub fn new(wire: impl Wire + 'static, name: impl Into<String>) -> Self {
        let api = Api::for_wire(wire.name());
        let model = Model {
            wire: Arc::new(wire),
            api,
            name: name.into(),
            custom_base_url: None,
            region: None,
            key: None,
            credentials: CredentialsSource::default(),
            fields: Map::new(),
            headers: Vec::new(),
            invalid_field: None,
            http_client: Arc::default(),
            retries: Retries::default(),
            reply_timeout: Duration::from_secs(600),
            idle_timeout: Duration::from_secs(300),
            max_reply_bytes: 64 << 20,
            wait: Wait::default(),
            on_retry: None,
        };
        if api == Api::Anthropic { model.max_tokens(ANTHROPIC_MAX_TOKENS) } else { model }
    }

    /// A model of a server of the Chat Completions API: OpenAI, or another one with its [`base_url`](Model::base_url). Reasoning
    /// that the server sends goes back to it, as DeepSeek and others require.
    pub fn openai(name: impl Into<String>) -> Self {
        Model::new(ChatCompletions::new().keep_reasoning(true), name)
    }

    /// A model of OpenAI's Responses API.
    pub fn responses(name: impl Into<String>) -> Self {
        Model::new(Responses::new(), name)
    }

    /// A model of Anthropic's Messages API.
    pub fn anthropic(name: impl Into<String>) -> Self {
        Model::new(Anthropic::new(), name)
    }

    /// A model of Gemini's `generateContent` API.
    pub fn gemini(name: impl Into<String>) -> Self {
        Model::new(Gemini::new(), name)
    }

    /// A model of Gemini's Interactions API.
    pub fn gemini_interactions(name: impl Into<String>) -> Self {
        Model::new(GeminiInteractions::new(), name)
    }

    /// A model of Bedrock's Converse API, by its id or ARN. It needs a [`region`](Model::region).
    pub fn bedrock(name: impl Into<String>) -> Self {
        Model::new(Bedrock::new(), name)
    }

    /// A model of an Ollama server. Default: on this machine, at port 11434.
    pub fn ollama(name: impl Into<String>) -> Self {
        Model::new(Ollama::new(), name)
    }

    /// Sets the API key. Default: none, since local servers need none; only [`from_env`](Model::from_env) reads variables. No
    /// error, event or `Debug` text contains it.
    pub fn key(mut self, key: impl AsRef<str>) -> Self {
        self.key = Some(Secret::new(key.as_ref()));
        self
    }

    /// Sets the base URL of the server. Default: that of the provider. The base URL of a Chat Completions server and of the
    /// Responses API includes the version: `http://localhost:8080/v1`; that of the other APIs does not.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.custom_base_url = Some(url.into());
        self
    }

    /// Sets the region of Bedrock, for example `eu-central-1`. Other APIs have none.
    pub fn region(mut self, region: impl Into<String>) -> Self {
        self.region = Some(region.into());
        self
    }

    /// Sets the maximum of tokens of a reply, in the field of the API. Default: that of the server; 8,192 for Anthropic. A server
    /// that knows only the old field of Chat Completions needs [`field("max_tokens", ..)`](Model::field).
    pub fn max_tokens(self, tokens: u32) -> Self {
        let (name, value) = self.api.max_tokens(tokens);
        self.field(name, value)
    }

    /// Sets a field of each request, such as `temperature`. It replaces a field of the same name. The fields of objects are merged:
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime_client::Model;
    ///
    /// let model = Model::gemini("gemini-2.5-flash").max_tokens(1_000);
    /// let model = model.field("generationConfig", json!({ "temperature": 0.2 })); // `maxOutputTokens` stays
    /// ```
    ///
    /// A value that cannot be written as JSON is an error of the request. A float that is not finite becomes `null`.
    pub fn field(mut self, name: impl Into<String>, value: impl Serialize) -> Self {
        let name = name.into();
        match serde_json::to_value(value) {
            Ok(value) => {
                self.invalid_field.take_if(|(invalid, _)| *invalid == name);
                merge(&mut self.fields, name, value);
            }
            Err(error) => self.invalid_field = Some((name, error.to_string())),
        }
        self
    }

    /// Sets a header of each request, such as `anthropic-beta`. It replaces a header of the same name, except for that of the key.
    /// Use [`key`](Model::key) for a key: errors may contain the value of another header, if the server repeats it.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the HTTP client, for a proxy, headers or TLS of the program. Default: one that connects within 30 seconds and follows
    /// no redirects. A client that follows redirects may send the key to another server. Its default headers are not secret: use
    /// [`key`](Model::key) for the key. The proxies of the environment variables `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` apply
    /// to both, unless the client of the program disables them.
    ///
    /// ```
    /// use tool_runtime_client::Model;
    /// use tool_runtime_client::reqwest::{Client, Proxy, redirect::Policy};
    ///
    /// let proxy = Proxy::all("http://proxy.example:3128")?;
    /// let client = Client::builder().proxy(proxy).redirect(Policy::none()).build()?;
    /// let model = Model::anthropic("claude-haiku-4-5").http_client(client);
    /// # Ok::<(), tool_runtime_client::reqwest::Error>(())
    /// ```
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.http_client = Arc::new(OnceLock::from(client));
        self
    }

    /// Sets the maximum of attempts of a request. Default: 5; 0 and 1 for no retries.
    ///
    /// A request is repeated after an error of the connection, and after an error of the kind
    /// [`RateLimit`](tool_runtime::wire::ErrorKind::RateLimit) or [`Overloaded`](tool_runtime::wire::ErrorKind::Overloaded). The
    /// header `x-should-retry` of the server overrides this rule. The first delay is 0.5 to 1 second, and doubles with each attempt;
    /// the time that the server asks for (`retry-after`) adds to it.
    /// [`Event::RequestRetried`](tool_runtime::session::Event::RequestRetried) reports each attempt that failed, and so does
    /// [`on_retry`](Model::on_retry) without a session.
    ///
    /// A streamed request is repeated until its first text, reasoning or call, so that no text appears twice and no call runs
    /// twice. A tool that the provider runs may run again.
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.retries.max_attempts = attempts;
        self
    }

    /// Sets a listener for attempts that failed and are repeated: the number of the attempt, from 1, its error, and the delay until
    /// the next one. A run also reports them as [`Event::RequestRetried`](tool_runtime::session::Event::RequestRetried).
    ///
    /// ```
    /// use tool_runtime_client::Model;
    ///
    /// let model = Model::openai("qwen3");
    /// let model = model.on_retry(|attempt, error, delay| eprintln!("attempt {attempt}: {error}; next in {delay:?}"));
    /// ```
    pub fn on_retry(mut self, listener: impl Fn(u32, &ModelError, Duration) + Send + Sync + 'static) -> Self {
        self.on_retry = Some(Arc::new(listener));
        self
    }

    /// Sets the maximum of the sum of the delays between attempts. Default: 2 minutes. If the server asks to wait longer, the
    /// request fails at once.
    pub fn max_retry_delay(mut self, delay: Duration) -> Self {
        self.retries.max_delay = delay;
        self
    }

    /// Sets the time limit of a reply that is not streamed. Default: 10 minutes. The request is not repeated.
    pub fn reply_timeout(mut self, limit: Duration) -> Self {
        self.reply_timeout = limit;
        self
    }

    /// Sets the maximum of the time between two pieces of a stream, and before the first. Default: 5 minutes, since models that
    /// reason send nothing for minutes. The request is not repeated.
    pub fn idle_timeout(mut self, limit: Duration) -> Self {
        self.idle_timeout = limit;
        self
    }

    /// Sets the maximum size of a response, after decompression. Default: 64 MiB.
    pub fn max_reply_bytes(mut self, bytes: usize) -> Self {
        self.max_reply_bytes = bytes;
        self
    }

    /// Sets the function that waits, for tests that must not wait. Default: `tokio::time::sleep`. It receives the delays between
    /// attempts, and the time limits.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_runtime_client::Model;
    ///
    /// let limit = Duration::from_secs(60);
    /// let model = Model::openai("qwen3").reply_timeout(limit).wait_with(move |time| async move {
    ///     if time == limit {
    ///         std::future::pending().await // no request times out
    ///     }
    /// });
    /// ```
    pub fn wait_with<F: Future<Output = ()> + Send + 'static>(
        mut self,
        wait: impl Fn(Duration) -> F + Send + Sync + 'static,
    ) -> Self {
        self.wait = Wait::new(wait);
        self
    }

    /// The wire of the model.
    #[must_use]
    pub fn wire(&self) -> &Arc<dyn Wire> {
        &self.wire
    }

    /// The name of the model.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The base URL; `None` if it needs a region.
    pub(crate) fn effective_base_url(&self) -> Option<String> {
        let regional = || {
            let region = self.region.as_deref()?;
            Some(format!("https://bedrock-runtime.{region}.amazonaws.com"))
        };
        self.custom_base_url
            .as_ref()
            .map(|url| url.trim().to_owned())
            .or_else(|| self.api.default_base_url().map(str::to_owned))
            .or_else(regional)
    }
}

/// Sets a field. The fields of two objects are merged.
fn merge(fields: &mut Map<String, Value>, name: String, value: Value) {
    match (fields.get_mut(&name), value) {
        (Some(Value::Object(old)), Value::Object(new)) => {
            new.into_iter().for_each(|(name, value)| merge(old, name, value));
        }
        (_, value) => drop(fields.insert(name, value)),
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base_url = self.effective_base_url().and_then(|url| Url::parse(&url).ok());
        f.debug_struct("Model")
            .field("wire", &self.wire.name())
            .field("name", &self.name)
            .field("base_url", &base_url.as_ref().map(redacted_url))
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}
