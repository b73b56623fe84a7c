//! What servers do otherwise than documented, each by its name.

mod arguments;
mod chunks;
mod which_call;

const ROME: &str = r#"{"city":"Rome"}"#;
const OSLO: &str = r#"{"city":"Oslo"}"#;

/// What `Rome`, and then `Oslo`, are asked for with.
fn rome_and_oslo(ids: [&str; 2]) -> Vec<[String; 3]> {
    vec![[ids[0], "get_weather", ROME].map(str::to_owned), [ids[1], "get_weather", OSLO].map(str::to_owned)]
}

fn rome(id: &str) -> Vec<[String; 3]> {
    vec![[id, "get_weather", ROME].map(str::to_owned)]
}
