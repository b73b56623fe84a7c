//! The script of the streaming example.

use super::{Scripted, assistant_calls};
use serde_json::{Value, json};

/// A short text with four calls, then an answer.
#[must_use]
pub fn script() -> Scripted {
    Scripted::new(|results| {
        if results.is_empty() {
            let mut reply = assistant_calls(&[
                ("call_beijing", "get_weather", json!({ "city": "Beijing" })),
                ("call_shanghai", "get_weather", json!({ "city": "Shanghai" })),
                ("call_reminder", "remind", json!({ "text": "Take an umbrella to Shanghai" })),
                ("call_reykjavik", "get_weather", json!({ "city": "Reykjavik" })),
            ]);
            reply["content"] = Value::from("I look at the weather.");
            return reply;
        }
        json!({ "role": "assistant", "content": format!("This is what I found: {}", results.join("; ")) })
    })
}
