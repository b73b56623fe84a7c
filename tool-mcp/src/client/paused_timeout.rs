//! A time limit that does not count the time in which a person signs in.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// The times in which the time limit of a connection does not count.
#[derive(Clone, Default)]
pub(super) struct Pauses(Arc<watch::Sender<usize>>);

/// A pause, until this is dropped.
#[cfg_attr(not(feature = "oauth"), allow(dead_code, reason = "only OAuth has pauses"))]
pub(super) struct Pause(Pauses);

impl Drop for Pause {
    fn drop(&mut self) {
        self.0.0.send_modify(|pauses| *pauses = pauses.saturating_sub(1));
    }
}

impl Pauses {
    #[cfg_attr(not(feature = "oauth"), allow(dead_code, reason = "only OAuth has pauses"))]
    pub(super) fn begin(&self) -> Pause {
        self.0.send_modify(|pauses| *pauses += 1);
        Pause(self.clone())
    }

    /// Waits for a future; `None` if it takes longer than the limit, without the pauses.
    pub(super) async fn timeout<F: Future>(&self, limit: Duration, future: F) -> Option<F::Output> {
        let (mut future, mut pauses, mut left) = (pin!(future), self.0.subscribe(), limit);
        loop {
            let is_paused = *pauses.borrow_and_update() > 0;
            let started = Instant::now();
            let ends = async { if is_paused { std::future::pending().await } else { sleep(left).await } };
            tokio::select! {
                biased;
                done = &mut future => return Some(done),
                // The sender lives as long as this.
                _ = pauses.changed() => {}
                () = ends => return None,
            }
            if !is_paused {
                left = left.saturating_sub(started.elapsed());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn pauses_do_not_count() {
        let (pauses, limit) = (Pauses::default(), Duration::from_secs(30));
        let connect = |first: u64, signs_in: u64, last: u64| {
            let pauses = pauses.clone();
            async move {
                sleep(Duration::from_secs(first)).await;
                let pause = pauses.begin();
                sleep(Duration::from_secs(signs_in)).await;
                drop(pause);
                sleep(Duration::from_secs(last)).await;
            }
        };
        assert!(pauses.timeout(limit, connect(14, 300, 14)).await.is_some());
        let started = Instant::now();
        assert!(pauses.timeout(limit, connect(20, 300, 20)).await.is_none());
        assert_eq!(started.elapsed().as_secs(), 330);
        assert!(pauses.timeout(limit, connect(40, 300, 0)).await.is_none());
    }
}
