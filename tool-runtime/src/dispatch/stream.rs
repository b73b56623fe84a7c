//! A reply whose calls run while it still comes.

use super::{CallTerms, Dispatch};
use crate::context::BatchContext;
use crate::message::{AssistantMessage, TakenIds, ToolCall, ToolMessage};
use crate::outcome::CallError;
use crate::registry::Registry;
use crate::stream::{Chunk, Event, InterruptedError, ReplyAssembler, StreamError};
use futures_util::future::{join, join_all};
use futures_util::stream::{FuturesUnordered, Stream, StreamExt as _};
use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// How many chunks are read before others have their turn.
const MOST_CHUNKS_IN_A_ROW: usize = 64;

impl Registry {
    /// Reads a streamed reply, runs its calls, and gives the reply with its answers: `answers[i]` is for
    /// `reply.tool_calls[i]`, as in [`dispatch`](Registry::dispatch).
    ///
    /// A call starts as soon as it is complete, while the model still speaks, if its tool is `read_only` or
    /// `idempotent`: should the reply fail and be asked for again, nothing has happened twice. The others start when
    /// the stream has ended, with `[DONE]` or by itself.
    /// ([`start_all_while_streaming`](crate::RegistryBuilder::start_all_while_streaming) does not wait for that.) A
    /// stream that just ends, without `[DONE]` and without a `finish_reason`, counts as one that has ended: calls that
    /// are whole run, and one that was cut off does not.
    ///
    /// `chunks` is the stream of a client that was asked with `"stream": true`: of texts, of values, or of `Result`s of
    /// these; [`Chunk`] tells of which, and how. It is dropped before the tools start that waited for its end. One that
    /// neither ends nor says `[DONE]` is waited for: its client should have a time-out. Each call has an id of its own,
    /// also where the server gave it none, so that an echo of the reply and the answers can go into the history.
    ///
    /// The tools share the caller's task, and so does the stream: while a tool computes without an `.await`, nothing is
    /// read, unless it is `blocking`. Dropping the future drops both, with the answers that are there; the token of
    /// [`dispatch_stream_with`](Registry::dispatch_stream_with) ends it without loss.
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
    /// The reply broke off, and the calls that had started have come to their end. The error has what came of the
    /// reply, with an answer for each of its calls; any that had not started was not run. Where there are calls, the
    /// two can go into the history, and the model goes on from there; where there are none, nothing has happened, and
    /// the same can be asked again.
    pub async fn dispatch_stream<S>(
        &self,
        chunks: S,
    ) -> Result<(AssistantMessage, Vec<ToolMessage>), InterruptedError<(AssistantMessage, Vec<ToolMessage>)>>
    where
        S: Stream,
        S::Item: Into<Chunk>,
    {
        self.dispatch_stream_with(chunks, &BatchContext::new(), |_| {}).await
    }

    /// As [`dispatch_stream`](Registry::dispatch_stream), with what the program attaches to this batch, and each
    /// [`Event`] as it comes: to show the text, and how far each call is. `on_event` is called in between, and waits
    /// for nothing; a channel takes events elsewhere. The token of the batch ends the reply as well.
    ///
    /// A [`Conversation`](crate::Conversation) takes the answers by
    /// [`add_results`](crate::conversation::PendingCalls::add_results):
    ///
    /// ```
    /// use futures_util::{Stream, stream};
    /// use tool_runtime::stream::Event;
    /// use tool_runtime::conversation::Turn;
    /// use tool_runtime::dispatch::CancellationToken;
    /// use tool_runtime::{BatchContext, Conversation, Registry, tool, tools};
    ///
    /// /// Look up the weather of a city.
    /// #[tool(read_only)]
    /// fn get_weather(city: &str) -> String {
    ///     format!("{city}: sunny")
    /// }
    /// # struct Client;
    /// # impl Client {
    /// #     async fn send(&self, request: tool_runtime::conversation::Request) -> std::io::Result<impl Stream<Item = std::io::Result<&'static str>>> {
    /// #         Ok(stream::iter(match request.messages().len() {
    /// #             1 => [
    /// #                 Ok(r#"{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"get_weather","arguments":"{\"city\":\"Rome\"}"}}]}}]}"#),
    /// #                 Ok("[DONE]"),
    /// #             ],
    /// #             _ => [Ok(r#"{"choices":[{"delta":{"content":"It is sunny."},"finish_reason":"stop"}]}"#), Ok("[DONE]")],
    /// #         }))
    /// #     }
    /// # }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let client = Client;
    /// let registry = Registry::new(tools![get_weather])?;
    /// let token = CancellationToken::new(); // for whoever wants to stop it
    /// let batch = BatchContext::new().cancellation(token.clone());
    /// let mut chat = Conversation::new().user("Is it sunny in Rome?");
    /// let answer = loop {
    ///     let chunks = client.send(chat.request(&registry)).await?; // with `"stream": true`
    ///     let show = |event: Event<'_>| {
    ///         if let Event::Text(piece) = event {
    ///             print!("{piece}");
    ///         }
    ///     };
    ///     let dispatched = registry.dispatch_stream_with(chunks, &batch, show).await;
    ///     let (reply, answers) = match dispatched {
    ///         // Broken off behind calls: the model goes on from their answers.
    ///         Err(broken) if !broken.partial().1.is_empty() && !token.is_cancelled() => broken.into_partial(),
    ///         dispatched => dispatched?,
    ///     };
    ///     match chat.reply(reply) {
    ///         Turn::Answer(done) => break done,
    ///         Turn::Calls(mut pending) => {
    ///             pending.add_results(answers)?;
    ///             chat = pending.dispatch(&registry).await; // what has no answer yet, and that is nothing here
    ///         }
    ///     }
    /// };
    /// assert_eq!(answer.final_text(), "It is sunny.");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The reply broke off, or the batch was cancelled before its `finish_reason`; behind that, the tools alone are.
    pub async fn dispatch_stream_with<S>(
        &self,
        chunks: S,
        batch: &BatchContext,
        mut on_event: impl FnMut(Event<'_>),
    ) -> Result<(AssistantMessage, Vec<ToolMessage>), InterruptedError<(AssistantMessage, Vec<ToolMessage>)>>
    where
        S: Stream,
        S::Item: Into<Chunk>,
    {
        let mut assembler = ReplyAssembler::new();
        let mut ids = TakenIds::default();
        let mut started = HashMap::new();
        let mut running = FuturesUnordered::new();
        let mut answered = Vec::new();
        let mut in_a_row = 0;
        {
            // Not kept while the tools run: a connection hangs on it.
            let mut chunks = pin!(chunks);
            while !assembler.has_ended() {
                let next = poll_fn(|context| {
                    while let Poll::Ready(Some(answer)) = running.poll_next_unpin(context) {
                        answered.push(answer);
                    }
                    // A stream that is always ready lets others have their turn.
                    if in_a_row == MOST_CHUNKS_IN_A_ROW {
                        in_a_row = 0;
                        context.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                    let next = chunks.as_mut().poll_next(context);
                    in_a_row = if next.is_ready() { in_a_row + 1 } else { 0 };
                    next.map(|chunk| chunk.map(Into::into))
                });
                let next = match batch.token() {
                    None => next.await,
                    Some(token) => match token.run_until_cancelled(next).await {
                        Some(next) => next,
                        None => Some(Chunk::failed(StreamError::Cancelled)),
                    },
                };
                let events = match next {
                    Some(chunk) => assembler.push(chunk),
                    None => assembler.end(),
                };
                let has_failed = events.clone().any(|event| matches!(event, Event::Failed(_)));
                for event in events {
                    on_event(event);
                    match event {
                        Event::CallComplete { index, call }
                            if !has_failed && self.may_start_while_streaming(&call.name) =>
                        {
                            let mut call = call.clone();
                            ids.make_usable(&mut call);
                            started.insert(index, call.id.clone());
                            running.push(
                                async move { (index, self.answer_to(index, &call, None, batch).await) },
                            );
                        }
                        _ => {}
                    }
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
        let refused: Option<fn(String) -> CallError> = broke_off.as_ref().map(|cause| match cause {
            StreamError::Cancelled => |tool| CallError::Cancelled { tool },
            _ => |tool| CallError::StreamInterrupted { tool },
        });
        let rest = reply.tool_calls.iter().enumerate().filter(|(index, _)| !started.contains_key(index));
        let rest = rest
            .map(|(index, call)| async move { (index, self.answer_to(index, call, refused, batch).await) });
        let (running, rest) = join(running.collect::<Vec<_>>(), join_all(rest)).await;
        answered.extend(running);
        answered.extend(rest);
        answered.sort_by_key(|(index, _)| *index);
        let answers = answered.into_iter().map(|(_, answer)| answer).collect();

        for call in &mut reply.tool_calls {
            self.write_as_understood(call);
        }
        match broke_off {
            None => Ok((reply, answers)),
            Some(cause) => Err(InterruptedError::new((reply, answers), cause)),
        }
    }

    async fn answer_to(
        &self,
        index: usize,
        call: &ToolCall,
        refused: Option<fn(String) -> CallError>,
        batch: &BatchContext,
    ) -> ToolMessage {
        self.answer(index, call, &CallTerms { refused, ..CallTerms::NONE }, &Dispatch::of(batch)).await
    }
}
