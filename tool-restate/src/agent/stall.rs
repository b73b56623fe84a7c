//! Recognizes that the process was stopped for a while: a virtual machine is moved, for example.
//!
//! The engine gives the work of such a process to another one. When the process continues, it would start what it has received before,
//! a request to the model for example, until it reads that its connections are closed. So it first gives them time.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// The clock is read so often.
const TICK: Duration = Duration::from_millis(50);

/// A process that does not read its clock for so long was stopped.
const STALL: Duration = Duration::from_millis(500);

/// The time until the closed connections are read.
const PAUSE: Duration = Duration::from_secs(1);

struct Clock {
    started: Instant,
    /// The time of the last tick, and of the end of the last stall, in milliseconds since the start.
    ticked: AtomicU64,
    continued: AtomicU64,
}

static CLOCK: OnceLock<Clock> = OnceLock::new();

impl Clock {
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Whether the process was stopped until a moment ago.
    fn has_stalled(&self) -> bool {
        let (ticked, continued) =
            (self.ticked.load(Ordering::Relaxed), self.continued.load(Ordering::Relaxed));
        let is_within =
            |time: u64, limit: Duration| Duration::from_millis(self.now().saturating_sub(time)) < limit;
        !is_within(ticked, STALL) || (continued > 0 && is_within(continued, PAUSE))
    }

    fn tick(&self) {
        let now = self.now();
        let stalled = now.saturating_sub(self.ticked.swap(now, Ordering::Relaxed));
        if Duration::from_millis(stalled) >= STALL {
            self.continued.store(now, Ordering::Relaxed);
        }
    }
}

/// Starts to read the clock, in a thread that no task can block.
pub(super) fn watch() {
    CLOCK.get_or_init(|| {
        // Without the thread, each moment seems to follow a stall, which costs a pause.
        let _ = std::thread::Builder::new().name("stall".to_owned()).spawn(|| {
            loop {
                std::thread::sleep(TICK);
                CLOCK.get().inspect(|clock| clock.tick());
            }
        });
        Clock { started: Instant::now(), ticked: AtomicU64::new(0), continued: AtomicU64::new(0) }
    });
}

/// Waits if the process was stopped until a moment ago. If its work is that of another process now, it ends meanwhile.
pub(super) async fn pause_after_stall() {
    if CLOCK.get().is_some_and(Clock::has_stalled) {
        sleep(PAUSE).await;
    }
}
