//! What cannot be tried while the time is paused: bodies on threads that outlive their calls.

use crate::from_environment;
use crate::silence;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tool_runtime::{Registry, ToolCall, tool, tools};

/// What holds the bodies of a round until its answers are there.
#[derive(Default)]
struct Gate {
    is_open: AtomicBool,
    bodies: AtomicUsize,
}

impl Gate {
    fn wait(&self) {
        self.bodies.fetch_add(1, Ordering::SeqCst);
        // Not for ever: a test that fails should end.
        for _ in 0..10_000 {
            if self.is_open.load(Ordering::SeqCst) {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.bodies.fetch_sub(1, Ordering::SeqCst);
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
    for _ in 0..60 {
        let gate = Arc::<Gate>::default();
        let places = random.usize(1..4);
        let registry = Registry::builder().tools(tools![waits, is_quick]).state(Arc::clone(&gate));
        let registry = registry.max_concurrency(places).build().expect("a registry");
        let calls: Vec<ToolCall> = (0..random.usize(1..8))
            .map(|place| {
                let (name, arguments) = if random.bool() {
                    ("waits", format!(r#"{{"panics":{}}}"#, random.bool()))
                } else {
                    ("is_quick", format!(r#"{{"n":{place}}}"#))
                };
                ToolCall::new(format!("call_{place}"), name, arguments)
            })
            .collect();
        let answers = runtime.block_on(registry.dispatch(&calls));
        assert!(!gate.is_open.load(Ordering::SeqCst), "the answers are here while the bodies wait");
        for (place, (call, answer)) in calls.iter().zip(&answers).enumerate() {
            assert_eq!(answer.tool_call_id, call.id);
            let expected = match &*call.name {
                "is_quick" => place.to_string(),
                _ => "Error: the tool `waits` did not finish within 10 ms. It may have taken effect."
                    .to_owned(),
            };
            assert_eq!(answer.content, expected);
        }
        assert_eq!(answers.len(), calls.len());
        gate.is_open.store(true, Ordering::SeqCst);
        while gate.bodies.load(Ordering::SeqCst) > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
