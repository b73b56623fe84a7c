//! Entries of a script.

use super::ScriptedModelError;
use super::chunks::chunks_of;
use crate::conversation::Request;
use crate::message::{AssistantMessage, Chunk, Origin};
use crate::stream::ReplyAssembler;
use crate::wire::{Wire, WireError};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// One reply of a script.
///
/// - An [`AssistantMessage`], which has the same form on every wire.
/// - A [`Value`]: the body of a response in the format of the model's wire.
/// - The events of a [stream](ScriptedReply::stream) in the format of the model's wire.
/// - A function of the request: [`from_fn`](ScriptedReply::from_fn).
/// - An [error](ScriptedReply::error) of the server.
///
/// Each of them can be completed and streamed. A reply that is not a stream is streamed in pieces of its text and of the
/// arguments of its calls.
#[derive(Clone)]
pub struct ScriptedReply(Content);

#[derive(Clone)]
enum Content {
    Message(Box<AssistantMessage>),
    Body(Value),
    Events(Vec<Value>),
    Function(Arc<Function>),
    Error(String),
}

type Function = dyn Fn(&Request) -> AssistantMessage + Send + Sync;

impl ScriptedReply {
    /// The events of a streamed reply: the JSON after `data:` of each server-sent event, or its text.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::testing::{ScriptedModel, ScriptedReply};
    /// use tool_runtime::{Conversation, Registry, tools};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = ScriptedModel::new([ScriptedReply::stream([
    ///     json!({"choices": [{"delta": {"content": "Go"}}]}),
    ///     json!({"choices": [{"delta": {"content": "od."}, "finish_reason": "stop"}]}),
    ///     json!("[DONE]"),
    /// ])]);
    /// let registry = Registry::new(tools![])?;
    /// let chunks = model.stream(Conversation::new().user("Hello!").request(&registry))?;
    /// let (reply, _) = registry.dispatch_stream(chunks).await?;
    /// assert_eq!(reply.text(), "Good.");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn stream<E: Into<Value>>(events: impl IntoIterator<Item = E>) -> Self {
        ScriptedReply(Content::Events(events.into_iter().map(Into::into).collect()))
    }

    /// A reply that depends on the request, for example on the results of its tools.
    ///
    /// ```
    /// use tool_runtime::testing::{ScriptedModel, ScriptedReply};
    /// use tool_runtime::{AssistantMessage, Conversation, Registry, tools};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = ScriptedModel::new([ScriptedReply::from_fn(|request| {
    ///     AssistantMessage::from_text(format!("Messages: {}", request.messages().len()))
    /// })]);
    /// let registry = Registry::new(tools![])?;
    /// let reply = model.complete(Conversation::new().user("Hello!").request(&registry)).await?;
    /// assert_eq!(reply.text(), "Messages: 1");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn from_fn(reply: impl Fn(&Request) -> AssistantMessage + Send + Sync + 'static) -> Self {
        ScriptedReply(Content::Function(Arc::new(reply)))
    }

    /// An error of the server: the body of its response, or only the message. The model returns
    /// [`ScriptedModelError::Server`].
    #[must_use]
    pub fn error(body: impl Into<String>) -> Self {
        ScriptedReply(Content::Error(body.into()))
    }

    /// The complete reply to a request.
    pub(super) fn complete(
        &self,
        wire: &dyn Wire,
        request: &Request,
    ) -> Result<AssistantMessage, ScriptedModelError> {
        match &self.0 {
            Content::Message(message) => Ok(from_wire(AssistantMessage::clone(message), wire)),
            Content::Function(reply) => Ok(from_wire(reply(request), wire)),
            Content::Body(body) => wire.read_reply(&body.to_string()).map_err(|error| match error {
                WireError::Server { message } => ScriptedModelError::Server { message },
                source => ScriptedModelError::NotAReply { source },
            }),
            Content::Events(events) => {
                let mut reply = ReplyAssembler::new();
                for chunk in read_events(events, wire) {
                    reply.push(chunk);
                }
                reply.finish().map_err(ScriptedModelError::Interrupted)
            }
            Content::Error(body) => {
                let message = wire.read_error(body).unwrap_or_else(|| body.clone());
                Err(ScriptedModelError::Server { message })
            }
        }
    }

    /// The chunks of the reply to a request.
    pub(super) fn chunks(
        &self,
        wire: &dyn Wire,
        request: &Request,
    ) -> Result<Vec<Chunk>, ScriptedModelError> {
        match &self.0 {
            Content::Events(events) => Ok(read_events(events, wire).collect()),
            _ => Ok(chunks_of(&self.complete(wire, request)?, wire.name())),
        }
    }
}

/// A reply of the script as a server of this wire would send it.
fn from_wire(mut reply: AssistantMessage, wire: &dyn Wire) -> AssistantMessage {
    reply.origin.get_or_insert_with(|| Origin::new(wire.name()));
    reply
}

fn read_events(events: &[Value], wire: &dyn Wire) -> impl Iterator<Item = Chunk> {
    events.iter().map(|event| match event {
        Value::String(text) => wire.read_event(text),
        event => wire.read_event(&event.to_string()),
    })
}

impl From<AssistantMessage> for ScriptedReply {
    fn from(message: AssistantMessage) -> Self {
        ScriptedReply(Content::Message(message.into()))
    }
}

impl From<Value> for ScriptedReply {
    fn from(body: Value) -> Self {
        ScriptedReply(Content::Body(body))
    }
}

impl fmt::Debug for ScriptedReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Content::Message(message) => message.fmt(f),
            Content::Body(body) => body.fmt(f),
            Content::Events(events) => f.debug_tuple("Stream").field(events).finish(),
            Content::Function(_) => f.write_str("Function"),
            Content::Error(body) => f.debug_tuple("Error").field(body).finish(),
        }
    }
}
