//! The script of the streaming example.

use super::{answer, calls};
use serde_json::json;
use tool_runtime::testing::ScriptedModel;

/// A short text with four calls, then an answer.
#[must_use]
pub fn script() -> ScriptedModel {
    let mut search = calls([
        ("call_beijing", "get_weather", json!({ "city": "Beijing" })),
        ("call_shanghai", "get_weather", json!({ "city": "Shanghai" })),
        ("call_reminder", "remind", json!({ "text": "Take an umbrella to Shanghai" })),
        ("call_reykjavik", "get_weather", json!({ "city": "Reykjavik" })),
    ]);
    search.content = Some("I look at the weather.".into());
    let conclude = |results: &[&str]| format!("This is what I found: {}", results.join("; "));
    ScriptedModel::new([search.into(), answer(conclude)])
}
