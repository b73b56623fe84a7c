use tool_runtime::tool;

/// Look up the weather.
#[tool]
fn get_weather(#[arg(default = "today")] _days: u8) {}

fn main() {}
