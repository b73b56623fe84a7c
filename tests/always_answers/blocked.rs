//! What cannot be tried while the time is paused: bodies on threads that outlive their calls.

use crate::from_environment;
use crate::silence;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tool_runtime::dispatch::Outcome;
use tool_runtime::{BatchContext, Registry, ToolCall, ToolMessage, tool, tools};

/// What holds the bodies of a round until its answers are there.
#[derive(Default)]
struct Gate {
    is_open: AtomicBool,
    begun: AtomicUsize,
    ended: AtomicUsize,
}

impl Gate {
    fn wait(&self) {
        self.begun.fetch_add(1, Ordering::SeqCst);
        // Not for ever: a test that fails should end.
        for _ in 0..10_000 {
            if self.is_open.load(Ordering::SeqCst) {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.ended.fetch_add(1, Ordering::SeqCst);
    }
}

/// Waits until it is let go, and panics then if it is told to.
#[tool(timeout = "10ms")]
fn waits(panics: bool, #[state] gate: &Arc<Gate>) -> &'static str {
    gate.wait();
    if panics {
        std::panic::panic_any(silence::PLANNED);
    }
    "too late"
}

/// Is quick.
#[tool(blocking)]
fn is_quick(n: u32) -> u32 {
    n
}

#[test]
fn a_body_that_outlives_its_time_is_answered_before_it_ends_and_leaves_nothing_behind() {
    silence::planned_panics();
    let seed = from_environment("ALWAYS_ANSWERS_SEED", fastrand::u64(..));
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    // One for all rounds: a place that is lost in one is missing in the next.
    let registry = Registry::builder().tools(tools![waits, is_quick]).batch_state::<Arc<Gate>>();
    let registry = registry.max_concurrency(3).build().expect("a registry");
    for _ in 0..60 {
        let gate = Arc::<Gate>::default();
        let batch = BatchContext::new().state(Arc::clone(&gate));
        let calls: Vec<ToolCall> = (0..random.usize(1..8))
            .map(|index| {
                let (name, arguments) = if random.bool() {
                    ("waits", format!(r#"{{"panics":{}}}"#, random.bool()))
                } else {
                    ("is_quick", format!(r#"{{"n":{index}}}"#))
                };
                ToolCall::new(format!("call_{index}"), name, arguments)
            })
            .collect();
        let answers = runtime.block_on(async {
            tokio::time::timeout(Duration::from_secs(9), registry.dispatch_with(&calls, &batch)).await
        });
        let answers = answers.expect("the answers do not wait for the bodies");
        assert_eq!(gate.ended.load(Ordering::SeqCst), 0, "the answers are here before a body has ended");
        assert_eq!(answers.len(), calls.len());
        for (index, (call, answer)) in calls.iter().zip(&answers).enumerate() {
            assert_eq!(answer.tool_call_id, call.id);
            let has_begun = answer.outcome().is_some_and(Outcome::has_begun);
            let expected = match (&*call.name, has_begun) {
                ("is_quick", true) => index.to_string(),
                (_, true) => "Error: the tool `waits` did not finish within 10 ms. It may have taken effect."
                    .to_owned(),
                // It was given up before it had a thread.
                (_, false) => "Error: the tool `waits` did not finish within 10 ms.".to_owned(),
            };
            assert_eq!(answer.content, expected);
        }
        gate.is_open.store(true, Ordering::SeqCst);
        let said_to_have_begun = |(call, answer): &(&ToolCall, &ToolMessage)| {
            call.name == "waits" && answer.outcome().is_some_and(Outcome::has_begun)
        };
        let begun = calls.iter().zip(&answers).filter(said_to_have_begun).count();
        // Each of these ends, and no other begins.
        while gate.ended.load(Ordering::SeqCst) < begun {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(gate.begun.load(Ordering::SeqCst), begun, "a body runs that was said not to have begun");
    }
}
