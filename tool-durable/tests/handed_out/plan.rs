//! The plan of a round: what the model sends, and which processes are killed.

use fastrand::Rng;
use std::time::Duration;
use tool_runtime::{AssistantMessage, ToolCall};

/// The seed of a round.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
}

/// Which process is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Agent,
    Worker,
    Both,
}

/// A kill, after so many further entries of the ledger and this time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kill {
    pub(crate) target: Target,
    pub(crate) entries: usize,
    pub(crate) delay: Duration,
}

const TOOLS: [&str; 4] = ["charge", "refund", "label", "find"];

impl Plan {
    pub(crate) fn new(seed: u64) -> Self {
        Plan { seed }
    }

    fn random(self, part: u64) -> Rng {
        Rng::with_seed(self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(part))
    }

    pub(crate) fn kills(self) -> Vec<Kill> {
        let mut random = self.random(1);
        let kill = |random: &mut Rng| Kill {
            target: [Target::Agent, Target::Worker, Target::Both][random.usize(..3)],
            entries: random.usize(..6),
            delay: Duration::from_micros(random.u64(..8000)),
        };
        (0..random.usize(1..6)).map(|_| kill(&mut random)).collect()
    }

    /// The reply with this number. A model that is asked again sends other calls, so `ask` is the number of requests so far.
    pub(crate) fn reply(self, number: usize, ask: usize) -> AssistantMessage {
        if number >= self.random(2).usize(1..4) {
            return AssistantMessage::from_text("Done.");
        }
        let mut random = self.random(100 + (number * 1000 + ask) as u64);
        let call = |position: usize, random: &mut Rng| {
            let (tool, order) = (TOOLS[random.usize(..TOOLS.len())], random.u32(..1_000_000));
            ToolCall::new(format!("call_{position}"), tool, format!(r#"{{"order":{order}}}"#))
        };
        AssistantMessage::from_tool_calls((0..random.usize(1..5)).map(|position| call(position, &mut random)))
    }

    /// The time that a tool takes before and after its effect.
    pub(crate) fn work(self, order: u32) -> Duration {
        Duration::from_micros(self.random(u64::from(order)).u64(..5000))
    }
}
