//! Replies that arrive in chunks.
//!
//! [`ReplyAssembler`] takes the chunks of a streamed reply, including the variations that servers send, and
//! reports their contents as [`ReplyEvent`]s. The result is the same [`AssistantMessage`](crate::AssistantMessage) as
//! without streaming. [`Registry::dispatch_stream`](crate::Registry::dispatch_stream) also runs the tools: those that
//! are `read_only` or `idempotent` run while the model is still writing. [`Run::stream`](crate::session::Run::stream) does so in
//! a [`Session`](crate::Session).
//!
//! Chunks are in the format of Chat Completions, unless [`ReplyAssembler::wire`] sets another [`wire`](crate::wire), or
//! [`Wire::read_event`](crate::wire::Wire::read_event) has read them:
//! `registry.dispatch_stream(events.map(move |data| wire.read_event(&data)))`.
//!
//! Neither of them parses server-sent events; a client does, or a crate such as `sse-stream` or `eventsource-stream`. A
//! chunk is the text after `data:` ([`Chunk`] lists the other forms).
//!
//! ```
//! use tool_runtime::stream::{ReplyAssembler, ReplyEvent};
//!
//! let mut reply = ReplyAssembler::new();
//! for data in [
//!     r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"One moment."}}]}"#,
//!     r#"{"choices":[{"index":0,"delta":{"tool_calls":[
//!         {"index":0,"id":"call_1","type":"function","function":{"name":"get_weather","arguments":""}}]}}]}"#,
//!     r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":"}}]}}]}"#,
//!     r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"Beijing\"}"}}]}}]}"#,
//!     r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
//!     "[DONE]",
//! ] {
//!     for event in reply.push(data) {
//!         match event {
//!             ReplyEvent::Text(piece) => assert_eq!(piece, "One moment."),
//!             ReplyEvent::CallComplete { call, .. } => assert_eq!(call.arguments, r#"{"city":"Beijing"}"#),
//!             _ => {}
//!         }
//!     }
//! }
//! let reply = reply.into_reply()?;
//! assert_eq!(reply.text(), "One moment.");
//! assert_eq!(reply.tool_calls[0].name, "get_weather");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assembler;
mod calls;
#[cfg(feature = "testing")]
mod chunks;
mod event;
mod interrupted;
mod items;
mod partial_reply;

#[doc(inline)]
pub use crate::message::{Chunk, stream_error::StreamError};
pub use assembler::{ReplyAssembler, ReplyEvents};
#[cfg(feature = "testing")]
pub(crate) use chunks::chunks_of;
pub use event::ReplyEvent;
pub use interrupted::InterruptedError;
