//! The script of the streaming example.

use super::{answer, calls};
use serde_json::json;
use std::time::Duration;
use tool_runtime_testing::{ScriptedModel, ScriptedReply};

/// The time between two chunks, like a model with about 30 tokens per second.
const CHUNK_DELAY: Duration = Duration::from_millis(30);

/// A short text with four calls, then an answer.
pub fn script() -> ScriptedModel {
    let mut search = calls([
        ("call_beijing", "get_weather", json!({ "city": "Beijing" })),
        ("call_shanghai", "get_weather", json!({ "city": "Shanghai" })),
        ("call_reminder", "remind", json!({ "text": "Take an umbrella to Shanghai" })),
        ("call_reykjavik", "get_weather", json!({ "city": "Reykjavik" })),
    ]);
    search.content = Some("I look at the weather.".into());
    let conclude = |results: &[&str]| format!("This is what I found: {}", results.join("; "));
    let replies = [ScriptedReply::from(search), answer(conclude)];
    ScriptedModel::new(replies.map(|reply| reply.with_chunk_delay(CHUNK_DELAY)))
}
