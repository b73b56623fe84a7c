use tool_runtime::tool;

/// Look up the weather.
///
/// # Arguments
///
/// * `city` - The city.
/// * `date` - When.
#[tool]
fn get_weather(city: &str, days: u8) -> String {
    format!("{city} {days}")
}

/// Look up the time.
///
/// # Arguments
/// - `zone`: Where.
#[tool]
fn now() {}

fn main() {
    get_weather("Beijing", 1);
    now();
}
