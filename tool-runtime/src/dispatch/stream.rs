//! Dispatch of a streamed reply: calls run while the reply is received.

use super::EndedCall;
use super::early_call::RunningCalls;
use super::streamed_reply::{EndedReply, StreamedReply};
use crate::context::{CallRecord, Order, Progress};
use crate::message::{AssistantMessage, ToolMessage};
use crate::outcome::CallError;
use crate::registry::Registry;
use crate::stream::{Chunk, InterruptedError, ReplyEvent, StreamError};
use crate::tool::{Approval, Batch, IncomingCall};
use futures_util::future::{join, join_all, ready};
use futures_util::stream::{Stream, StreamExt as _};

impl Registry {
    /// Reads a streamed reply, runs its calls, and returns the reply with one tool message per call: `messages[i]` is for
    /// `reply.tool_calls[i]`, as in [`dispatch`](Registry::dispatch).
    ///
    /// - **Start of calls**: a call of a `read_only` or `idempotent` tool starts as soon as its arguments are complete, while
    ///   the reply is received. Other calls start after the end of the stream, so that they do not run twice if the stream
    ///   fails and the request is repeated; with
    ///   [`start_all_while_streaming`](crate::RegistryBuilder::start_all_while_streaming), they start immediately as well.
    ///   With [`ordered_effects`](crate::RegistryBuilder::ordered_effects), only calls before the first call with an effect
    ///   start early. A call of an [exclusive](crate::registry::Policy::exclusive) tool, and the calls after it, never do.
    /// - **End of the stream**: the stream ends with `[DONE]` or with its last item. If it ends without `[DONE]` and
    ///   without a `finish_reason`, complete calls run, and a truncated call does not. There is no time limit for the
    ///   stream: set one in the client.
    /// - **Chunks**: `chunks` is the stream of a request with `"stream": true`. Its items are texts or values in the format
    ///   of Chat Completions, chunks that [`Wire::read_event`](crate::wire::Wire::read_event) has read, or `Result`s of
    ///   them: see [`Chunk`]. It is dropped before the calls start that wait for its end.
    /// - **Ids**: each call has a unique id, even if the server did not send one, so that the reply and the tool messages
    ///   can be added to the history.
    /// - **Concurrency**: the stream and the tools run in the caller's task. While a tool computes without an `.await`,
    ///   no chunk is read, unless the tool is `blocking`.
    /// - **Drop**: dropping the future drops the stream, the tools and the results. To stop without loss, cancel the token
    ///   of the run context that is bound to the registry.
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
    /// let (reply, messages) = registry.dispatch_stream(chunks).await?;
    /// assert_eq!(reply.tool_calls[0].id, "call_1");
    /// assert_eq!(messages[0].content, "Beijing: sunny");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the stream is interrupted, after the started calls have finished. The error contains the
    /// received part of the reply, with a tool message for each of its calls; calls that had not started did not run.
    /// If there are calls, add both to the history, and the model can continue. If there are none, the request can be
    /// repeated.
    pub async fn dispatch_stream<S>(
        &self,
        chunks: S,
    ) -> Result<(AssistantMessage, Vec<ToolMessage>), InterruptedError<(AssistantMessage, Vec<ToolMessage>)>>
    where
        S: Stream,
        S::Item: Into<Chunk>,
    {
        self.dispatch_stream_events(chunks, |_| {}).await
    }

    /// Like [`dispatch_stream`](Registry::dispatch_stream), with a callback for each [`ReplyEvent`] of the reply.
    ///
    /// `on_event` receives the events while the reply is received, for example to show the text and the progress of
    /// calls. It must not block; use a channel to send events to other tasks. The cancellation token of the run context that
    /// is bound to the registry also ends the stream.
    ///
    /// A [`Session`](crate::Session) does this itself. In a loop of your own, add the tool messages to a
    /// [`Conversation`](crate::Conversation) with
    /// [`add_results`](crate::conversation::PendingCalls::add_results):
    ///
    /// ```
    /// use futures_util::{Stream, stream};
    /// use tool_runtime::stream::ReplyEvent;
    /// use tool_runtime::conversation::Received;
    /// use tool_runtime::dispatch::CancellationToken;
    /// use tool_runtime::{Conversation, Registry, RunContext, tool, tools};
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
    /// let token = CancellationToken::new(); // another task cancels it
    /// let context = RunContext::new().cancellation(token.clone());
    /// let registry = Registry::new(tools![get_weather])?.with(&context);
    /// let mut chat = Conversation::new().user("Is it sunny in Rome?");
    /// let answer = loop {
    ///     let chunks = client.send(chat.request(&registry)).await?; // with `"stream": true`
    ///     let show = |event: ReplyEvent<'_>| {
    ///         if let ReplyEvent::Text(piece) = event {
    ///             print!("{piece}");
    ///         }
    ///     };
    ///     let dispatched = registry.dispatch_stream_events(chunks, show).await;
    ///     let (reply, results) = match dispatched {
    ///         // The stream was interrupted after calls: the model continues with their results.
    ///         Err(broken) if !broken.partial.1.is_empty() && !token.is_cancelled() => *broken.partial,
    ///         dispatched => dispatched?,
    ///     };
    ///     match chat.receive(reply) {
    ///         Received::Answer(done) => break done,
    ///         Received::ToolCalls(mut pending) => {
    ///             pending.add_results(results)?;
    ///             chat = pending.dispatch(&registry).await; // calls that need an approval fail: `run` keeps them
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
    /// Returns an error if the stream is interrupted, or if the token is cancelled before the `finish_reason`. A later
    /// cancellation only cancels the tools.
    pub async fn dispatch_stream_events<S>(
        &self,
        chunks: S,
        mut on_event: impl FnMut(ReplyEvent<'_>),
    ) -> Result<(AssistantMessage, Vec<ToolMessage>), InterruptedError<(AssistantMessage, Vec<ToolMessage>)>>
    where
        S: Stream,
        S::Item: Into<Chunk>,
    {
        let registry = &*self.for_dispatch();
        let order = Order::default();
        let order = registry.has_barriers().then_some(&order);
        let batch = &Batch { order, ..registry.new_batch(0) };
        let mut streamed = StreamedReply::default();
        let mut running = RunningCalls::new();
        streamed
            .receive(registry, batch, chunks, &mut running, |reply_event| on_event(reply_event.event))
            .await;
        let EndedReply { mut reply, has_written_keys, interruption, early, .. } = streamed.end(registry);

        let rejection: Option<fn(String) -> CallError> = interruption.as_ref().map(|cause| match cause {
            StreamError::Cancelled => |tool| CallError::Cancelled { tool },
            _ => |tool| CallError::StreamInterrupted { tool },
        });
        let rest_of_batch = &Batch { rejection, has_written_keys, order, ..registry.new_batch(0) };
        if let Some(order) = order {
            order.start(reply.tool_calls.iter().map(|call| registry.ordered(call, Progress::Open)));
        }
        let rest = reply.tool_calls.iter().enumerate().filter(|(index, _)| !early.contains_key(index));
        let rest = rest.map(|(index, call)| async move {
            let record = CallRecord::default();
            let incoming = IncomingCall::new(rest_of_batch, index, call, Approval::None, &record);
            (index, registry.run_call(&incoming).await)
        });
        let ((), rest) = join(running.for_each(|()| ready(())), join_all(rest)).await;
        let early = early.into_iter().filter_map(|(index, call)| Some((index, call.take_ended()?)));
        let mut ended: Vec<_> = early.chain(rest).collect();
        ended.sort_by_key(|(index, _)| *index);
        let message = |(index, ended): (usize, EndedCall)| {
            Some(ended.into_message(registry, reply.tool_calls.get(index)?))
        };
        let messages = ended.into_iter().filter_map(message).collect();

        for call in &mut reply.tool_calls {
            self.store_coerced_arguments(call);
        }
        match interruption {
            None => Ok((reply, messages)),
            Some(cause) => Err(InterruptedError::new((reply, messages), cause)),
        }
    }
}
