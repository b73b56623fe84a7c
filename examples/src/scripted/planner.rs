//! The script of the planner example.

use super::{Scripted, assistant_calls};
use serde_json::json;

/// A plan, its steps all at once, and what follows from them.
#[must_use]
pub fn script() -> Scripted {
    Scripted::new(|answers| match answers {
        [] => assistant_calls(&[(
            "call_plan",
            "plan",
            json!({ "steps": ["find a train to Kyoto", "find a room there", "look at the weather"] }),
        )]),
        [_plan] => assistant_calls(&[
            ("call_train", "find_trains", json!({ "from": "Tokyo", "to": "Kyoto" })),
            ("call_room", "find_rooms", json!({ "city": "Kyoto", "nights": 2 })),
            ("call_weather", "get_forecast", json!({ "city": "Kyoto" })),
        ]),
        [_plan, trains, rooms, forecast, ..] => json!({
            "role": "assistant",
            "content": format!("Trains: {trains}. Rooms: {rooms}. Weather: {forecast}. Take the early train."),
        }),
        _ => json!({ "role": "assistant", "content": "I lack some of the answers." }),
    })
}
