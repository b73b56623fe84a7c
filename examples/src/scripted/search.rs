//! The script of the search example.

use super::{answer, calls};
use serde_json::{Value, json};
use tool_runtime_testing::ScriptedModel;

/// Two searches, two calls of found tools, of which the first one lacks an argument, and an answer.
pub fn script() -> ScriptedModel {
    let search = calls([
        ("call_1", "search_tools", json!({ "query": "create an issue on GitHub", "limit": 3 })),
        ("call_2", "search_tools", json!({ "query": "send a Slack message", "limit": 3 })),
    ]);
    let call =
        |id, name, arguments: Value| (id, "call_tool", json!({ "name": name, "arguments": arguments }));
    let first = calls([
        call("call_3", "github_create_issue", json!({ "title": "Broken link" })),
        call(
            "call_4",
            "slack_send_message",
            json!({ "target": "Ada", "text": "There is an issue about a broken link." }),
        ),
    ]);
    let corrected =
        calls([call("call_5", "github_create_issue", json!({ "target": "website", "text": "Broken link" }))]);
    let conclude = |results: &[&str]| {
        let done = results.iter().filter(|result| result.starts_with("{\"done\"")).count();
        format!("Done: {done} calls succeeded.")
    };
    ScriptedModel::new([search.into(), first.into(), corrected.into(), answer(conclude)])
}
