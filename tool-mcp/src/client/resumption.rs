//! The pauses before streams of events are resumed.

use futures_util::stream::{self, BoxStream, StreamExt as _};
use sse_stream::{Error as SseError, Sse};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep};

type Events = BoxStream<'static, Result<Sse, SseError>>;

/// The shortest and the longest pause that a server may ask for, in milliseconds.
const MIN_RETRY: u64 = 100;
const MAX_RETRY: u64 = 60_000;

/// The pause after one such stream. It doubles with each further one, up to the longest pause.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(10);

/// The streams of one connection. A server that ends each stream at once would receive hundreds of requests per second, since rmcp
/// waits as long as the server asks for, or 0.1 seconds, and not at all after an error.
#[derive(Clone, Default)]
pub(super) struct Resumption {
    /// The number of streams, one after the other, that ended soon, without a message or with an error.
    useless: Arc<AtomicU32>,
}

impl Resumption {
    /// Waits before a stream is resumed, if the one before ended soon, without a message or with an error.
    pub(super) async fn wait(&self) {
        if let Some(doublings) = self.useless.load(Ordering::Relaxed).checked_sub(1) {
            sleep(MAX_PAUSE.min(FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(doublings)))).await;
        }
    }

    /// The events of a new stream, with the limits of its pauses.
    pub(super) fn watch(&self, events: Events) -> Events {
        let (resumption, started) = (self.clone(), Instant::now());
        let next = move |(mut events, mut has_message, mut has_failed): (Events, bool, bool)| {
            let resumption = resumption.clone();
            async move {
                let event = match events.next().await {
                    Some(Ok(mut event)) => {
                        event.retry = event.retry.map(|retry| retry.clamp(MIN_RETRY, MAX_RETRY));
                        has_message |= event.data.as_deref().is_some_and(|data| data.contains("jsonrpc"));
                        Ok(event)
                    }
                    // The stream is resumed after its first error.
                    Some(Err(error)) if has_failed => Err(error),
                    Some(Err(error)) => {
                        has_failed = true;
                        resumption.ended(started.elapsed(), false);
                        Err(error)
                    }
                    None if has_failed => return None,
                    None => {
                        resumption.ended(started.elapsed(), has_message);
                        return None;
                    }
                };
                Some((event, (events, has_message, has_failed)))
            }
        };
        stream::unfold((events, false, false), next).boxed()
    }

    /// `is_useful` is whether the stream had a message and no error.
    fn ended(&self, duration: Duration, is_useful: bool) {
        // A stream that lasts is resumed seldom enough.
        let counts = !is_useful && duration < MAX_PAUSE;
        let count = self.useless.load(Ordering::Relaxed);
        self.useless.store(if counts { count.saturating_add(1) } else { 0 }, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream::iter;

    fn event(data: &str, retry: Option<u64>) -> Sse {
        Sse { data: Some(data.to_owned()), retry, ..Sse::default() }
    }

    /// Reads a stream with these events, and returns the pause before the next one.
    async fn pause_after(resumption: &Resumption, events: Vec<Sse>) -> Duration {
        let stream = resumption.watch(iter(events).map(Ok).boxed());
        assert!(stream.all(|event| async move { event.is_ok() }).await);
        let started = Instant::now();
        resumption.wait().await;
        started.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn streams_without_messages_are_resumed_more_and_more_slowly() {
        let resumption = Resumption::default();
        let mut pauses = Vec::new();
        for _ in 0..9 {
            pauses.push(pause_after(&resumption, vec![event("", Some(0))]).await.as_millis());
        }
        assert_eq!(pauses, [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
        let message = event(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#, None);
        assert_eq!(pause_after(&resumption, vec![message.clone()]).await, Duration::ZERO);
        for pause in [100, 200] {
            let broken = iter([Ok(message.clone()), Err(SseError::InvalidLine)]).boxed();
            assert_eq!(resumption.watch(broken).count().await, 2);
            let started = Instant::now();
            resumption.wait().await;
            assert_eq!(started.elapsed().as_millis(), pause, "after an error");
        }
        assert_eq!(pause_after(&resumption, vec![message]).await, Duration::ZERO);
        assert_eq!(pause_after(&resumption, vec![]).await, Duration::from_millis(100));
        let lasting = resumption.watch(stream::once(sleep(MAX_PAUSE)).map(|()| Ok(event("", None))).boxed());
        assert_eq!(lasting.count().await, 1);
        assert_eq!(pause_after(&resumption, vec![]).await, Duration::from_millis(100), "a new beginning");
    }

    #[tokio::test]
    async fn a_server_asks_for_pauses_within_limits() {
        for (asked, expected) in [(0, 100), (3_000, 3_000), (u64::MAX, 60_000)] {
            let mut events = Resumption::default().watch(iter([Ok(event("", Some(asked)))]).boxed());
            let event = events.next().await.expect("an event").expect("no error");
            assert_eq!(event.retry, Some(expected));
        }
    }
}
