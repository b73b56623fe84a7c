//! Deviations of servers from the documentation. Each test is named after one.

mod arguments;
mod chunks;
mod restated;
mod which_call;

const ROME: &str = r#"{"city":"Rome"}"#;
const OSLO: &str = r#"{"city":"Oslo"}"#;

/// The calls for Rome and Oslo, with these ids.
fn rome_and_oslo(ids: [&str; 2]) -> Vec<[String; 3]> {
    vec![[ids[0], "get_weather", ROME].map(str::to_owned), [ids[1], "get_weather", OSLO].map(str::to_owned)]
}

/// The call for Rome.
fn rome(id: &str) -> Vec<[String; 3]> {
    vec![[id, "get_weather", ROME].map(str::to_owned)]
}
