//! The random input of one round: a registry with limits, and calls of every kind.

use crate::tools::{self, Running, Tenant};
use fastrand::Rng;
use std::sync::Arc;
use std::time::Duration;
use tool_runtime::dispatch::Decision;
use tool_runtime::{Registry, ToolCall};

/// The limits of one registry, and the cancellation and drop of its batches.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_concurrency: Option<usize>,
    pub(crate) max_output_bytes: Option<usize>,
    pub(crate) max_calls: Option<usize>,
    pub(crate) hook: Option<Hook>,
    pub(crate) cancelled_after: Option<Duration>,
    pub(crate) dropped_after: Option<Duration>,
    pub(crate) batches: usize,
    pub(crate) max_planned_calls: usize,
}

/// The behaviour of the hook, for every call or for those of `succeeds`.
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

/// The behaviour of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Unknown,
    NotJson,
    WrongArguments,
    DecoderPanics,
    Succeeds(u32),
    Fails(u32),
    PanicsAtOnce,
    PanicsAfter(u64),
    Sleeps(u64),
    SleepsReadOnly(u64),
    SleepsWithTimeout(u64),
    Hangs,
    HangsUntilCancelled,
    Blocks(u32),
    PanicsOnAThread,
    ReturnsLong,
    Unserializable,
    SerializerPanics,
    NeedsApproval(u32),
}

pub(crate) struct Planned {
    pub(crate) call: ToolCall,
    pub(crate) kind: Kind,
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
        Settings {
            timeout,
            hook,
            max_concurrency: sometimes(random, |random| random.usize(1..8)),
            max_output_bytes: sometimes(random, |random| random.usize(1..400)),
            max_calls: sometimes(random, |random| random.usize(1..20)),
            cancelled_after: sometimes(random, |random| ms(random.u64(0..120))),
            dropped_after: (random.u8(..8) == 0).then(|| ms(random.u64(0..120))),
            batches: random.usize(1..=3),
            // Batches of more than 30 calls are polled in another way.
            max_planned_calls: if random.u8(..10) == 0 { 60 } else { 12 },
        }
    }

    pub(crate) fn registry(&self, running: &Arc<Running>) -> Registry {
        let mut registry = Registry::builder()
            .tools(tools::all())
            .state(Arc::clone(running))
            .batch_state::<Tenant>()
            .batch_state::<Arc<tokio::sync::Barrier>>();
        if let Some(timeout) = self.timeout {
            registry = registry.timeout(timeout);
        }
        if let Some(tools) = self.max_concurrency {
            registry = registry.max_concurrency(tools);
        }
        if let Some(bytes) = self.max_output_bytes {
            registry = registry.max_output_bytes(bytes);
        }
        if let Some(calls) = self.max_calls {
            registry = registry.max_calls_per_batch(calls);
        }
        if let Some(hook) = self.hook {
            registry = registry.before_call(move |call| async move {
                let is_target = call.tool() == "succeeds";
                match hook {
                    _ if call.tool() == "meets" => Decision::Run,
                    Hook::Undecided => Decision::Undecided,
                    Hook::Slow(duration) => {
                        tokio::time::sleep(duration).await;
                        Decision::Run
                    }
                    Hook::Denies if is_target => Decision::deny("denied by the hook"),
                    Hook::Answers if is_target => Decision::respond("answered by the hook"),
                    Hook::Panics if is_target => std::panic::panic_any(crate::silence::PLANNED),
                    Hook::Hangs if is_target => std::future::pending().await,
                    _ => Decision::Run,
                }
            });
        }
        registry.build().expect("a registry")
    }

    /// Whether a tool that never returns ends.
    fn ends_all(&self) -> bool {
        self.timeout.is_some() || self.cancelled_after.is_some() || self.dropped_after.is_some()
    }
}

pub(crate) fn batch(settings: &Settings, random: &mut Rng) -> Vec<Planned> {
    let calls = random.usize(..=settings.max_planned_calls);
    (0..calls).map(|_| planned(settings, random)).collect()
}

fn planned(settings: &Settings, random: &mut Rng) -> Planned {
    let n = random.u32(..1_000);
    let sleep = random.u64(0..100);
    let kind = match random.u8(..40) {
        0 | 1 => Kind::Unknown,
        2 | 3 => Kind::NotJson,
        4 | 5 => Kind::WrongArguments,
        6 => Kind::DecoderPanics,
        7..=12 => Kind::Succeeds(n),
        13..=15 => Kind::Fails(n),
        16 | 17 => Kind::PanicsAtOnce,
        18 | 19 => Kind::PanicsAfter(sleep),
        20..=23 => Kind::Sleeps(sleep),
        24 | 25 => Kind::SleepsReadOnly(sleep),
        26 | 27 => Kind::SleepsWithTimeout(sleep),
        28 | 29 if settings.ends_all() => Kind::Hangs,
        30 | 31 if settings.ends_all() => Kind::HangsUntilCancelled,
        32 => Kind::Blocks(n),
        33 => Kind::PanicsOnAThread,
        34 if random.u8(..4) == 0 => Kind::ReturnsLong,
        35 => Kind::Unserializable,
        36 => Kind::SerializerPanics,
        _ => Kind::NeedsApproval(n),
    };
    let of_n = |n: u32| format!(r#"{{"n":{n}}}"#);
    let of_ms = |ms: u64| format!(r#"{{"ms":{ms}}}"#);
    let none = || (*random_of(&["{}", "", " ", "null", "\"null\""], n)).to_owned();
    let (name, arguments) = match kind {
        Kind::Unknown => (*random_of(&["suceeds", "", "工具", "sleeps "], n), none()),
        Kind::NotJson => {
            ("succeeds", (*random_of(&["{", "{\"n\":1", "n=1", "{\"n\":1}}", "\u{0}"], n)).to_owned())
        }
        Kind::WrongArguments => (
            "succeeds",
            (*random_of(&["{}", "{\"n\":-1}", "{\"n\":\"1\"}", "{\"n\":1,\"m\":2}"], n)).to_owned(),
        ),
        Kind::DecoderPanics => ("decoder_panics", r#"{"value":{"set":true}}"#.to_owned()),
        Kind::Succeeds(n) => ("succeeds", of_n(n)),
        Kind::Fails(n) => ("fails", of_n(n)),
        Kind::PanicsAtOnce => ("panics_at_once", none()),
        Kind::PanicsAfter(ms) => ("panics_after", of_ms(ms)),
        Kind::Sleeps(ms) => ("sleeps", of_ms(ms)),
        Kind::SleepsReadOnly(ms) => ("sleeps_read_only", of_ms(ms)),
        Kind::SleepsWithTimeout(ms) => ("sleeps_with_timeout", of_ms(ms)),
        Kind::Hangs => ("hangs", none()),
        Kind::HangsUntilCancelled => ("hangs_until_cancelled", none()),
        Kind::Blocks(n) => ("blocks", of_n(n)),
        Kind::PanicsOnAThread => ("panics_on_a_thread", none()),
        Kind::ReturnsLong => ("returns_long", none()),
        Kind::Unserializable => ("unserializable", none()),
        Kind::SerializerPanics => ("serializer_panics", none()),
        Kind::NeedsApproval(n) => ("needs_approval", of_n(n)),
    };
    let id = match random.u8(..6) {
        0 => String::new(),
        1 => "call_0".to_owned(),
        2 => "функция".to_owned(),
        3 => "x".repeat(300),
        _ => format!("call_{:x}", random.u64(..)),
    };
    Planned { call: ToolCall::new(id, name, arguments), kind }
}

fn random_of<T>(all: &[T], n: u32) -> &T {
    &all[n as usize % all.len()]
}
