//! Functions that run the calls of tools that a provider defines, for tests and for the requests that `print_requests` prints.

use serde::Deserialize;
use serde_json::{Value, json};
use tool_runtime::message::Part;
use tool_runtime::{ToolOutput, tool};

pub(crate) const PNG: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// Edits a file.
#[tool]
pub(crate) fn edit_file(command: &str, path: &str, view_range: Option<[u32; 2]>) -> String {
    format!("{command} {path} {view_range:?}: 1 line")
}

/// Runs a command.
#[tool]
pub(crate) fn run_command(command: Option<&str>, restart: Option<bool>) -> Result<String, String> {
    match command {
        Some("false") => Err("exit code 1".to_owned()),
        command => Ok(format!("{command:?} {restart:?}")),
    }
}

/// Reads and writes memories.
#[tool]
pub(crate) fn memories(command: &str, path: Option<&str>) -> String {
    format!("{command} {path:?}")
}

/// Uses the computer.
#[tool]
pub(crate) fn use_computer(action: &str, coordinate: Option<[i32; 2]>) -> ToolOutput {
    ToolOutput::from(format!("{action} {coordinate:?}")).with_part(Part::image("image/png", PNG))
}

/// Runs commands of OpenAI's shell.
#[tool]
pub(crate) fn run_commands(
    commands: &[String],
    timeout_ms: Option<u64>,
    max_output_length: Option<u64>,
) -> Result<Value, String> {
    let _ = (timeout_ms, max_output_length);
    let output = |command: &String| {
        let outcome = match &**command {
            "sleep" => json!({ "type": "timeout" }),
            _ => json!({ "type": "exit", "exit_code": 0 }),
        };
        json!({ "stdout": command, "stderr": "", "outcome": outcome })
    };
    match commands {
        [command] if command == "false" => Err("there is no shell".to_owned()),
        commands => Ok(commands.iter().map(output).collect()),
    }
}

/// The operation of a patch.
#[derive(Clone, Copy, Deserialize, schemars::JsonSchema)]
pub(crate) enum Operation {
    #[serde(rename = "create_file")]
    Create,
    #[serde(rename = "update_file")]
    Update,
    #[serde(rename = "delete_file")]
    Delete,
}

/// Applies a patch.
#[tool]
pub(crate) fn apply_patch(
    #[arg(name = "type")] operation: Operation,
    path: &str,
    diff: Option<&str>,
) -> Result<String, String> {
    match operation {
        Operation::Delete => Err(format!("{path} is read-only")),
        Operation::Create | Operation::Update => Ok(format!("{path}: {diff:?}")),
    }
}

/// Uses the computer with OpenAI's actions.
#[tool]
pub(crate) fn do_actions(
    actions: &[Value],
    pending_safety_checks: Option<&[Value]>,
) -> Result<ToolOutput, String> {
    let _ = pending_safety_checks;
    match actions[0]["type"].as_str() {
        Some("wait") => Err("the display is off".to_owned()),
        _ => Ok(ToolOutput::new().with_part(Part::image("image/png", PNG))),
    }
}
