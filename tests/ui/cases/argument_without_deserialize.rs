use tool_runtime::tool;

#[derive(tool_runtime::schemars::JsonSchema)]
#[schemars(crate = "tool_runtime::schemars")]
struct City;

/// Look up the weather.
#[tool]
fn get_weather(_days: u8, _city: City) {}

fn main() {
    get_weather(1, City);
}
