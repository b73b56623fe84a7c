use tool_runtime::tool;

struct City;

/// Look up the weather.
#[tool]
fn get_weather(_city: City) {}

fn main() {
    get_weather(City);
}
