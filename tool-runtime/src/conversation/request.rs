//! Requests to a server.

use super::Conversation;
use crate::message::Message;
use crate::outcome::UnknownToolError;
use crate::registry::Registry;
use crate::schema::ToolSchema;
use crate::tool_choice::ToolChoice;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// The parts of a request that come from a conversation and a registry: `messages`, `tools` and `tool_choice`. Fields
/// that servers reject are left out: empty `tools`, and `tool_choice` without tools.
///
/// Serializes as a map with these fields; add it to the fields of the program with `#[serde(flatten)]`. It owns its
/// data, and a clone copies no message.
///
/// ```
/// use serde::Serialize;
/// use tool_runtime::conversation::Request;
/// use tool_runtime::{Conversation, Registry, tool, tools};
///
/// #[derive(Serialize)]
/// struct Body<'a> {
///     model: &'a str,
///     temperature: f32,
///     #[serde(flatten)]
///     request: Request,
/// }
///
/// /// The time of day.
/// #[tool]
/// fn now() {}
///
/// let registry = Registry::new(tools![now])?;
/// let chat = Conversation::new().user("What time is it?");
/// let request = chat.request(&registry).tool_choice(registry.tool_choice("now")?)?;
/// let body = serde_json::to_value(Body { model: "a-model", temperature: 0.0, request })?;
/// assert_eq!(body["messages"][0]["role"], "user");
/// assert_eq!(body["tools"][0]["function"]["name"], "now");
/// assert_eq!(body["tool_choice"]["function"]["name"], "now");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    messages: Arc<Vec<Message>>,
    registry: Registry,
    tool_choice: ToolChoice,
}

/// The reason why a server would reject a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// The tool that the model must call is not in the request.
    UnknownTool(UnknownToolError),
    /// The model must call a tool, but the request has no tools.
    NoTools,
}

impl Conversation {
    /// Creates a request for the next reply, with all tools of the registry; see [`subset`](Registry::subset) for
    /// fewer.
    #[must_use]
    pub fn request(&self, registry: &Registry) -> Request {
        Request {
            messages: Arc::clone(&self.messages),
            registry: registry.clone(),
            tool_choice: ToolChoice::Auto,
        }
    }
}

impl Request {
    /// Sets whether the model may, must or must not call a tool; [`ToolChoice::Auto`] by default. The server applies
    /// the choice: if the model calls a tool in spite of it, the call runs.
    ///
    /// # Errors
    ///
    /// The tool is not in the request, or the choice needs a tool and the request has none. A server would reject such
    /// a request.
    pub fn tool_choice(mut self, choice: ToolChoice) -> Result<Self, RequestError> {
        self.tool_choice = match choice {
            ToolChoice::Tool(name) => self.registry.tool_choice(&name).map_err(RequestError::UnknownTool)?,
            ToolChoice::Required if self.registry.is_empty() => return Err(RequestError::NoTools),
            choice => choice,
        };
        Ok(self)
    }

    /// The messages.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The tools.
    #[must_use]
    pub fn tools(&self) -> &[ToolSchema] {
        self.registry.schemas()
    }
}

impl Serialize for Request {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("messages", &*self.messages)?;
        if !self.tools().is_empty() {
            map.serialize_entry("tools", self.tools())?;
            if self.tool_choice != ToolChoice::Auto {
                map.serialize_entry("tool_choice", &self.tool_choice)?;
            }
        }
        map.end()
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::UnknownTool(unknown) => {
                write!(f, "the tool of the tool choice is not in the request: {unknown}")
            }
            RequestError::NoTools => f.write_str(
                "the tool choice requires a tool, but the request has none: add a tool, or let the model choose",
            ),
        }
    }
}

// The display text includes the text of `UnknownToolError`, so there is no source.
impl Error for RequestError {}
