//! The random calls of one round, of every kind.

use crate::limited_tools;
use crate::middleware::{Behaviour, Behaviours};
use crate::settings::Settings;
use fastrand::Rng;
use serde_json::json;
use tool_runtime::ToolCall;

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
    Flaky(u32),
    Reports {
        steps: u64,
        ms: u64,
    },
    /// A call of a tool with limits.
    Limited(&'static str, u64),
}

/// The calls of one reply.
pub(crate) struct Batch {
    pub(crate) calls: Vec<Planned>,
    /// The names of the tools that the batch allows.
    pub(crate) allowed: Option<Vec<&'static str>>,
}

impl Batch {
    pub(crate) fn behaviours(&self) -> Behaviours {
        Behaviours(self.calls.iter().map(|planned| planned.middleware.clone()).collect())
    }
}

#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) call: ToolCall,
    /// The call as the model sends it: this call, or one of `call_tool` that contains it.
    pub(crate) sent: ToolCall,
    pub(crate) kind: Kind,
    /// The behaviour of each middleware, the outermost first.
    pub(crate) middleware: Vec<Behaviour>,
}

pub(crate) fn batch(settings: &Settings, random: &mut Rng) -> Batch {
    let calls = random.usize(..=settings.max_planned_calls);
    // Some batches have many calls of one tool with limits.
    let frequent = (random.u8(..3) == 0).then(|| *random_of(&limited_tools::NAMES, random.u32(..)));
    let calls: Vec<Planned> = (0..calls).map(|_| planned(settings, frequent, random)).collect();
    let names = ["succeeds", "fails", "sleeps", "blocks", "flaky", "reports", "counted", "dynamic"];
    let allowed = (random.u8(..6) == 0).then(|| names.into_iter().filter(|_| random.u8(..4) > 0).collect());
    Batch { calls, allowed }
}

fn random_kind(settings: &Settings, random: &mut Rng) -> Kind {
    let n = random.u32(..1_000);
    let sleep = random.u64(0..100);
    match random.u8(..52) {
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
        28 | 29 if settings.ends_all_runs() => Kind::Hangs,
        30 | 31 if settings.ends_all_runs() => Kind::HangsUntilCancelled,
        32 => Kind::Blocks(n),
        33 => Kind::PanicsOnAThread,
        34 if random.u8(..4) == 0 => Kind::ReturnsLong,
        35 => Kind::Unserializable,
        36 => Kind::SerializerPanics,
        37..=40 => Kind::Flaky(n % 4),
        41..=43 => Kind::Reports { steps: u64::from(n % 4), ms: sleep / 3 },
        44..=48 => Kind::Limited(random_of::<&str>(&limited_tools::NAMES, n), sleep / 2),
        _ => Kind::NeedsApproval(n),
    }
}

fn planned(settings: &Settings, frequent: Option<&'static str>, random: &mut Rng) -> Planned {
    let n = random.u32(..1_000);
    let kind = match frequent {
        Some(tool) if random.bool() => Kind::Limited(tool, random.u64(0..50)),
        _ => random_kind(settings, random),
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
            *random_of(&["succeeds", "counted"], n / 4),
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
        Kind::Flaky(failures) => ("flaky", format!(r#"{{"failures":{failures}}}"#)),
        Kind::Reports { steps, ms } => ("reports", format!(r#"{{"steps":{steps},"ms":{ms}}}"#)),
        Kind::Limited(tool, ms) => (tool, of_ms(ms)),
    };
    let id = match random.u8(..12) {
        0 => String::new(),
        1 => "call_0".to_owned(),
        2 => "функция".to_owned(),
        3 => "x".repeat(300),
        _ => format!("call_{:x}", random.u64(..)),
    };
    let middleware = middleware(settings, kind, random);
    let call = ToolCall::new(id, name, arguments);
    let sent =
        if settings.has_search && random.bool() { with_call_tool(&call, random) } else { call.clone() };
    Planned { call, sent, kind, middleware }
}

/// A call of `call_tool` that contains this call, with an object or with a string.
fn with_call_tool(call: &ToolCall, random: &mut Rng) -> ToolCall {
    let object = serde_json::from_str(&call.arguments).ok().filter(serde_json::Value::is_object);
    let arguments = object.filter(|_| random.bool()).unwrap_or_else(|| json!(call.arguments));
    ToolCall::new(&call.id, "call_tool", json!({ "name": call.name, "arguments": arguments }).to_string())
}

/// The behaviours of one call. At most two of them run it twice, so that the oracle has few possible ends.
fn middleware(settings: &Settings, kind: Kind, random: &mut Rng) -> Vec<Behaviour> {
    let mut doubles = 0;
    let behaviour = |&reads_context: &bool| {
        if !reads_context {
            return Behaviour::Pass;
        }
        let behaviour = Behaviour::random(settings, kind, random);
        doubles += u8::from(matches!(behaviour, Behaviour::RunTwice | Behaviour::RunTwiceAtOnce));
        if doubles > 2 { Behaviour::Pass } else { behaviour }
    };
    settings.middleware.iter().map(behaviour).collect()
}

fn random_of<T>(all: &[T], n: u32) -> &T {
    &all[n as usize % all.len()]
}
