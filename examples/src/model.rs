//! A model: scripted, or on a server, in the format of a wire that is chosen at run time.

mod error;
mod server;

pub use error::ModelError;
pub use server::Server;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use std::env;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tool_runtime::AssistantMessage;
use tool_runtime::conversation::Request;
use tool_runtime::message::Chunk;
use tool_runtime::testing::ScriptedModel;
use tool_runtime::wire::{self, UnknownWireError, Wire};

/// The time between two chunks of the script, like a model with about 30 tokens per second.
const PAUSE: Duration = Duration::from_millis(30);

/// A source of replies.
pub enum Model {
    /// The built-in script.
    Scripted(ScriptedModel, Api),
    /// A server.
    Server(Server),
}

/// The API of a provider.
pub struct Api {
    /// The prefix of the environment variables.
    variables: &'static str,
    path: &'static str,
    default_model: &'static str,
}

const CHAT_COMPLETIONS: Api =
    Api { variables: "OPENAI", path: "/chat/completions", default_model: "gpt-4o-mini" };
const ANTHROPIC: Api =
    Api { variables: "ANTHROPIC", path: "/v1/messages", default_model: "claude-haiku-4-5" };

impl Api {
    fn var(&self, name: &str) -> Option<String> {
        set(&format!("{}_{name}", self.variables))
    }
}

/// The value of an environment variable, unless it is empty.
fn set(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

impl Model {
    /// A model on the wire that `TOOL_WIRE` names: `chat_completions` by default, or `anthropic`.
    ///
    /// It is the server at `OPENAI_BASE_URL` (with `OPENAI_API_KEY` and `OPENAI_MODEL`), or at `ANTHROPIC_BASE_URL` (with
    /// `ANTHROPIC_API_KEY` and `ANTHROPIC_MODEL`); without this variable, it is the script.
    ///
    /// # Errors
    ///
    /// There is no wire of this name.
    pub fn from_env(script: ScriptedModel) -> Result<Self, UnknownWireError> {
        let name = set("TOOL_WIRE").unwrap_or_else(|| "chat_completions".to_owned());
        let wire: Arc<dyn Wire> = wire::by_name(&name)?.into();
        let api = if name == "anthropic" { ANTHROPIC } else { CHAT_COMPLETIONS };
        Ok(match api.var("BASE_URL") {
            None => Model::Scripted(script.wire(wire), api),
            Some(base_url) => Model::Server(Server::new(&base_url, &api, wire)),
        })
    }

    /// Sends the request and waits for the reply.
    ///
    /// # Errors
    ///
    /// The server cannot be reached, rejects the request, or does not send a reply.
    pub async fn complete(&self, request: Request) -> Result<AssistantMessage, ModelError> {
        match self {
            Model::Scripted(script, _) => Ok(script.complete(request).await?),
            Model::Server(server) => server.complete(&request),
        }
    }

    /// Sends the request, and streams the reply.
    ///
    /// # Errors
    ///
    /// The server cannot be reached, or rejects the request.
    pub async fn stream(&self, request: Request) -> Result<BoxStream<'static, Chunk>, ModelError> {
        match self {
            Model::Scripted(script, _) => {
                let paced = script.stream(request)?.then(|chunk| async move {
                    tokio::time::sleep(PAUSE).await;
                    chunk
                });
                Ok(paced.boxed())
            }
            Model::Server(server) => server.clone().stream(request).await,
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Model::Scripted(_, Api { variables, .. }) => write!(
                f,
                "a scripted model, built into this example; set {variables}_BASE_URL (and {variables}_API_KEY, \
                 {variables}_MODEL) for a real one"
            ),
            Model::Server(server) => server.fmt(f),
        }
    }
}
