//! Middleware with a behaviour for each call: it retries, replaces, panics, and more.

use crate::plan::Kind;
use crate::running::{Running, place};
use crate::settings::Settings;
use crate::silence::PLANNED;
use fastrand::Rng;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tool_runtime::RegistryBuilder;
use tool_runtime::dispatch::{ReadyCall, ToolResult};

/// The behaviour of one middleware for one call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Behaviour {
    Pass,
    /// Runs the call again after an error, at most this number of times, after a pause in milliseconds.
    Retry {
        times: u32,
        pause: u64,
    },
    Replace(u32),
    ReplaceWithError(u32),
    /// Replaces the result by a recorded failure of this kind.
    Replay(&'static str),
    /// Panics before it returns a future.
    PanicAtOnce,
    PanicBeforeRun,
    PanicAfterRun,
    /// Only if a time limit, a cancellation or a drop ends it.
    NeverEnd,
    NeverEndAfterRun,
    RunTwice,
    RunTwiceAtOnce,
    /// Runs the call in another task.
    Spawn,
    Map,
    /// Keeps the call, which reports progress after its end.
    Keep,
}

/// The behaviour of each middleware for each call of a batch.
pub(crate) struct Behaviours(pub(crate) Vec<Vec<Behaviour>>);

/// Adds middleware. That for which the value is `false` passes all calls without reading their contexts.
pub(crate) fn add(
    mut builder: RegistryBuilder,
    middleware: &[bool],
    running: &Arc<Running>,
) -> RegistryBuilder {
    for (index, &reads_context) in middleware.iter().enumerate() {
        let running = Arc::clone(running);
        builder = builder.around_call(move |call| {
            let entered = (index == 0).then(|| running.calls.enter(call.tool()));
            let behaviour = reads_context.then(|| planned(&call, index)).flatten().unwrap_or(Behaviour::Pass);
            if behaviour == Behaviour::PanicAtOnce {
                std::panic::panic_any(PLANNED);
            }
            let running = Arc::clone(&running);
            async move {
                let _entered = entered;
                behaviour.apply_to(call, &running).await
            }
        });
    }
    builder
}

fn planned(call: &ReadyCall, index: usize) -> Option<Behaviour> {
    let context = call.context();
    let (_, position) = place(context)?;
    context.run_context().get::<Behaviours>()?.0.get(position)?.get(index).copied()
}

impl Behaviour {
    async fn apply_to(self, call: ReadyCall, running: &Running) -> ToolResult {
        match self {
            Behaviour::Pass => call.run().await,
            Behaviour::Retry { times, pause } => {
                let mut result = call.run().await;
                for _ in 0..times {
                    if !result.is_error() {
                        break;
                    }
                    if pause > 0 {
                        tokio::time::sleep(Duration::from_millis(pause)).await;
                    }
                    result = call.run().await;
                }
                result
            }
            Behaviour::Replace(n) => ToolResult::ok(format!("replaced {n}")),
            Behaviour::ReplaceWithError(n) => ToolResult::error(format!("closed {n}")),
            Behaviour::Replay(kind) => {
                let recorded = serde_json::json!({ "error": { "kind": kind, "message": "as recorded" } });
                serde_json::from_value(recorded).expect("a recorded result")
            }
            Behaviour::PanicAtOnce | Behaviour::PanicBeforeRun => std::panic::panic_any(PLANNED),
            Behaviour::PanicAfterRun => {
                let _ = call.run().await;
                std::panic::panic_any(PLANNED)
            }
            Behaviour::NeverEnd => std::future::pending().await,
            Behaviour::NeverEndAfterRun => {
                let _ = call.run().await;
                std::future::pending().await
            }
            Behaviour::RunTwice => {
                let first = call.run().await;
                joined(&first, &call.run().await)
            }
            Behaviour::RunTwiceAtOnce => {
                let (first, second) = futures_util::future::join(call.run(), call.run()).await;
                joined(&first, &second)
            }
            Behaviour::Spawn => {
                // Its drop aborts the task.
                let mut tasks = JoinSet::new();
                tasks.spawn(call.run());
                tasks.join_next().await.expect("a task").expect("the panics of a run are caught")
            }
            Behaviour::Map => call.run().await.map_text(mapped),
            Behaviour::Keep => {
                running.keep(&call);
                call.run().await
            }
        }
    }

    /// A random behaviour that ends, if the calls of this registry need not end otherwise.
    pub(crate) fn random(settings: &Settings, kind: Kind, random: &mut Rng) -> Self {
        let n = random.u32(..1_000);
        match random.u8(..30) {
            0..=2 => Behaviour::Retry { times: 1 + n % 3, pause: 0 },
            3 | 4 => Behaviour::Retry { times: 1 + n % 3, pause: u64::from(n % 40) },
            5 => Behaviour::Replace(n),
            6 => Behaviour::ReplaceWithError(n),
            7 => Behaviour::Replay(["timeout", "cancelled", "quota"][n as usize % 3]),
            8 => Behaviour::PanicAtOnce,
            9 => Behaviour::PanicBeforeRun,
            10 => Behaviour::PanicAfterRun,
            11 if settings.ends_all_calls() => Behaviour::NeverEnd,
            12 if settings.ends_all_calls() => Behaviour::NeverEndAfterRun,
            13 | 14 => Behaviour::RunTwice,
            // The order of the runs of two concurrent retries is not defined, and the result of `flaky` depends on it.
            15 | 16 if !matches!(kind, Kind::Flaky(_)) => Behaviour::RunTwiceAtOnce,
            17 | 18 => Behaviour::Spawn,
            19..=21 => Behaviour::Map,
            22 => Behaviour::Keep,
            _ => Behaviour::Pass,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Behaviour::Pass => "pass",
            Behaviour::Retry { pause: 0, .. } => "retry",
            Behaviour::Retry { .. } => "retry after a pause",
            Behaviour::Replace(_) => "replace",
            Behaviour::ReplaceWithError(_) => "replace with an error",
            Behaviour::Replay(_) => "replay",
            Behaviour::PanicAtOnce => "panic at once",
            Behaviour::PanicBeforeRun => "panic before the run",
            Behaviour::PanicAfterRun => "panic after the run",
            Behaviour::NeverEnd => "never end",
            Behaviour::NeverEndAfterRun => "never end after the run",
            Behaviour::RunTwice => "run twice",
            Behaviour::RunTwiceAtOnce => "run twice at once",
            Behaviour::Spawn => "spawn",
            Behaviour::Map => "map",
            Behaviour::Keep => "keep",
        }
    }

    /// The names of all behaviours.
    pub(crate) const NAMES: [&str; 16] = [
        "pass",
        "retry",
        "retry after a pause",
        "replace",
        "replace with an error",
        "replay",
        "panic at once",
        "panic before the run",
        "panic after the run",
        "never end",
        "never end after the run",
        "run twice",
        "run twice at once",
        "spawn",
        "map",
        "keep",
    ];
}

/// The text that [`Behaviour::Map`] makes of a text.
pub(crate) fn mapped(text: &str) -> String {
    format!("[{text}]")
}

fn joined(first: &ToolResult, second: &ToolResult) -> ToolResult {
    ToolResult::ok(joined_texts(&first.text(), &second.text()))
}

/// The text of two runs. Only their beginnings, since a result may be long.
pub(crate) fn joined_texts(first: &str, second: &str) -> String {
    format!("{first:.60} | {second:.60}")
}
