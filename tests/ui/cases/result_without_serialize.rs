use tool_runtime::tool;

struct Weather;

/// Look up the weather.
#[tool]
fn get_weather() -> Weather {
    Weather
}

/// Try to look up the weather.
#[tool]
async fn try_weather() -> Result<Weather, String> {
    Ok(Weather)
}

fn main() {
    get_weather();
    drop(try_weather());
}
