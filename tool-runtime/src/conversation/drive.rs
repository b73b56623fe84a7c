//! The loop that most programs need.

use super::pending::PendingCalls;
use super::{Conversation, Request, Turn};
use crate::context::BatchContext;
use crate::message::{AssistantMessage, ToolMessage};
use crate::outcome::CallError;
use crate::registry::Registry;
use std::future::Future;
use std::mem;
use tokio_util::sync::CancellationToken;

/// How many replies are asked for where the program does not say: 30.
const MAX_TURNS: usize = 30;

/// How a [`drive`](Conversation::drive) ended. The conversation can be sent, whichever it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "the model may not have answered"]
pub enum Ending {
    /// The model has answered: [`Conversation::final_text`].
    Answered,
    /// The model has had all its turns, and has not answered. To drive on gives it as many again.
    LimitReached,
    /// The token of the batch was cancelled.
    Cancelled,
}

impl Conversation {
    /// Asks the model and runs the tools that it calls, until it answers, for at most so many replies (`None`: 30).
    ///
    /// `complete` sends a [`Request`] in the way of the program's own client, and gives what came back. Whatever
    /// happens, the conversation is one that can be sent: after an error of the client, and also if the future is
    /// dropped while tools run. Then those that are finished keep their answers, and the others are answered with
    /// `Error: cancelled before it finished`, though what they did may have taken effect.
    ///
    /// A call that needs approval is for the hook of [`before_call`](crate::RegistryBuilder::before_call) to decide, or
    /// answered with an error; a program that asks a person who may take longer goes by [`reply`](Conversation::reply)
    /// and [`PendingCalls`]. To do something between replies, such as to make a long conversation shorter, drive for one
    /// turn at a time. Each request can have its [`tool_choice`](Request::tool_choice), inside `complete`.
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
    ///     // Here it would be sent, with a `model` beside.
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
    ///         requests += 1; // what changes with each request stands outside of what is awaited
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
    /// That of `complete`.
    pub async fn drive<C, R, E>(
        &mut self,
        registry: &Registry,
        max_turns: impl Into<Option<usize>>,
        complete: C,
    ) -> Result<Ending, E>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<AssistantMessage, E>>,
    {
        self.drive_with(registry, &BatchContext::new(), max_turns, complete).await
    }

    /// As [`drive`](Conversation::drive), with what the program attaches to each batch. Its token ends the drive at
    /// once, without waiting for the model's reply.
    ///
    /// # Errors
    ///
    /// That of `complete`.
    pub async fn drive_with<C, R, E>(
        &mut self,
        registry: &Registry,
        batch: &BatchContext,
        max_turns: impl Into<Option<usize>>,
        mut complete: C,
    ) -> Result<Ending, E>
    where
        C: FnMut(Request) -> R,
        R: Future<Output = Result<AssistantMessage, E>>,
    {
        let is_cancelled = || batch.token().is_some_and(CancellationToken::is_cancelled);
        for _ in 0..max_turns.into().unwrap_or(MAX_TURNS) {
            if is_cancelled() {
                return Ok(Ending::Cancelled);
            }
            let completing = complete(self.request(registry));
            let reply = match batch.token() {
                None => completing.await?,
                Some(token) => match token.run_until_cancelled(completing).await {
                    Some(reply) => reply?,
                    None => return Ok(Ending::Cancelled),
                },
            };
            match mem::take(self).reply(reply) {
                Turn::Answer(done) => {
                    *self = done;
                    return Ok(Ending::Answered);
                }
                Turn::Calls(pending) => {
                    let mut running = Running { pending: Some(pending), conversation: self };
                    if let Some(pending) = &mut running.pending {
                        pending.run_with(registry, batch).await;
                    }
                }
            }
        }
        Ok(if is_cancelled() { Ending::Cancelled } else { Ending::LimitReached })
    }
}

/// Calls that run: when it is dropped, the conversation has the answers that are there, and an error for each that is
/// not.
struct Running<'a> {
    pending: Option<PendingCalls>,
    conversation: &'a mut Conversation,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(pending) = self.pending.take() {
            *self.conversation = pending.close(|call| {
                ToolMessage::failed(&call.id, CallError::Cancelled { tool: call.name.clone() })
            });
        }
    }
}
