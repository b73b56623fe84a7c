use tool_runtime::tool;

#[derive(tool_runtime::serde::Deserialize)]
#[serde(crate = "tool_runtime::serde")]
struct City;

/// Look up the weather.
#[tool]
fn get_weather(_city: Vec<City>) {}

fn main() {
    get_weather(vec![City]);
}
