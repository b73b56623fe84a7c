//! A reply whose calls run while it still comes.

use super::{Approval, Asked, Started};
use crate::context::BatchContext;
use crate::messages::{AssistantMessage, Ids, ToolCall, ToolMessage};
use crate::outcome::CallError;
use crate::registry::Registry;
use crate::stream::{Chunk, Event, Interrupted, ReplyAssembler, StreamError};
use futures_util::future::{join, join_all};
use futures_util::stream::{FuturesUnordered, Stream, StreamExt as _};
use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

impl Registry {
    /// Reads a streamed reply, runs its calls, and gives the reply with its answers: `answers[i]` is for
    /// `reply.tool_calls[i]`, as in [`dispatch`](Registry::dispatch).
    ///
    /// A call starts as soon as it is complete, while the model still speaks, if its tool is `read_only` or `idempotent`:
    /// should the reply fail and be asked for again, nothing has happened twice. The others start when the reply has ended.
    /// ([`start_all_while_streaming`](crate::RegistryBuilder::start_all_while_streaming) does not wait for that.)
    ///
    /// `chunks` is the stream of a client: of texts, of values, or of `Result`s of these, of which [`Chunk`] tells. Each
    /// call has an id of its own, also where the server gave it none, so that an echo of the reply and the answers can go
    /// into the history; a [`Conversation`](crate::Conversation) takes them by
    /// [`take_answers`](crate::PendingCalls::take_answers).
    ///
    /// The tools share the caller's task, and so does the stream: while a tool computes without an `.await`, nothing is
    /// read, unless it is `blocking`.
    ///
    /// ```
    /// use futures_util::stream;
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// Look up the weather of a city.
    /// #[tool(read_only)]
    /// fn get_weather(city: &str) -> String {
    ///     format!("{city}: sunny")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let data = [
    /// #     r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"get_weather","arguments":""}}]}}]}"#,
    /// #     r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":\"Beijing\"}"}}]}}]}"#,
    /// #     r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
    /// #     "[DONE]",
    /// # ];
    /// let registry = Registry::new(tools![get_weather])?;
    /// let chunks = stream::iter(data); // from a client
    /// let (reply, answers) = registry.dispatch_stream(chunks).await?;
    /// assert_eq!(reply.tool_calls[0].id, "call_1");
    /// assert_eq!(answers[0].content, "Beijing: sunny");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The reply broke off. The error has what came of it, with an answer for each of its calls, and so can go into the
    /// history as well: calls that had started have their results, and any other was not run.
    pub async fn dispatch_stream<S>(
        &self,
        chunks: S,
    ) -> Result<(AssistantMessage, Vec<ToolMessage>), Interrupted<(AssistantMessage, Vec<ToolMessage>)>>
    where
        S: Stream,
        S::Item: Into<Chunk>,
    {
        self.dispatch_stream_with(chunks, &BatchContext::new(), |_| {}).await
    }

    /// As [`dispatch_stream`](Registry::dispatch_stream), with what the program attaches to this batch, and each [`Event`]
    /// as it comes: to show the text, and how far each call is. The token of the batch ends the reply as well.
    ///
    /// # Errors
    ///
    /// The reply broke off, or the batch was cancelled before it ended.
    pub async fn dispatch_stream_with<S>(
        &self,
        chunks: S,
        batch: &BatchContext,
        mut on_event: impl FnMut(Event<'_>),
    ) -> Result<(AssistantMessage, Vec<ToolMessage>), Interrupted<(AssistantMessage, Vec<ToolMessage>)>>
    where
        S: Stream,
        S::Item: Into<Chunk>,
    {
        let mut chunks = pin!(chunks);
        let mut assembler = ReplyAssembler::new();
        let mut ids = Ids::default();
        let mut started = HashMap::new();
        let mut running = FuturesUnordered::new();
        let mut answered = Vec::new();
        while !assembler.has_ended() {
            let next = poll_fn(|context| {
                while let Poll::Ready(Some(answer)) = running.poll_next_unpin(context) {
                    answered.push(answer);
                }
                chunks.as_mut().poll_next(context).map(|chunk| chunk.map(Into::into))
            });
            let chunk = match batch.token() {
                None => next.await,
                Some(token) => match token.run_until_cancelled(next).await {
                    Some(chunk) => chunk,
                    None => Some(Chunk::failed(StreamError::Cancelled)),
                },
            };
            let Some(chunk) = chunk else { break };
            for event in assembler.push(chunk) {
                on_event(event);
                match event {
                    Event::CallComplete { index, call } if self.may_start_while_streaming(&call.name) => {
                        let mut call = call.clone();
                        ids.make_usable(&mut call);
                        started.insert(index, call.id.clone());
                        running.push(async move { (index, self.answered(index, &call, batch).await) });
                    }
                    _ => {}
                }
            }
        }

        let (mut reply, broke_off) = match assembler.finish() {
            Ok(reply) => (reply, None),
            Err(interrupted) => {
                let (reply, cause) = interrupted.into_parts();
                (reply, Some(cause))
            }
        };
        for (index, call) in reply.tool_calls.iter_mut().enumerate() {
            match started.get(&index) {
                Some(id) => String::clone_from(&mut call.id, id),
                None => ids.make_usable(call),
            }
        }
        let rest = reply.tool_calls.iter().enumerate().filter(|(index, _)| !started.contains_key(index));
        let rest = rest.map(|(index, call)| {
            let broke_off = broke_off.as_ref();
            async move {
                match broke_off {
                    None => (index, self.answered(index, call, batch).await),
                    Some(cause) => (index, not_run(call, cause)),
                }
            }
        });
        let (running, rest) = join(running.collect::<Vec<_>>(), join_all(rest)).await;
        answered.extend(running);
        answered.extend(rest);
        answered.sort_by_key(|(index, _)| *index);
        let answers = answered.into_iter().map(|(_, answer)| answer).collect();

        for call in &mut reply.tool_calls {
            // What was understood stands in the history, and not the text that was not quite JSON.
            if let Some(arguments) = self.arguments_in_json(call) {
                call.set_arguments(arguments);
            }
        }
        match broke_off {
            None => Ok((reply, answers)),
            Some(cause) => Err(Interrupted::new((reply, answers), cause)),
        }
    }

    async fn answered(&self, index: usize, call: &ToolCall, batch: &BatchContext) -> ToolMessage {
        let asked = Asked { index, call, approval: Approval::None, progress: None };
        self.answering(asked, batch, Started::now()).await
    }
}

/// The answer to a call that was not run, since its reply broke off.
fn not_run(call: &ToolCall, cause: &StreamError) -> ToolMessage {
    let tool = call.name.clone();
    let error = match cause {
        _ if call.is_cut_off => CallError::CutOff { tool },
        StreamError::Cancelled => CallError::Cancelled { tool },
        _ => CallError::ReplyBrokeOff { tool },
    };
    ToolMessage::failed(&call.id, error)
}
