//! Entries of a script.

use crate::sent_reply::{Content, Delivery, SentReply};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tool_runtime::AssistantMessage;
use tool_runtime::conversation::Request;

/// One reply of a script.
///
/// - An [`AssistantMessage`], which has the same form on every wire.
/// - A [`Value`]: the body of a response in the format of the wire on which the request is written.
/// - The events of a [stream](ScriptedReply::stream) in the same format.
/// - A reply in which the model [declines](ScriptedReply::refusal) to answer.
/// - An [error](ScriptedReply::error) of the server.
/// - A function of the request that returns any of these: [`from_fn`](ScriptedReply::from_fn).
///
/// Each of them can be completed and streamed. A reply that is not a stream is streamed in pieces: a chunk that starts the
/// reply, one for each word of its text, one with the provider's items if there are any, one for the start of each call and
/// one for every six characters of its arguments, and chunks that end the reply.
///
/// A reply arrives at once and completely, unless it has a [delay](ScriptedReply::with_delay), a
/// [delay between its chunks](ScriptedReply::with_chunk_delay), or an [interruption](ScriptedReply::interrupted_after).
#[derive(Clone, Debug)]
#[must_use = "it is an entry of a script"]
pub struct ScriptedReply {
    source: Source,
    delivery: Delivery,
}

#[derive(Clone)]
enum Source {
    Content(Content),
    Function(Arc<Function>),
}

type Function = dyn Fn(&Request) -> ScriptedReply + Send + Sync;

impl ScriptedReply {
    fn new(content: Content) -> Self {
        ScriptedReply { source: Source::Content(content), delivery: Delivery::default() }
    }

    /// The events of a streamed reply: the JSON after `data:` of each server-sent event, or its text.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::{Conversation, Registry, tools};
    /// use tool_runtime_testing::{ScriptedModel, ScriptedReply};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = ScriptedModel::new([ScriptedReply::stream([
    ///     json!({"choices": [{"delta": {"content": "Go"}}]}),
    ///     json!({"choices": [{"delta": {"content": "od."}, "finish_reason": "stop"}]}),
    ///     json!("[DONE]"),
    /// ])]);
    /// let registry = Registry::new(tools![])?;
    /// let chunks = model.stream(Conversation::new().user("Hello!").request(&registry)).await?;
    /// let (reply, _) = registry.dispatch_stream(chunks).await?;
    /// assert_eq!(reply.text(), "Good.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream<E: Into<Value>>(events: impl IntoIterator<Item = E>) -> Self {
        ScriptedReply::new(Content::Events(events.into_iter().map(Into::into).collect()))
    }

    /// A reply that depends on the request, for example on the results of its tools. The model calls the function when it
    /// receives the request, before any delay.
    ///
    /// The function returns an [`AssistantMessage`], or any other `ScriptedReply`, such as an error. Delays and
    /// interruptions of the returned reply take precedence over those of this one.
    ///
    /// ```
    /// use tool_runtime::{AssistantMessage, Conversation, Registry, tools};
    /// use tool_runtime_testing::{ScriptedModel, ScriptedReply};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = ScriptedModel::new([ScriptedReply::from_fn(|request| match request.messages() {
    ///     [_, _, _, ..] => ScriptedReply::error("the conversation is too long"),
    ///     messages => AssistantMessage::from_text(format!("Messages: {}", messages.len())).into(),
    /// })]);
    /// let registry = Registry::new(tools![])?;
    /// let reply = model.complete(Conversation::new().user("Hello!").request(&registry)).await?;
    /// assert_eq!(reply.text(), "Messages: 1");
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_fn<R: Into<ScriptedReply>>(reply: impl Fn(&Request) -> R + Send + Sync + 'static) -> Self {
        let function = Arc::new(move |request: &Request| reply(request).into());
        ScriptedReply { source: Source::Function(function), delivery: Delivery::default() }
    }

    /// An error of the server: the body of its response, or only the message. The model returns
    /// [`ScriptedModelError::Server`](crate::ScriptedModelError::Server).
    pub fn error(body: impl Into<String>) -> Self {
        ScriptedReply::new(Content::Error(body.into()))
    }

    /// A reply in which the model declines to answer: [`AssistantMessage::refusal`] is this text, and the finish reason is
    /// that of the wire's provider, which is `refusal` for Anthropic and `stop` for Chat Completions.
    ///
    /// ```
    /// use tool_runtime::{Conversation, Registry, tools};
    /// use tool_runtime_testing::{ScriptedModel, ScriptedReply};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = ScriptedModel::new([ScriptedReply::refusal("I cannot help with that.")]);
    /// let registry = Registry::new(tools![])?;
    /// let reply = model.complete(Conversation::new().user("Hello!").request(&registry)).await?;
    /// assert_eq!(reply.refusal(), Some("I cannot help with that."));
    /// # Ok(())
    /// # }
    /// ```
    pub fn refusal(text: impl Into<String>) -> Self {
        ScriptedReply::new(Content::Refusal(text.into()))
    }

    /// Sets the time that passes before the reply, or its first chunk, arrives. An [error](ScriptedReply::error) also
    /// arrives after this time. Default: none.
    ///
    /// The clock is Tokio's, so a test can [pause](https://docs.rs/tokio/latest/tokio/time/fn.pause.html) it. A request
    /// that is dropped while it waits has taken its reply from the script.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tokio::time::timeout;
    /// use tool_runtime::{AssistantMessage, Conversation, Registry, tools};
    /// use tool_runtime_testing::{ScriptedModel, ScriptedReply};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let slow = ScriptedReply::from(AssistantMessage::from_text("Good morning."));
    /// let model = ScriptedModel::new([slow.with_delay(Duration::from_secs(3600))]);
    /// let request = Conversation::new().user("Hello!").request(&Registry::new(tools![])?);
    /// assert!(timeout(Duration::from_millis(1), model.complete(request)).await.is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// The futures of the model panic outside of a Tokio runtime with timers.
    pub fn with_delay(mut self, delay: Duration) -> Self {
        self.delivery.delay = Some(delay);
        self
    }

    /// Sets the time between two chunks when the reply is streamed. Default: none, so that all chunks are ready at once.
    ///
    /// [`with_delay`](ScriptedReply::with_delay) is the time before the first chunk. A reply that is not streamed does not
    /// wait for its chunks.
    ///
    /// # Panics
    ///
    /// The stream panics outside of a Tokio runtime with timers.
    pub fn with_chunk_delay(mut self, delay: Duration) -> Self {
        self.delivery.chunk_delay = Some(delay);
        self
    }

    /// Interrupts the reply: the connection fails after this number of chunks. Default: the reply is complete.
    ///
    /// The chunk after them is a [transport error](tool_runtime::stream::StreamError::Transport) whose source is a
    /// [`std::io::Error`] of the kind `ConnectionReset`. [`ScriptedModel::complete`](crate::ScriptedModel::complete)
    /// returns [`Interrupted`](crate::ScriptedModelError::Interrupted), which has the partial reply. A reply that is
    /// complete after this number of chunks is not interrupted.
    ///
    /// ```
    /// use tool_runtime::{AssistantMessage, Conversation, Registry, tools};
    /// use tool_runtime_testing::{ScriptedModel, ScriptedReply};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// // The chunks: the start of the reply, and two words.
    /// let reply = ScriptedReply::from(AssistantMessage::from_text("It is sunny.")).interrupted_after(3);
    /// let model = ScriptedModel::new([reply]);
    /// let registry = Registry::new(tools![])?;
    /// let chunks = model.stream(Conversation::new().user("Beijing?").request(&registry)).await?;
    /// let interrupted = registry.dispatch_stream(chunks).await.expect_err("the connection fails");
    /// assert_eq!(interrupted.partial.0.text(), "It is ");
    /// # Ok(())
    /// # }
    /// ```
    pub fn interrupted_after(mut self, chunks: usize) -> Self {
        self.delivery.interrupted_after = Some(chunks);
        self
    }

    /// The reply to this request.
    pub(crate) fn to(&self, request: &Request) -> SentReply {
        let mut delivery = self.delivery;
        let mut source = self.source.clone();
        loop {
            match source {
                Source::Content(content) => return SentReply { content, delivery },
                Source::Function(function) => {
                    let returned = function(request);
                    delivery = returned.delivery.or(delivery);
                    source = returned.source;
                }
            }
        }
    }
}

impl From<AssistantMessage> for ScriptedReply {
    fn from(message: AssistantMessage) -> Self {
        ScriptedReply::new(Content::Message(message.into()))
    }
}

impl From<Value> for ScriptedReply {
    fn from(body: Value) -> Self {
        ScriptedReply::new(Content::Body(body))
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Content(content) => content.fmt(f),
            Source::Function(_) => f.write_str("Function"),
        }
    }
}
