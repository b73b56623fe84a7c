//! A model: scripted, or on a server, in the format of a wire that is chosen at run time.

mod api;
mod error;
mod server;

pub use api::Api;
pub use error::ModelError;
pub use server::Server;

use api::env_var;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use std::fmt;
use tool_runtime::AssistantMessage;
use tool_runtime::conversation::Request;
use tool_runtime::message::Chunk;
use tool_runtime::wire::{self, UnknownWireError};
use tool_runtime_testing::ScriptedModel;

/// A source of replies.
pub enum Model {
    /// The built-in script.
    Scripted(ScriptedModel, Api),
    /// A server.
    Server(Server),
}

impl Model {
    /// A model on the wire that `TOOL_WIRE` names: `chat_completions` by default, `anthropic`, `responses`, `gemini`,
    /// `gemini_interactions`, `bedrock` or `ollama`.
    ///
    /// It is the server at `OPENAI_BASE_URL` (with `OPENAI_API_KEY` and `OPENAI_MODEL`), or at `ANTHROPIC_BASE_URL`,
    /// `GEMINI_BASE_URL`, `BEDROCK_BASE_URL` or `OLLAMA_BASE_URL` with the same variables of this provider; without this variable,
    /// it is the script. The client does not read the streams of Bedrock, whose frames are binary.
    ///
    /// # Errors
    ///
    /// There is no wire of this name.
    pub fn from_env(script: ScriptedModel) -> Result<Self, UnknownWireError> {
        let name = env_var("TOOL_WIRE").unwrap_or_else(|| "chat_completions".to_owned());
        let wire = wire::by_name(&name)?;
        let api = Api::for_wire(&name);
        Ok(match api.base_url() {
            None => Model::Scripted(script.wire(wire), api),
            Some(base_url) => Model::Server(Server::new(&base_url, api, wire)),
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
            Model::Server(server) => server.clone().complete(request).await,
        }
    }

    /// Sends the request, and streams the reply.
    ///
    /// # Errors
    ///
    /// The server cannot be reached, or rejects the request, or its streams are binary.
    pub async fn stream(&self, request: Request) -> Result<BoxStream<'static, Chunk>, ModelError> {
        match self {
            Model::Scripted(script, _) => Ok(script.stream(request).await?.boxed()),
            Model::Server(server) => server.clone().stream(request).await,
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Model::Scripted(_, Api { wire, variables, .. }) => write!(
                f,
                "a scripted model on the wire {wire}, built into this example; set {variables}_BASE_URL (and {variables}_API_KEY, \
                 {variables}_MODEL) for a real one"
            ),
            Model::Server(server) => server.fmt(f),
        }
    }
}
