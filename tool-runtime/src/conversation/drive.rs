//! The loop of requests, replies and tool calls.

use super::pending::PendingCalls;
use super::{Conversation, Received, Request};
use crate::context::BatchContext;
use crate::message::{AssistantMessage, Completeness, ToolMessage};
use crate::outcome::CallError;
use crate::registry::Registry;
use std::future::Future;
use std::mem;
use tokio_util::sync::CancellationToken;

/// The default limit of replies.
const DEFAULT_MAX_REPLIES: usize = 30;

/// How [`drive`](Conversation::drive) ended. The conversation can be sent in each case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "the model may not have answered"]
pub enum Ending {
    /// The model answered: [`Conversation::final_text`].
    Answered,
    /// The model sent as many replies as the limit allows, and did not answer. Another `drive` continues, with the full
    /// limit.
    LimitReached,
    /// The cancellation token of the batch was cancelled.
    Cancelled,
}

impl Conversation {
    /// Sends requests and runs the called tools, until the model answers or has sent `max_replies` replies. `None` means
    /// 30 replies.
    ///
    /// `complete` sends a [`Request`] with the client of the program, and returns the reply. The conversation can
    /// always be sent afterwards: after an error of the client, and also if the future is dropped while tools run. In
    /// that case, finished calls keep their results, and the others get `Error: cancelled before it finished`, although
    /// they may have taken effect.
    ///
    /// Cancelling the token of the batch that is bound to the registry ([`with`](Registry::with)) ends the loop at once,
    /// without waiting for the reply of the model.
    ///
    /// The hook of [`before_call`](crate::RegistryBuilder::before_call) decides about calls that need approval; without
    /// a decision, such a call fails. If a person decides and may take longer, use [`receive`](Conversation::receive) and
    /// [`PendingCalls`] instead. To act between replies, for example to trim a long conversation, set the limit to one
    /// reply. `complete` can set the [tool choice](Request::with_tool_choice) of each request.
    ///
    /// ```
    /// use tool_runtime::conversation::{Ending, Request};
    /// use tool_runtime::{AssistantMessage, Conversation, Registry, tool, tools};
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// fn add(a: i64, b: i64) -> i64 {
    ///     a + b
    /// }
    ///
    /// struct Client;
    ///
    /// async fn send(_: &Client, request: Request) -> Result<AssistantMessage, serde_json::Error> {
    ///     // A real client sends the request with a `model`.
    ///     serde_json::from_str(match request.messages().last().map(|message| message.text()) {
    ///         Some("3") => r#"{"content":"It is 3."}"#,
    ///         _ => r#"{"tool_calls":[{"id":"call_1","function":{"name":"add","arguments":"{\"a\":1,\"b\":2}"}}]}"#,
    ///     })
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new(tools![add])?;
    /// let client = Client;
    /// let mut chat = Conversation::new().user("What is 1 + 2?");
    /// let mut requests = 0;
    /// let ending = chat
    ///     .drive(&registry, 10, |request| {
    ///         requests += 1; // state that changes with each request stays outside of the future
    ///         send(&client, request)
    ///     })
    ///     .await?;
    /// assert_eq!((ending, requests, chat.final_text()), (Ending::Answered, 2, "It is 3."));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the error of `complete`.
    pub async fn drive<C, R, E>(
        &mut self,
        registry: &Registry,
        max_replies: impl Into<Option<usize>>,
        mut complete: C,
    ) -> Result<Ending, E>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<AssistantMessage, E>>,
    {
        let token = registry.batch().and_then(BatchContext::token);
        let is_cancelled = || token.is_some_and(CancellationToken::is_cancelled);
        for _ in 0..max_replies.into().unwrap_or(DEFAULT_MAX_REPLIES) {
            if is_cancelled() {
                return Ok(Ending::Cancelled);
            }
            let completing = complete(self.request(registry));
            let reply = match token {
                None => completing.await?,
                Some(token) => match token.run_until_cancelled(completing).await {
                    Some(reply) => reply?,
                    None => return Ok(Ending::Cancelled),
                },
            };
            let is_paused = reply.completeness() == Completeness::Paused;
            match mem::take(self).receive(reply) {
                Received::Answer(done) => {
                    *self = done;
                    if !is_paused {
                        return Ok(Ending::Answered);
                    }
                }
                Received::ToolCalls(pending) => {
                    let mut running = Running { pending: Some(pending), conversation: self };
                    if let Some(pending) = &mut running.pending {
                        pending.run(registry).await;
                    }
                }
            }
        }
        Ok(if is_cancelled() { Ending::Cancelled } else { Ending::LimitReached })
    }
}

/// Running calls. Dropping it puts the results into the conversation, and an error for each call without a result.
struct Running<'a> {
    pending: Option<PendingCalls>,
    conversation: &'a mut Conversation,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(pending) = self.pending.take() {
            *self.conversation = pending.close(|call| {
                ToolMessage::failed(&call.id, &call.name, CallError::Cancelled { tool: call.name.clone() })
            });
        }
    }
}
