//! The script of the weather example.

use super::{answer, calls};
use serde_json::{Value, json};
use tool_runtime_testing::ScriptedModel;

/// Three calls, then an answer with a sentence for each result.
pub fn script() -> ScriptedModel {
    let search = calls([
        ("call_beijing", "get_weather", json!({ "city": "Beijing" })),
        ("call_shanghai", "get_weather", json!({ "city": "Shanghai" })),
        ("call_reykjavik", "get_weather", json!({ "city": "Reykjavik", "days": 1 })),
    ]);
    let conclude =
        |results: &[&str]| results.iter().map(|result| sentence(result)).collect::<Vec<_>>().join(" ");
    ScriptedModel::new([search.into(), answer(conclude)])
}

fn sentence(result: &str) -> String {
    match serde_json::from_str::<Value>(result) {
        Ok(weather) => format!(
            "{}: {}, {} °C.",
            weather["city"].as_str().unwrap_or("?"),
            weather["sky"].as_str().unwrap_or("?"),
            weather["celsius"]
        ),
        Err(_) => format!("I could not find out: {result}"),
    }
}
