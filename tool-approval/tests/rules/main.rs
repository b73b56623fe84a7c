//! Rules about calls that go through a registry.

mod arguments;
mod bash;
mod commands;
mod hostile;
mod messages;
mod order;
mod random;
mod scripts;
mod sessions;
mod settings;

use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use tool_runtime::{Registry, ToolCall, tool, tools};
use tool_runtime_approval::{Rules, Verdict};

/// Runs a command.
#[tool]
#[allow(clippy::needless_pass_by_value, reason = "only the signature matters")]
fn run_command(command: String, #[arg(default = ".".to_owned())] folder: String) -> String {
    format!("ran {command} in {folder}")
}

/// Runs a program.
#[tool]
#[allow(clippy::needless_pass_by_value, reason = "only the signature matters")]
fn run_program(program: Vec<String>) -> String {
    format!("ran {program:?}")
}

/// Reads files.
#[tool(read_only)]
#[allow(clippy::needless_pass_by_value, reason = "only the signature matters")]
fn read_files(paths: Vec<String>, #[arg(default = 0.0)] line: f64) -> String {
    format!("read {paths:?} from {line}")
}

/// Searches.
#[tool(read_only)]
#[allow(clippy::needless_pass_by_value, reason = "only the signature matters")]
fn read_index(text: String) -> String {
    format!("found {text}")
}

/// Deletes a file.
#[tool(destructive, requires_approval)]
#[allow(clippy::needless_pass_by_value, reason = "only the signature matters")]
fn delete_file(path: String) -> String {
    format!("deleted {path}")
}

/// A registry whose hook remembers the verdict about the last call.
struct Judge {
    registry: Registry,
    verdict: Arc<Mutex<Option<(&'static str, String)>>>,
}

impl Judge {
    fn new(rules: Rules) -> Self {
        let verdict = Arc::new(Mutex::new(None));
        let last = Arc::clone(&verdict);
        let builder = Registry::builder()
            .tools(tools![run_command, run_program, read_files, read_index, delete_file])
            .before_call(move |call| {
                let verdict = rules.verdict(&call);
                let found = Some((kind(&verdict), verdict.to_string()));
                *last.lock().unwrap_or_else(PoisonError::into_inner) = found;
                let decision = rules.decide(&call);
                async move { decision }
            });
        Judge { registry: builder.build().expect("five tools"), verdict }
    }

    /// A judge that denies the commands of `rm`, and allows all other ones.
    fn denying_rm() -> Self {
        let command = |pattern: &str| json!({"tool": "run_command", "arguments": {"command": pattern}});
        Judge::new(rules(json!({
            "commands": [{"tool": "run_command", "argument": "command"}],
            "deny": [command("rm *")],
            "allow": [command("*")],
        })))
    }

    /// The text of the tool message.
    async fn call(&self, tool: &str, arguments: impl Into<String>) -> String {
        let mut messages = self.registry.dispatch(&[ToolCall::new("call_1", tool, arguments)]).await;
        messages.remove(0).content.to_string()
    }

    /// The kind of the verdict, and its text.
    async fn verdict(&self, tool: &str, arguments: impl Into<String>) -> (&'static str, String) {
        *self.verdict.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let message = self.call(tool, arguments).await;
        let verdict = self.verdict.lock().unwrap_or_else(PoisonError::into_inner).take();
        verdict.unwrap_or_else(|| panic!("the arguments are valid: {message}"))
    }

    /// The kind of the verdict about a command.
    async fn command(&self, command: &str) -> &'static str {
        self.verdict("run_command", json!({ "command": command }).to_string()).await.0
    }
}

fn kind(verdict: &Verdict<'_>) -> &'static str {
    match verdict {
        Verdict::Denied(_) => "denied",
        Verdict::AllowedCall(_) => "allowed call",
        Verdict::Asks(_) => "asks",
        Verdict::Unclear { .. } => "unclear",
        Verdict::Allowed(_) => "allowed",
        Verdict::Undecided => "undecided",
        _ => "another verdict",
    }
}

/// Reads rules from JSON.
fn rules(settings: Value) -> Rules {
    serde_json::from_value(settings).expect("the settings are valid")
}

/// A random number generator. The seed is printed, and `SEED` sets it.
fn seeded() -> fastrand::Rng {
    let seed =
        std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(|| fastrand::u64(..));
    println!("SEED={seed}");
    fastrand::Rng::with_seed(seed)
}

/// The number in an environment variable.
fn rounds(variable: &str, default: usize) -> usize {
    std::env::var(variable).ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(default)
}
