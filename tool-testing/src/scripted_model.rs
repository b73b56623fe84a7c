//! The scripted model.

use crate::sent_reply::{Delivery, SentReply};
use crate::{ScriptedModelError, ScriptedReply, check_request};
use futures_util::stream::{self, Stream, StreamExt as _};
use serde_json::Value;
use std::iter;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tool_runtime::__testing;
use tool_runtime::conversation::Request;
use tool_runtime::message::{AssistantMessage, Chunk};
use tool_runtime::wire::Wire;

/// A model that sends the replies of a script, one for each request. Clones share the script.
///
/// It replaces a client: [`complete`](ScriptedModel::complete) and [`stream`](ScriptedModel::stream) fit the
/// methods of [`Run`](tool_runtime::session::Run) with the same names, and the chunks of `stream` also fit
/// [`Registry::dispatch_stream`](tool_runtime::Registry::dispatch_stream). See the [crate](crate) for an example.
///
/// Each request is written on the [wire of the model](ScriptedModel::wire) if one is set, otherwise on
/// [its own](Request::wire), and [checked](check_request) first. A request that is rejected takes no reply from the script.
#[derive(Clone, Debug)]
#[must_use = "it replies to requests"]
pub struct ScriptedModel {
    wire: Option<Arc<dyn Wire>>,
    replies: Arc<[ScriptedReply]>,
    /// Whether the first reply answers each request, and requests are not recorded.
    repeats: bool,
    state: Arc<Mutex<State>>,
}

/// A request, and the name of its wire.
#[derive(Clone, Debug)]
pub(crate) struct WrittenRequest {
    pub(crate) wire: &'static str,
    pub(crate) body: Value,
}

#[derive(Debug, Default)]
struct State {
    requests: Vec<WrittenRequest>,
    /// The number of replies that were sent.
    sent: usize,
}

impl ScriptedModel {
    /// A model with these replies.
    pub fn new<R: Into<ScriptedReply>>(replies: impl IntoIterator<Item = R>) -> Self {
        ScriptedModel {
            wire: None,
            replies: replies.into_iter().map(Into::into).collect(),
            repeats: false,
            state: Arc::default(),
        }
    }

    /// A model that sends this reply to each request, for example in a demonstration server. It does not record the requests,
    /// since the list would grow without a limit.
    ///
    /// ```
    /// use tool_runtime::{AssistantMessage, Conversation, Registry, tools};
    /// use tool_runtime_testing::{ScriptedModel, ScriptedReply};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = ScriptedModel::repeat(ScriptedReply::from_fn(|request| {
    ///     let text = request.messages().last().map(|message| message.text()).unwrap_or_default();
    ///     AssistantMessage::from_text(format!("You wrote: {text}"))
    /// }));
    /// let registry = Registry::new(tools![])?;
    /// for text in ["Hello!", "Goodbye!"] {
    ///     let reply = model.complete(Conversation::new().user(text).request(&registry)).await?;
    ///     assert_eq!(reply.text(), format!("You wrote: {text}"));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn repeat(reply: impl Into<ScriptedReply>) -> Self {
        ScriptedModel { repeats: true, ..ScriptedModel::new([reply]) }
    }

    /// Sets the wire on which all requests are written, and response bodies and streams of the script are read. Default: for
    /// each request, [its own](Request::wire).
    ///
    /// ```
    /// use tool_runtime::wire::ChatCompletions;
    /// use tool_runtime::{AssistantMessage, Conversation, Registry, tool, tools};
    /// use tool_runtime_testing::ScriptedModel;
    ///
    /// /// The time of day.
    /// #[tool]
    /// fn now() {}
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = ScriptedModel::new([AssistantMessage::from_text("Hello.")]);
    /// let request = Conversation::new().user("Hello!").request(&Registry::new(tools![now])?);
    /// model.complete(request.wire(ChatCompletions::new().strict(true))).await?;
    /// assert_eq!(model.requests()[0]["tools"][0]["function"]["strict"], true);
    /// # Ok(())
    /// # }
    /// ```
    pub fn wire(mut self, wire: impl Wire + 'static) -> Self {
        self.wire = Some(Arc::new(wire));
        self
    }

    /// Takes the next reply of the script when the future is polled first.
    ///
    /// # Errors
    ///
    /// The request breaks a rule, the script has ended, or its next reply is an error or is interrupted.
    pub fn complete(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<AssistantMessage, ScriptedModelError>> + Send + use<> {
        let model = self.clone();
        async move {
            let (reply, wire) = model.next_reply(&request)?;
            wait(reply.delivery.delay).await;
            reply.complete(&*wire)
        }
    }

    /// Takes the next reply of the script when the future is polled first, and streams it. The wire of the request has read the
    /// chunks already.
    ///
    /// ```
    /// use tool_runtime::{AssistantMessage, Conversation, Registry, tools};
    /// use tool_runtime_testing::ScriptedModel;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = ScriptedModel::new([AssistantMessage::from_text("It is sunny.")]);
    /// let registry = Registry::new(tools![])?;
    /// let chunks = model.stream(Conversation::new().user("Beijing?").request(&registry)).await?;
    /// let (reply, _) = registry.dispatch_stream(chunks).await?;
    /// assert_eq!(reply.text(), "It is sunny.");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The request breaks a rule, the script has ended, or its next reply is an error. An error in the events of a stream and
    /// an interruption are chunks.
    pub fn stream(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<impl Stream<Item = Chunk> + Send + Unpin + use<>, ScriptedModelError>>
    + Send
    + use<> {
        let model = self.clone();
        async move {
            let (reply, wire) = model.next_reply(&request)?;
            let Delivery { delay, chunk_delay, .. } = reply.delivery;
            wait(delay).await;
            Ok(paced(reply.chunks(&*wire)?, chunk_delay))
        }
    }

    /// The bodies of the requests so far, including those that were rejected. Empty for a model that
    /// [repeats](ScriptedModel::repeat) its reply.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        self.written().into_iter().map(|request| request.body).collect()
    }

    pub(crate) fn written(&self) -> Vec<WrittenRequest> {
        self.with_state(|state| state.requests.clone())
    }

    /// The reply to this request, and the wire of both.
    fn next_reply(&self, request: &Request) -> Result<(SentReply, Arc<dyn Wire>), ScriptedModelError> {
        let (body, wire) = __testing::write(request, self.wire.as_ref())
            .map_err(|source| ScriptedModelError::NotWritten { source })?;
        let checked = check_request(&*wire, &body);
        let reply = self.with_state(|state| {
            if !self.repeats {
                state.requests.push(WrittenRequest { wire: wire.name(), body });
            }
            checked.map_err(ScriptedModelError::Rejected)?;
            let reply = self.replies.get(if self.repeats { 0 } else { state.sent });
            state.sent += 1;
            reply.ok_or(ScriptedModelError::ScriptEnded { replies: self.replies.len() })
        })?;
        Ok((reply.to(request), wire))
    }

    fn with_state<T>(&self, access: impl FnOnce(&mut State) -> T) -> T {
        access(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The chunks, with this time between two of them.
fn paced(chunks: Vec<Chunk>, delay: Option<Duration>) -> impl Stream<Item = Chunk> + Send + Unpin + use<> {
    let delays = iter::once(None).chain(iter::repeat(delay));
    let chunks = stream::iter(delays.zip(chunks)).then(|(delay, chunk)| async move {
        wait(delay).await;
        chunk
    });
    chunks.boxed()
}

async fn wait(delay: Option<Duration>) {
    // Without a delay, no runtime is necessary.
    if let Some(delay) = delay {
        tokio::time::sleep(delay).await;
    }
}
