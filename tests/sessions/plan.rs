//! The random replies of the model, and their calls.

use crate::ledger::Ledger;
use crate::planned_reply::{PlannedCall, PlannedReply, ReplyKind};
use fastrand::Rng;
use serde_json::{Value, json};

/// The declaration of a tool.
#[allow(clippy::struct_excessive_bools, reason = "each is an option of a tool")]
pub(crate) struct Declared {
    pub(crate) name: &'static str,
    pub(crate) is_read_only: bool,
    pub(crate) is_idempotent: bool,
    pub(crate) requires_approval: bool,
    /// Whether its results come from elsewhere.
    pub(crate) is_external: bool,
}

/// The tool whose calls are counted: `max_calls` allows [`COUNTED_CALLS`].
pub(crate) const COUNTED: &str = "counted";
pub(crate) const COUNTED_CALLS: usize = 2;

/// The options: `r`ead only, `i`dempotent, requires `a`pproval, `e`xternal.
const fn tool(name: &'static str, options: &[u8]) -> Declared {
    let mut declared = Declared {
        name,
        is_read_only: false,
        is_idempotent: false,
        requires_approval: false,
        is_external: false,
    };
    let mut position = 0;
    while position < options.len() {
        match options[position] {
            b'r' => declared.is_read_only = true,
            b'i' => declared.is_idempotent = true,
            b'a' => declared.requires_approval = true,
            _ => declared.is_external = true,
        }
        position += 1;
    }
    declared
}

pub(crate) const TOOLS: [Declared; 11] = [
    tool("look", b"r"),
    tool("read", b"r"),
    tool("put", b"i"),
    tool("act", b""),
    tool("send", b""),
    tool("pay", b"a"),
    tool("confirm", b"ia"),
    tool("peek", b"ra"),
    tool(COUNTED, b""),
    tool("remote", b"e"),
    tool("remote_pay", b"ea"),
];

pub(crate) fn declared(tool: &str) -> Option<&'static Declared> {
    TOOLS.iter().find(|declared| declared.name == tool)
}

impl Declared {
    /// Whether an interrupted call may run again.
    pub(crate) fn may_repeat(&self) -> bool {
        self.is_read_only || self.is_idempotent
    }
}

/// The arguments of a call, which identify it: each `n` is unique in a round.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Arguments {
    pub(crate) n: u64,
    pub(crate) ms: u64,
    pub(crate) end: String,
}

impl Arguments {
    pub(crate) fn random(n: u64, random: &mut Rng) -> Self {
        let ms = if random.u8(..3) == 0 { 0 } else { random.u64(1..40) };
        let end = match random.u8(..16) {
            0 | 1 => "fails",
            2 => "panics",
            3 | 4 => "waits",
            _ => "returns",
        };
        Arguments { n, ms, end: end.to_owned() }
    }

    /// The arguments in a JSON text; `None` if it has others.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let (n, ms) = (value["n"].as_u64()?, value["ms"].as_u64()?);
        Some(Arguments { n, ms, end: value["end"].as_str()?.to_owned() })
    }

    pub(crate) fn to_value(&self) -> Value {
        json!({ "n": self.n, "ms": self.ms, "end": self.end })
    }
}

/// The `n` in the arguments of a call, which may be invalid or truncated; `None` if it has not arrived entirely.
pub(crate) fn number_in(arguments: &str) -> Option<u64> {
    let (_, rest) = arguments.split_once("\"n\":")?;
    let rest = rest.trim_start();
    let end = rest.find(|letter: char| !letter.is_ascii_digit())?;
    rest[..end].parse().ok()
}

/// The habits of the server and the model of a round.
#[allow(clippy::struct_excessive_bools, reason = "each is a habit")]
#[derive(Clone, Debug)]
pub(crate) struct Habits {
    /// Whether the ids count from `call_0` in each reply.
    pub(crate) repeats_ids: bool,
    pub(crate) reports_usage: bool,
    pub(crate) max_calls: usize,
    /// In percent.
    pub(crate) answers: u8,
    /// In percent.
    pub(crate) breaks: u8,
    /// Whether the provider pauses replies.
    pub(crate) pauses: bool,
    /// Whether arguments can be any text.
    pub(crate) has_texts: bool,
}

impl PlannedReply {
    pub(crate) fn random(
        habits: &Habits,
        ledger: &Ledger,
        allowed: Option<&Vec<String>>,
        random: &mut Rng,
    ) -> Self {
        let kind = match random.u8(..100) {
            percent if percent < habits.answers => match random.u8(..10) {
                0 => ReplyKind::Truncated,
                1 => ReplyKind::Empty,
                2 => ReplyKind::Refusal,
                3 => ReplyKind::Filtered,
                4 | 5 if habits.pauses => ReplyKind::Paused,
                _ => ReplyKind::Answer,
            },
            percent if percent > 94 => ReplyKind::TruncatedCalls,
            _ => ReplyKind::Calls,
        };
        let number = random.u32(..);
        let has_calls = matches!(kind, ReplyKind::Calls | ReplyKind::TruncatedCalls);
        let calls = if has_calls { random.usize(1..=habits.max_calls) } else { 0 };
        let mut calls: Vec<PlannedCall> = (0..calls)
            .map(|position| PlannedCall::random(position, habits, ledger, allowed, random))
            .collect();
        if let (ReplyKind::TruncatedCalls, Some(last)) = (kind, calls.last_mut()) {
            let kept = last.text.len() - random.usize(1..last.text.len());
            last.text.truncate(kept);
        }
        let has_text = match kind {
            ReplyKind::Answer | ReplyKind::Truncated | ReplyKind::Paused => true,
            ReplyKind::Empty | ReplyKind::Refusal | ReplyKind::Filtered => false,
            ReplyKind::Calls | ReplyKind::TruncatedCalls => random.bool(),
        };
        PlannedReply {
            kind,
            response_id: format!("response_{number}"),
            text: if has_text { format!("the text of {number}") } else { String::new() },
            calls,
            usage: habits.reports_usage.then(|| (random.u64(1..100), random.u64(1..20))),
        }
    }
}

impl PlannedCall {
    fn random(
        position: usize,
        habits: &Habits,
        ledger: &Ledger,
        allowed: Option<&Vec<String>>,
        random: &mut Rng,
    ) -> Self {
        let id = match random.u8(..12) {
            _ if habits.repeats_ids => format!("call_{position}"),
            0 => String::new(),
            1 => "call_0".to_owned(),
            _ => format!("call_{:x}", random.u64(..)),
        };
        let tool = match random.usize(..=TOOLS.len()) {
            unknown if unknown == TOOLS.len() => "nothing",
            known => TOOLS[known].name,
        };
        let n = ledger.plan(tool, allowed, random);
        let mut arguments = Arguments::random(n, random).to_value();
        let mut text = None;
        match random.u8(..20) {
            0 => arguments["ms"] = json!("soon"),
            1 => arguments = json!({ "n": n }),
            2 if habits.has_texts => text = Some(format!("{{\"n\":{n},\"ms\"")),
            _ => {}
        }
        let text = text.unwrap_or_else(|| arguments.to_string());
        PlannedCall { id, tool, arguments, text }
    }
}
