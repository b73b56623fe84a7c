//! The script of the coding agent.

use super::{answer, calls};
use serde_json::json;
use tool_runtime_testing::ScriptedModel;

/// Reads the folder, runs a command, and reports its result; further messages get an answer.
pub fn script() -> ScriptedModel {
    let read = calls([("call_read", "read", json!({ "path": "." }))]);
    let run = calls([("call_run", "run", json!({ "command": "git log --oneline | head -n 3" }))]);
    let conclude = |results: &[&str]| format!("The newest commits:\n{}", results.last().unwrap_or(&"none"));
    let end = || answer(|_| "This script has ended. Set a base URL for a real model.".to_owned());
    ScriptedModel::new([read.into(), run.into(), answer(conclude), end(), end(), end(), end()])
}
