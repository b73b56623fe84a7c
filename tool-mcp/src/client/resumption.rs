//! The pauses before streams of events are resumed.

use futures_util::stream::{self, BoxStream, StreamExt as _};
use sse_stream::{Error as SseError, Sse};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep};

type Events = BoxStream<'static, Result<Sse, SseError>>;

/// The pauses that a server may ask for.
const MIN_RETRY: u64 = 100;
const MAX_RETRY: u64 = 60_000;

/// The pause after one stream without a message. It doubles with each further one, up to the longest pause.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(10);

/// The streams of one connection. A server that ends each stream at once would receive hundreds of requests per second, since rmcp
/// waits as long as the server asks for, or 0.1 seconds, and not at all after an error.
#[derive(Clone, Default)]
pub(super) struct Resumption {
    /// The number of streams, one after the other, that ended soon and had no message.
    empty: Arc<AtomicU32>,
}

impl Resumption {
    /// Waits before a stream is resumed. A connection without empty streams does not wait.
    pub(super) async fn wait(&self) {
        if let Some(doublings) = self.empty.load(Ordering::Relaxed).checked_sub(1) {
            sleep(MAX_PAUSE.min(FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(doublings)))).await;
        }
    }

    /// The events of a new stream, with the limits of its pauses.
    pub(super) fn watch(&self, events: Events) -> Events {
        let (resumption, started) = (self.clone(), Instant::now());
        let next = move |(mut events, mut has_message): (Events, bool)| {
            let resumption = resumption.clone();
            async move {
                let event = match events.next().await {
                    Some(Ok(mut event)) => {
                        event.retry = event.retry.map(|retry| retry.clamp(MIN_RETRY, MAX_RETRY));
                        has_message |= event.data.as_deref().is_some_and(|data| data.contains("jsonrpc"));
                        Ok(event)
                    }
                    end => {
                        resumption.ended(started.elapsed(), has_message);
                        end?
                    }
                };
                Some((event, (events, has_message)))
            }
        };
        stream::unfold((events, false), next).boxed()
    }

    fn ended(&self, duration: Duration, has_message: bool) {
        // A stream that lasts is resumed seldom enough.
        let is_empty = !has_message && duration < MAX_PAUSE;
        let count = self.empty.load(Ordering::Relaxed);
        self.empty.store(if is_empty { count.saturating_add(1) } else { 0 }, Ordering::Relaxed);
    }
}
