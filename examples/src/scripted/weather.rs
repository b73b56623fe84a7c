//! The script of the weather example.

use super::{Scripted, assistant_calls};
use serde_json::{Value, json};

/// Three calls, then an answer with a sentence for each result.
#[must_use]
pub fn script() -> Scripted {
    Scripted::new(|results| {
        if results.is_empty() {
            return assistant_calls(&[
                ("call_beijing", "get_weather", json!({ "city": "Beijing" })),
                ("call_shanghai", "get_weather", json!({ "city": "Shanghai" })),
                ("call_reykjavik", "get_weather", json!({ "city": "Reykjavik", "days": 1 })),
            ]);
        }
        let sentences: Vec<String> = results.iter().map(|result| weather_sentence(result)).collect();
        json!({ "role": "assistant", "content": sentences.join(" ") })
    })
}

fn weather_sentence(result: &str) -> String {
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
