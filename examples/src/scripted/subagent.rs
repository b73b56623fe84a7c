//! The script of the subagent example.

use super::{answer, calls};
use serde_json::json;
use tool_runtime_testing::ScriptedModel;

/// A call of `research`, the replies of its session, then an answer.
pub fn script() -> ScriptedModel {
    let question = "How many days of holidays are there, and when do they expire?";
    let research = calls([("call_research", "research", json!({ "question": question }))]);
    let find = calls([("call_find", "find_pages", json!({ "word": "holidays" }))]);
    let read = calls([
        ("call_page", "read_page", json!({ "name": "holidays" })),
        ("call_other", "read_page", json!({ "name": "calendar" })),
    ]);
    let summary = answer(|results| format!("The handbook writes: {}", results.get(1).unwrap_or(&"nothing")));
    let conclusion = answer(|results| format!("I looked it up. {}", results.join(" ")));
    ScriptedModel::new([research.into(), find.into(), read.into(), summary, conclusion])
}
