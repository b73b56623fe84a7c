use serde::{Deserialize, Serialize};
use tool_runtime::{Registry, ToolCall, schemars::JsonSchema, tool};

/// A stop of a trip.
#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "tool_runtime::schemars")]
struct Stop {
    city: String,
    nights: u32,
}

#[derive(Serialize)]
struct Plan {
    cities: Vec<String>,
    nights: u32,
}

/// Plans a trip.
#[tool]
fn plan(stops: Vec<Stop>) -> Plan {
    Plan {
        nights: stops.iter().map(|stop| stop.nights).sum(),
        cities: stops.into_iter().map(|stop| stop.city).collect(),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = Registry::collect().unwrap();
    let stops = r#"{"stops":[{"city":"Beijing","nights":2},{"city":"Xi'an","nights":3}]}"#;
    let answers = registry.dispatch(&[ToolCall::new("call_1", "plan", stops)]).await;
    assert_eq!(answers[0].tool_call_id, "call_1");
    assert_eq!(answers[0].content, r#"{"cities":["Beijing","Xi'an"],"nights":5}"#);
    println!("{} answers as expected", answers.len());
}
