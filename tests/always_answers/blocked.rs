//! Blocking functions that outlive their calls. They run on threads, so this test cannot pause the time.

use crate::from_environment;
use crate::silence;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tool_runtime::dispatch::Outcome;
use tool_runtime::{Registry, RunContext, ToolCall, ToolMessage, tool, tools};

/// Blocks the functions of a round until its dispatch has returned.
#[derive(Default)]
struct Gate {
    is_open: AtomicBool,
    begun: AtomicUsize,
    ended: AtomicUsize,
}

impl Gate {
    fn wait(&self) {
        self.begun.fetch_add(1, Ordering::SeqCst);
        // Bounded, so that a failing test ends.
        for _ in 0..10_000 {
            if self.is_open.load(Ordering::SeqCst) {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.ended.fetch_add(1, Ordering::SeqCst);
    }
}

/// Waits for the gate, and then panics on request.
#[tool(timeout = "10ms")]
fn waits(panics: bool, #[state] gate: &Arc<Gate>) -> &'static str {
    gate.wait();
    if panics {
        std::panic::panic_any(silence::PLANNED);
    }
    "too late"
}

/// Returns at once.
#[tool(blocking)]
fn is_quick(n: u32) -> u32 {
    n
}

#[test]
fn a_blocking_function_that_exceeds_its_limit_does_not_delay_the_dispatch_or_leak_a_permit() {
    silence::planned_panics();
    let seed = from_environment("ALWAYS_ANSWERS_SEED", fastrand::u64(..));
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    // One registry for all rounds: a permit that leaks in one round is missing in the next.
    let registry = Registry::builder().tools(tools![waits, is_quick]).state_per_run::<Arc<Gate>>();
    let registry = registry.max_concurrency(3).build().expect("a registry");
    for _ in 0..60 {
        let gate = Arc::<Gate>::default();
        let context = RunContext::new().state(Arc::clone(&gate));
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
        let messages = runtime.block_on(async {
            tokio::time::timeout(Duration::from_secs(9), registry.with(&context).dispatch(&calls)).await
        });
        let messages = messages.expect("the dispatch does not wait for the functions");
        assert_eq!(gate.ended.load(Ordering::SeqCst), 0, "the dispatch returns before a function has ended");
        assert_eq!(messages.len(), calls.len());
        for (index, (call, message)) in calls.iter().zip(&messages).enumerate() {
            assert_eq!(message.tool_call_id, call.id);
            let has_begun = message.outcome().is_some_and(Outcome::has_begun);
            let expected = match (&*call.name, has_begun) {
                ("is_quick", true) => index.to_string(),
                (_, true) => "Error: the tool `waits` did not finish within 10 ms. It may have taken effect."
                    .to_owned(),
                // The limit expired before the call had a thread.
                (_, false) => "Error: the tool `waits` did not finish within 10 ms.".to_owned(),
            };
            assert_eq!(message.content, expected);
        }
        gate.is_open.store(true, Ordering::SeqCst);
        let has_begun = |(call, message): &(&ToolCall, &ToolMessage)| {
            call.name == "waits" && message.outcome().is_some_and(Outcome::has_begun)
        };
        let begun = calls.iter().zip(&messages).filter(has_begun).count();
        // Each of these functions ends, and no other begins.
        while gate.ended.load(Ordering::SeqCst) < begun {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(
            gate.begun.load(Ordering::SeqCst),
            begun,
            "a function runs whose outcome reports that it has not begun"
        );
    }
}
