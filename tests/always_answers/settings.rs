//! The random registry of one round: its limits, its hook and its middleware.

use crate::limited_tools::{self, ToolLimits};
use crate::running::{Running, Tenant, place};
use crate::{middleware, tools};
use fastrand::Rng;
use std::sync::Arc;
use std::time::Duration;
use tool_runtime::Registry;
use tool_runtime::dispatch::Decision;
use tool_runtime::search::Search;

/// The limits of one registry, and the cancellation and drop of its batches.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) timeout: Option<Duration>,
    pub(crate) call_timeout: Option<Duration>,
    pub(crate) max_concurrency: Option<usize>,
    pub(crate) max_result_bytes: Option<usize>,
    pub(crate) max_calls: Option<usize>,
    /// The limits of the dynamic tool.
    pub(crate) dynamic: ToolLimits,
    pub(crate) hook: Option<Hook>,
    /// Each value is a middleware: whether it reads the contexts of its calls, and so may do something else with each.
    pub(crate) middleware: Vec<bool>,
    pub(crate) cancelled_after: Option<Duration>,
    pub(crate) dropped_after: Option<Duration>,
    /// Whether the model finds tools with a search, and calls some with `call_tool`.
    pub(crate) has_search: bool,
    pub(crate) batches: usize,
    pub(crate) max_planned_calls: usize,
}

/// The behaviour of the hook, for every call or for its targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Hook {
    Runs,
    Undecided,
    Slow(Duration),
    Denies,
    Answers,
    Panics,
    /// Only if a time limit, a cancellation or a drop ends it.
    Hangs,
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn sometimes<T>(random: &mut Rng, value: impl FnOnce(&mut Rng) -> T) -> Option<T> {
    random.bool().then(|| value(random))
}

impl Settings {
    pub(crate) fn random(random: &mut Rng) -> Self {
        let timeout = sometimes(random, |random| ms(10 * random.u64(1..10)));
        let hook = sometimes(random, |random| match random.u8(..7) {
            0 => Hook::Runs,
            1 => Hook::Undecided,
            // Never equal to the time limit of a tool, which would make the result ambiguous.
            2 => Hook::Slow(ms(10 * random.u64(..5) + 5)),
            3 => Hook::Denies,
            4 => Hook::Answers,
            5 => Hook::Panics,
            _ if timeout.is_some() => Hook::Hangs,
            _ => Hook::Runs,
        });
        let limit = |random: &mut Rng| random.bool().then(|| random.usize(1..4));
        Settings {
            timeout,
            call_timeout: (random.u8(..3) == 0).then(|| ms(10 * random.u64(1..20))),
            dynamic: ToolLimits { max_concurrency: limit(random), max_calls: limit(random) },
            hook,
            middleware: (0..random.usize(..=3)).map(|_| random.u8(..4) > 0).collect(),
            max_concurrency: sometimes(random, |random| random.usize(1..8)),
            max_result_bytes: sometimes(random, |random| random.usize(1..400)),
            max_calls: sometimes(random, |random| random.usize(1..20)),
            cancelled_after: sometimes(random, |random| ms(random.u64(0..120))),
            dropped_after: (random.u8(..8) == 0).then(|| ms(random.u64(0..120))),
            has_search: random.bool(),
            batches: random.usize(1..=4),
            // Batches of more than 30 calls are polled in another way.
            max_planned_calls: if random.u8(..10) == 0 { 60 } else { 12 },
        }
    }

    pub(crate) fn registry(&self, running: &Arc<Running>) -> Registry {
        let mut registry = Registry::builder()
            .tools(tools::all())
            .dynamic(limited_tools::dynamic(self.dynamic, running))
            .state(Arc::clone(running))
            .measure_durations(true)
            .state_per_run::<Tenant>()
            .state_per_run::<Arc<tokio::sync::Barrier>>();
        if self.has_search {
            registry = registry.search(Search::new().pin(["succeeds", "sleeps"]));
        }
        if let Some(timeout) = self.timeout {
            registry = registry.timeout(timeout);
        }
        if let Some(timeout) = self.call_timeout {
            registry = registry.call_timeout(timeout);
        }
        if let Some(tools) = self.max_concurrency {
            registry = registry.max_concurrency(tools);
        }
        if let Some(bytes) = self.max_result_bytes {
            registry = registry.max_result_bytes(bytes);
        }
        if let Some(calls) = self.max_calls {
            registry = registry.max_calls_per_reply(calls);
        }
        if let Some(hook) = self.hook {
            registry = registry.before_call(move |call| async move {
                let is_target = is_target_of_hook(call.tool(), call.arguments());
                match hook {
                    // A check of the permits.
                    _ if place(call.context()).is_none() => Decision::Run,
                    Hook::Undecided => Decision::Undecided,
                    Hook::Slow(duration) => {
                        tokio::time::sleep(duration).await;
                        Decision::Run
                    }
                    Hook::Denies if is_target => Decision::Deny("denied by the hook".into()),
                    Hook::Answers if is_target => Decision::Respond("answered by the hook".into()),
                    Hook::Panics if is_target => std::panic::panic_any(crate::silence::PLANNED),
                    Hook::Hangs if is_target => std::future::pending().await,
                    _ => Decision::Run,
                }
            });
        }
        middleware::add(registry, &self.middleware, running).build().expect("a registry")
    }

    /// The maximum length of a message.
    pub(crate) fn max_bytes(&self) -> usize {
        self.max_result_bytes.unwrap_or(usize::MAX)
    }

    pub(crate) fn limits_of(&self, tool: &str) -> ToolLimits {
        if tool == "dynamic" { self.dynamic } else { ToolLimits::of_function(tool) }
    }

    /// Whether a tool that never returns ends.
    pub(crate) fn ends_all_runs(&self) -> bool {
        self.timeout.is_some() || self.ends_all_calls()
    }

    /// Whether middleware that never returns ends.
    pub(crate) fn ends_all_calls(&self) -> bool {
        self.call_timeout.is_some() || self.cancelled_after.is_some() || self.dropped_after.is_some()
    }
}

/// Whether a hook that concerns some calls concerns this one: those of `succeeds`, and half of those of tools with limits.
pub(crate) fn is_target_of_hook(tool: &str, arguments: &str) -> bool {
    let is_odd = || arguments.trim_end_matches('}').ends_with(['1', '3', '5', '7', '9']);
    tool == "succeeds" || limited_tools::NAMES.contains(&tool) && is_odd()
}
