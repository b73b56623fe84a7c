//! Random replies.

use crate::journal_of_events::{Entries, Entry};
use fastrand::Rng;
use serde_json::json;
use std::time::Duration;
use tool_runtime::dispatch::CallContext;
use tool_runtime::{AssistantMessage, DynamicTool, Registry, ToolCall, tool, tools};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    ApprovedRead,
    ExclusiveRead,
    Effect,
    ApprovedEffect,
    ExclusiveEffect,
    BlockingEffect,
    External,
    ExternalRead,
    FailingEffect,
    InvalidEffect,
    UnknownTool,
}

const KINDS: [Kind; 12] = [
    Kind::Read,
    Kind::ApprovedRead,
    Kind::ExclusiveRead,
    Kind::Effect,
    Kind::ApprovedEffect,
    Kind::ExclusiveEffect,
    Kind::BlockingEffect,
    Kind::External,
    Kind::ExternalRead,
    Kind::FailingEffect,
    Kind::InvalidEffect,
    Kind::UnknownTool,
];

impl Kind {
    fn tool(self) -> &'static str {
        match self {
            Kind::Read => "read",
            Kind::ApprovedRead => "approved_read",
            Kind::ExclusiveRead => "exclusive_read",
            Kind::Effect | Kind::InvalidEffect => "effect",
            Kind::ApprovedEffect => "approved_effect",
            Kind::ExclusiveEffect => "exclusive_effect",
            Kind::BlockingEffect => "blocking_effect",
            Kind::External => "external",
            Kind::ExternalRead => "external_read",
            Kind::FailingEffect => "failing_effect",
            Kind::UnknownTool => "no_such_tool",
        }
    }

    pub(crate) fn is_barrier(self, ordered_effects: bool) -> bool {
        match self {
            Kind::ExclusiveRead | Kind::ExclusiveEffect => true,
            Kind::Read | Kind::ApprovedRead | Kind::ExternalRead | Kind::UnknownTool => false,
            _ => ordered_effects,
        }
    }

    /// Whether a call must not begin twice.
    pub(crate) fn has_effect(self) -> bool {
        !matches!(self, Kind::Read | Kind::ApprovedRead | Kind::ExclusiveRead)
    }
}

/// The replies of one round, and how the registry runs their calls.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) ordered_effects: bool,
    pub(crate) start_all: bool,
    pub(crate) max_concurrency: Option<usize>,
    pub(crate) has_middleware: bool,
    /// The kinds of the calls of each reply.
    pub(crate) replies: Vec<Vec<Kind>>,
    /// The time that each call takes, in milliseconds.
    times: Vec<Vec<u64>>,
}

impl Plan {
    pub(crate) fn new(random: &mut Rng) -> Self {
        let replies: Vec<Vec<Kind>> = (0..random.usize(1..=2))
            .map(|_| (0..random.usize(1..=7)).map(|_| KINDS[random.usize(..KINDS.len())]).collect())
            .collect();
        let times =
            replies.iter().map(|calls| calls.iter().map(|_| random.u64(0..4) * 10).collect()).collect();
        Plan {
            ordered_effects: random.bool(),
            start_all: random.u8(..4) == 0,
            max_concurrency: if random.bool() { None } else { Some(random.usize(1..=2)) },
            has_middleware: random.u8(..4) == 0,
            replies,
            times,
        }
    }

    pub(crate) fn id(reply: usize, position: usize) -> String {
        format!("call_{reply}_{position}")
    }

    /// The replies of the model, and its answer.
    pub(crate) fn messages(&self) -> Vec<AssistantMessage> {
        let call = |reply: usize, position: usize, kind: Kind| {
            let time = self.times[reply][position];
            let arguments = match kind {
                Kind::InvalidEffect => json!({"time": "long"}),
                _ => json!({"time": time}),
            };
            ToolCall::new(Plan::id(reply, position), kind.tool(), arguments.to_string())
        };
        let replies = self.replies.iter().enumerate().map(|(reply, kinds)| {
            let calls = kinds.iter().enumerate().map(|(position, &kind)| call(reply, position, kind));
            AssistantMessage::from_tool_calls(calls)
        });
        replies.chain([AssistantMessage::from_text("Done.")]).collect()
    }

    pub(crate) fn registry(&self, entries: &Entries) -> Registry {
        let external = |name| {
            let parameters = json!({"type": "object", "properties": {"time": {"type": "integer"}}});
            DynamicTool::external(name, "Runs elsewhere.", parameters)
        };
        let mut registry = Registry::builder()
            .tools(tools![
                read,
                approved_read,
                exclusive_read,
                effect,
                approved_effect,
                exclusive_effect,
                blocking_effect,
                failing_effect
            ])
            .dynamic(external("external"))
            .dynamic(external("external_read").read_only())
            .state(entries.clone())
            .note_repeated_calls(None)
            .ordered_effects(self.ordered_effects)
            .start_all_while_streaming(self.start_all);
        if let Some(limit) = self.max_concurrency {
            registry = registry.max_concurrency(limit);
        }
        if self.has_middleware {
            registry = registry.around_call(|call| async move { call.run().await });
        }
        registry.build().expect("the tools are valid")
    }
}

async fn work(time: u64, entries: &Entries, call: &CallContext) -> String {
    entries.add(Entry::Begins { id: call.id().to_owned() });
    tokio::time::sleep(Duration::from_millis(time)).await;
    format!("result of {}", call.id())
}

/// Reads.
#[tool(read_only)]
async fn read(time: u64, #[state] entries: &Entries, #[context] call: &CallContext) -> String {
    work(time, entries, call).await
}

/// Reads after an approval.
#[tool(read_only, requires_approval)]
async fn approved_read(time: u64, #[state] entries: &Entries, #[context] call: &CallContext) -> String {
    work(time, entries, call).await
}

/// Reads alone.
#[tool(read_only, exclusive)]
async fn exclusive_read(time: u64, #[state] entries: &Entries, #[context] call: &CallContext) -> String {
    work(time, entries, call).await
}

/// Has an effect.
#[tool]
async fn effect(time: u64, #[state] entries: &Entries, #[context] call: &CallContext) -> String {
    work(time, entries, call).await
}

/// Has an effect after an approval.
#[tool(requires_approval)]
async fn approved_effect(time: u64, #[state] entries: &Entries, #[context] call: &CallContext) -> String {
    work(time, entries, call).await
}

/// Has an effect alone.
#[tool(exclusive, max_concurrency = 1)]
async fn exclusive_effect(time: u64, #[state] entries: &Entries, #[context] call: &CallContext) -> String {
    work(time, entries, call).await
}

/// Has an effect on a thread.
#[tool(blocking)]
fn blocking_effect(time: u64, #[state] entries: &Entries, #[context] call: &CallContext) -> String {
    let _ = time;
    entries.add(Entry::Begins { id: call.id().to_owned() });
    format!("result of {}", call.id())
}

/// Has an effect, and fails.
#[tool]
async fn failing_effect(
    time: u64,
    #[state] entries: &Entries,
    #[context] call: &CallContext,
) -> Result<String, String> {
    Err(work(time, entries, call).await)
}
