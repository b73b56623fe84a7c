//! A model: scripted, or on an OpenAI-compatible server.

mod streaming;

use crate::scripted::{self, Scripted};
use serde::Serialize;
use serde_json::Value;
use std::error::Error;
use std::fmt;
use std::time::Duration;
use tool_runtime::AssistantMessage;
use tool_runtime::conversation::Request;

/// The body of a request to Chat Completions.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stream: bool,
    #[serde(flatten)]
    request: &'a Request,
}

/// The time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A source of replies.
pub enum Model {
    /// The built-in script.
    Scripted(Scripted),
    /// A server.
    Server(Server),
}

/// An OpenAI-compatible server.
#[derive(Clone)]
pub struct Server {
    base_url: String,
    api_key: Option<String>,
    model: String,
    agent: ureq::Agent,
}

/// The reason why there is no reply.
#[derive(Debug)]
#[non_exhaustive]
pub enum ModelError {
    /// The connection failed.
    Unreachable {
        /// The address.
        url: String,
        /// The error of the transport.
        source: ureq::Error,
    },
    /// The server rejected the request.
    Rejected {
        /// The HTTP status.
        status: u16,
        /// The error message of the server.
        message: String,
    },
    /// The response is not a reply of Chat Completions.
    NotAReply {
        /// The beginning of the response.
        body: String,
        /// The error of the parser.
        source: serde_json::Error,
    },
}

impl Model {
    /// The server at `OPENAI_BASE_URL` (with `OPENAI_API_KEY` and `OPENAI_MODEL`); without this variable, the script.
    #[must_use]
    pub fn from_env(script: Scripted) -> Self {
        let set = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        match set("OPENAI_BASE_URL") {
            None => Model::Scripted(script),
            Some(base_url) => Model::Server(Server {
                base_url: base_url.trim().trim_end_matches('/').to_owned(),
                api_key: set("OPENAI_API_KEY"),
                model: set("OPENAI_MODEL").unwrap_or_else(|| "gpt-4o-mini".to_owned()),
                agent: ureq::Agent::config_builder()
                    .http_status_as_error(false)
                    .timeout_global(Some(TIMEOUT))
                    .build()
                    .into(),
            }),
        }
    }

    /// Sends the request and waits for the reply. It blocks the thread, which is acceptable in an example that has no
    /// other tasks.
    ///
    /// # Errors
    ///
    /// The server cannot be reached, rejects the request, or does not send a reply.
    #[allow(clippy::unused_async, reason = "a real client awaits the response")]
    pub async fn complete(&self, request: Request) -> Result<AssistantMessage, ModelError> {
        match self {
            Model::Scripted(script) => read_reply(script.reply(&request, false)?),
            Model::Server(server) => server.complete(&request),
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Model::Scripted(_) => f.write_str(scripted::INTRODUCTION),
            Model::Server(server) => write!(f, "{} at {}", server.model, server.base_url),
        }
    }
}

impl Scripted {
    fn reply(&self, request: &Request, stream: bool) -> Result<Value, ModelError> {
        let body = Body { model: "scripted", stream, request };
        let body = serde_json::to_value(body).map_err(|source| not_a_reply("", source))?;
        self.answer(&body)
            .map_err(|rejection| ModelError::Rejected { status: 400, message: rejection.message })
    }
}

impl Server {
    fn complete(&self, request: &Request) -> Result<AssistantMessage, ModelError> {
        let mut response = self.post(request, false)?;
        let body = response.read_to_string().map_err(|source| self.unreachable(source))?;
        let mut reply: Value = serde_json::from_str(&body).map_err(|source| not_a_reply(&body, source))?;
        // The choice has the finish reason of the message.
        match reply.pointer_mut("/choices/0").filter(|choice| choice["message"].is_object()) {
            Some(choice) => read_reply(choice.take()),
            None => Err(not_a_reply(&body, serde::de::Error::custom("there is no choices[0].message"))),
        }
    }

    /// Returns the body of a successful response.
    fn post(&self, request: &Request, stream: bool) -> Result<ureq::Body, ModelError> {
        let mut post = self.agent.post(self.url());
        if let Some(key) = &self.api_key {
            post = post.header("authorization", format!("Bearer {key}"));
        }
        let body = Body { model: &self.model, stream, request };
        let response = post.send_json(body).map_err(|source| self.unreachable(source))?;
        let status = response.status().as_u16();
        let mut body = response.into_body();
        if status >= 400 {
            let body = body.read_to_string().map_err(|source| self.unreachable(source))?;
            return Err(ModelError::Rejected { status, message: error_text(&body) });
        }
        Ok(body)
    }

    fn url(&self) -> String {
        format!("{}/chat/completions", self.base_url)
    }

    fn unreachable(&self, source: ureq::Error) -> ModelError {
        ModelError::Unreachable { url: self.url(), source }
    }
}

fn read_reply(reply: Value) -> Result<AssistantMessage, ModelError> {
    let text = reply.to_string();
    serde_json::from_value(reply).map_err(|source| not_a_reply(&text, source))
}

fn not_a_reply(body: &str, source: serde_json::Error) -> ModelError {
    ModelError::NotAReply { body: body.chars().take(200).collect(), source }
}

/// The message of an error body, or the beginning of the body if it has an unknown format.
fn error_text(body: &str) -> String {
    let json: Value = serde_json::from_str(body).unwrap_or_default();
    match json.pointer("/error/message").or_else(|| json.get("error")).and_then(Value::as_str) {
        Some(message) => message.to_owned(),
        None => body.trim().chars().take(500).collect(),
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::Unreachable { url, source } => {
                write!(
                    f,
                    "cannot reach {url}: {source}; check OPENAI_BASE_URL and that the server is running"
                )
            }
            ModelError::Rejected { status, message } => {
                write!(f, "the server responded with status {status}: {message}")
            }
            ModelError::NotAReply { body, source } => {
                write!(f, "the response of the server is not a chat completion: {source}; it sent: {body}")
            }
        }
    }
}

impl Error for ModelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ModelError::Unreachable { source, .. } => Some(source),
            ModelError::NotAReply { source, .. } => Some(source),
            ModelError::Rejected { .. } => None,
        }
    }
}
