//! The registry of a round: its tools, its hook and its options.

use crate::ledger::Ledger;
use crate::plan::{Arguments, COUNTED, COUNTED_CALLS, Declared, TOOLS};
use crate::silence::PLANNED;
use fastrand::Rng;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tool_runtime::dispatch::{Decision, ProposedCall};
use tool_runtime::{CallContext, DynamicTool, Registry, ToolOutput, tool, tools};

/// The policy of the program, which changes between runs.
#[derive(Debug)]
pub(crate) struct Policy {
    seed: u64,
    /// Whether the hook decides about calls.
    decides: bool,
    pub(crate) version: AtomicU64,
}

impl Policy {
    pub(crate) fn random(random: &mut Rng) -> Self {
        Policy { seed: random.u64(..), decides: random.bool(), version: AtomicU64::new(0) }
    }

    fn random_for(&self, n: u64) -> Rng {
        let version = self.version.load(Ordering::Relaxed);
        Rng::with_seed(self.seed.wrapping_add(n.wrapping_mul(1_000_003)).wrapping_add(version))
    }

    /// Whether the policy leaves the decision about this call to a person, if it needs one.
    pub(crate) fn is_undecided(&self, n: u64) -> bool {
        !self.decides || self.random_for(n).u8(..20) > 4
    }

    async fn decide(&self, ledger: &Ledger, call: ProposedCall) -> Decision {
        let Some(arguments) = Arguments::read(call.arguments()) else {
            ledger.violation("the hook receives invalid arguments");
            return Decision::Undecided;
        };
        let n = arguments.n;
        if n % 5 == 0 {
            tokio::time::sleep(Duration::from_millis(n % 20)).await;
        }
        if self.is_undecided(n) {
            return Decision::Undecided;
        }
        let mut records = ledger.records();
        match self.random_for(n).u8(..20) {
            0 => {
                records.approved_by_hook.insert(arguments);
                Decision::Run
            }
            1 => {
                if let Some(call) = records.call_mut(n) {
                    call.is_answered_by_hook = true;
                }
                Decision::Respond(answer_of_hook(n).into())
            }
            number => {
                if let Some(call) = records.call_mut(n) {
                    call.is_denied_by_hook = true;
                }
                if number == 2 {
                    std::panic::panic_any(PLANNED);
                }
                Decision::Deny("denied by policy".into())
            }
        }
    }
}

pub(crate) fn answer_of_hook(n: u64) -> String {
    format!("{n} is known")
}

/// Changes nothing.
#[tool(read_only)]
async fn look(
    n: u64,
    ms: u64,
    end: String,
    #[state] ledger: &Arc<Ledger>,
    #[context] call: &CallContext,
) -> Result<ToolOutput, String> {
    Arc::clone(ledger).run("look", Arguments { n, ms, end }, call.clone()).await
}

/// Changes something.
#[tool]
async fn act(
    n: u64,
    ms: u64,
    end: String,
    #[state] ledger: &Arc<Ledger>,
    #[context] call: &CallContext,
) -> Result<ToolOutput, String> {
    Arc::clone(ledger).run("act", Arguments { n, ms, end }, call.clone()).await
}

/// Changes something that a person approves.
#[tool(requires_approval)]
async fn pay(
    n: u64,
    ms: u64,
    end: String,
    #[state] ledger: &Arc<Ledger>,
    #[context] call: &CallContext,
) -> Result<ToolOutput, String> {
    Arc::clone(ledger).run("pay", Arguments { n, ms, end }, call.clone()).await
}

/// The other tools are dynamic.
fn dynamic(declared: &'static Declared, ledger: &Arc<Ledger>) -> DynamicTool {
    let number = json!({ "type": "integer" });
    let parameters = json!({ "type": "object", "required": ["n", "ms", "end"],
        "properties": { "n": number, "ms": number, "end": { "type": "string" } } });
    let ledger = Arc::clone(ledger);
    let mut tool = if declared.is_external {
        DynamicTool::external(declared.name, "Runs elsewhere.", parameters)
    } else {
        DynamicTool::with_context(declared.name, "Runs here.", parameters, move |arguments, call| {
            let ledger = Arc::clone(&ledger);
            async move {
                let arguments = Arguments::read(&Value::Object(arguments).to_string());
                ledger.run(declared.name, arguments.ok_or("the arguments are invalid")?, call).await
            }
        })
    };
    if declared.is_read_only {
        tool = tool.read_only();
    }
    if declared.is_idempotent {
        tool = tool.idempotent();
    }
    if declared.requires_approval {
        tool = tool.requires_approval();
    }
    if declared.name == COUNTED { tool.max_calls(COUNTED_CALLS) } else { tool }
}

/// The options of the registry of a round.
#[derive(Debug)]
pub(crate) struct Options {
    has_middleware: bool,
    pub(crate) starts_all_while_streaming: bool,
    max_concurrency: Option<usize>,
}

impl Options {
    pub(crate) fn random(random: &mut Rng) -> Self {
        Options {
            has_middleware: random.u8(..4) == 0,
            starts_all_while_streaming: random.u8(..4) == 0,
            max_concurrency: (random.u8(..4) == 0).then(|| random.usize(1..3)),
        }
    }

    pub(crate) fn registry(&self, ledger: &Arc<Ledger>, policy: &Arc<Policy>) -> Registry {
        let mut registry = Registry::builder().tools(tools![look, act, pay]).state(Arc::clone(ledger));
        let is_dynamic = |declared: &&Declared| !["look", "act", "pay"].contains(&declared.name);
        for declared in TOOLS.iter().filter(is_dynamic) {
            registry = registry.dynamic(dynamic(declared, ledger));
        }
        if policy.decides {
            let (ledger, policy) = (Arc::clone(ledger), Arc::clone(policy));
            registry = registry.before_call(move |call| {
                let (ledger, policy) = (Arc::clone(&ledger), Arc::clone(&policy));
                async move { policy.decide(&ledger, call).await }
            });
        }
        if self.has_middleware {
            registry = registry.around_call(|call| async move { call.run().await });
        }
        if self.starts_all_while_streaming {
            registry = registry.start_all_while_streaming(true);
        }
        if let Some(permits) = self.max_concurrency {
            registry = registry.max_concurrency(permits);
        }
        registry.build().expect("the tools are valid")
    }
}
