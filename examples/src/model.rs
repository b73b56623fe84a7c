//! A model to talk to: scripted, or behind an OpenAI-compatible server.

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

/// How long a reply may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where replies come from.
pub enum Model {
    /// A script, built in.
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

/// Why there is no reply.
#[derive(Debug)]
#[non_exhaustive]
pub enum ModelError {
    /// No connection, or it broke.
    Unreachable {
        /// The address.
        url: String,
        /// What the transport says.
        source: ureq::Error,
    },
    /// The request was refused.
    Refused {
        /// The HTTP status.
        status: u16,
        /// What the server says.
        message: String,
    },
    /// The reply is not one of Chat Completions.
    NotAReply {
        /// The beginning of what came.
        body: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl Model {
    /// The server that `OPENAI_BASE_URL` names (with `OPENAI_API_KEY` and `OPENAI_MODEL`), or the script.
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
                    .timeout_global(Some(PATIENCE))
                    .build()
                    .into(),
            }),
        }
    }

    /// Sends the request and waits for the reply. It blocks, which is fine in an example: the program has
    /// nothing else to do meanwhile.
    ///
    /// # Errors
    ///
    /// The server is not there, refuses the request, or sends something else than a reply.
    #[allow(clippy::unused_async, reason = "a real client would wait here")]
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
        self.answer(&body).map_err(|refusal| ModelError::Refused { status: 400, message: refusal.message })
    }
}

impl Server {
    fn complete(&self, request: &Request) -> Result<AssistantMessage, ModelError> {
        let mut response = self.post(request, false)?;
        let body = response.read_to_string().map_err(|source| self.unreachable(source))?;
        let mut reply: Value = serde_json::from_str(&body).map_err(|source| not_a_reply(&body, source))?;
        // The choice says why the reply ended, beside the message.
        match reply.pointer_mut("/choices/0").filter(|choice| choice["message"].is_object()) {
            Some(choice) => read_reply(choice.take()),
            None => Err(not_a_reply(&body, serde::de::Error::custom("there is no choices[0].message in it"))),
        }
    }

    /// The body of the response, if the request is not refused.
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
            return Err(ModelError::Refused { status, message: error_text(&body) });
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

/// The message of an error body, or the body where it is not of the usual shape.
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
            ModelError::Refused { status, message } => write!(f, "the server answered {status}: {message}"),
            ModelError::NotAReply { body, source } => {
                write!(f, "the server did not answer with a chat completion: {source}; it sent: {body}")
            }
        }
    }
}

impl Error for ModelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ModelError::Unreachable { source, .. } => Some(source),
            ModelError::NotAReply { source, .. } => Some(source),
            ModelError::Refused { .. } => None,
        }
    }
}
