//! The script of the planner example.

use super::{Scripted, assistant_calls};
use serde_json::json;

/// A plan, then the calls of its steps, then an answer.
#[must_use]
pub fn script() -> Scripted {
    Scripted::new(|results| match results {
        [] => assistant_calls(&[(
            "call_plan",
            "plan",
            json!({ "steps": ["find a train to Kyoto", "find a hotel there", "look at the weather"] }),
        )]),
        [_plan] => assistant_calls(&[
            ("call_train", "find_trains", json!({ "from": "Tokyo", "to": "Kyoto" })),
            ("call_hotel", "find_hotels", json!({ "city": "Kyoto", "nights": 2 })),
            ("call_weather", "get_forecast", json!({ "city": "Kyoto" })),
        ]),
        [_plan, trains, hotels, forecast, ..] => json!({
            "role": "assistant",
            "content": format!("Trains: {trains}. Hotels: {hotels}. Weather: {forecast}. Take the early train."),
        }),
        _ => json!({ "role": "assistant", "content": "Some results are missing." }),
    })
}
