//! The scripted model.

use super::{ScriptedModelError, ScriptedReply, check_request};
use crate::conversation::Request;
use crate::message::{AssistantMessage, Chunk};
use crate::wire::{ChatCompletions, Wire, WireError};
use futures_util::stream::{self, Stream};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// A model that sends the replies of a script, one for each request. Clones share the script.
///
/// It takes the place of a client: [`complete`](ScriptedModel::complete) fits
/// [`Conversation::drive`](crate::Conversation::drive), and [`stream`](ScriptedModel::stream) fits
/// [`Registry::dispatch_stream`](crate::Registry::dispatch_stream). See the [module](crate::testing) for an example.
///
/// Each request is written on the wire of the model and [checked](check_request) first. A request that is rejected takes
/// no reply from the script.
#[derive(Clone, Debug)]
pub struct ScriptedModel {
    wire: Arc<dyn Wire>,
    replies: Arc<[ScriptedReply]>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// The bodies of the requests.
    requests: Vec<Value>,
    /// The number of replies that were sent.
    sent: usize,
}

impl ScriptedModel {
    /// A model with these replies, on the wire [`ChatCompletions`].
    #[must_use]
    pub fn new<R: Into<ScriptedReply>>(replies: impl IntoIterator<Item = R>) -> Self {
        ScriptedModel {
            wire: Arc::new(ChatCompletions::new()),
            replies: replies.into_iter().map(Into::into).collect(),
            state: Arc::default(),
        }
    }

    /// Sets the wire on which requests are written, and response bodies and streams of the script are read.
    #[must_use]
    pub fn wire(mut self, wire: impl Wire + 'static) -> Self {
        self.wire = Arc::new(wire);
        self
    }

    /// Takes the next reply of the script.
    ///
    /// # Errors
    ///
    /// The request breaks a rule, the script has ended, or its next reply is an error.
    pub fn complete(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<AssistantMessage, ScriptedModelError>> + Send + use<> {
        let model = self.clone();
        async move { model.next_reply(&request)?.complete(&*model.wire, &request) }
    }

    /// Takes the next reply of the script, and streams it.
    ///
    /// # Errors
    ///
    /// As for [`complete`](ScriptedModel::complete). An error in the events of a stream is a chunk.
    #[allow(clippy::needless_pass_by_value, reason = "a client takes the request, as in `complete`")]
    pub fn stream(
        &self,
        request: Request,
    ) -> Result<impl Stream<Item = Chunk> + Send + Unpin + use<>, ScriptedModelError> {
        let chunks = self.next_reply(&request)?.chunks(&*self.wire, &request)?;
        Ok(stream::iter(chunks))
    }

    /// The bodies of the requests so far, including those that were rejected.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        self.with_state(|state| state.requests.clone())
    }

    fn next_reply(&self, request: &Request) -> Result<&ScriptedReply, ScriptedModelError> {
        let body = request.on(&self.wire).map_err(|source| ScriptedModelError::NotWritten { source })?;
        let body = serde_json::to_value(&body).map_err(|source| ScriptedModelError::NotWritten {
            source: WireError::NotSerializable { source },
        })?;
        let checked = check_request(&*self.wire, &body);
        self.with_state(|state| {
            state.requests.push(body);
            checked.map_err(ScriptedModelError::Rejected)?;
            let reply = self.replies.get(state.sent);
            state.sent += 1;
            reply.ok_or(ScriptedModelError::ScriptEnded { replies: self.replies.len() })
        })
    }

    fn with_state<T>(&self, access: impl FnOnce(&mut State) -> T) -> T {
        access(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
