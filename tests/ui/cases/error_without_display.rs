use tool_runtime::tool;

struct Storm;

/// Look up the weather.
#[tool]
async fn get_weather() -> Result<String, Storm> {
    Err(Storm)
}

fn main() {
    drop(get_weather());
}
