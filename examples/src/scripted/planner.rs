//! The script of the planner example.

use super::{answer, calls};
use serde_json::json;
use tool_runtime_testing::ScriptedModel;

/// A plan, then the calls of its steps, then an answer.
pub fn script() -> ScriptedModel {
    let steps = json!({ "steps": ["find a train to Kyoto", "find a hotel there", "look at the weather"] });
    let plan = calls([("call_plan", "plan", steps)]);
    let search = calls([
        ("call_train", "find_trains", json!({ "from": "Tokyo", "to": "Kyoto" })),
        ("call_hotel", "find_hotels", json!({ "city": "Kyoto", "nights": 2 })),
        ("call_weather", "get_forecast", json!({ "city": "Kyoto" })),
    ]);
    ScriptedModel::new([plan.into(), search.into(), answer(conclude)])
}

fn conclude(results: &[&str]) -> String {
    let [_plan, trains, hotels, forecast] = results else { return "Some results are missing.".to_owned() };
    format!("Trains: {trains}. Hotels: {hotels}. Weather: {forecast}. Take the early train.")
}
