//! The script of the approval example.

use super::{answer, calls};
use serde_json::json;
use tool_runtime_testing::ScriptedModel;

/// Lists the notes, deletes two of them, and reports the results.
pub fn script() -> ScriptedModel {
    let list = calls([("call_list", "list_notes", json!({}))]);
    let delete = calls([
        ("call_draft", "delete_note", json!({ "name": "draft" })),
        ("call_taxes", "delete_note", json!({ "name": "taxes" })),
    ]);
    ScriptedModel::new([list.into(), delete.into(), answer(report)])
}

fn report(results: &[&str]) -> String {
    let sentences = results.iter().skip(1).map(|result| match result.strip_prefix("Error: ") {
        None => format!("Done: {result}."),
        Some(reason) => format!("I kept a note: {reason}."),
    });
    sentences.collect::<Vec<_>>().join(" ")
}
