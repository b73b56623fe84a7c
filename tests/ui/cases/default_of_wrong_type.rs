use tool_runtime::tool;

/// Look up the weather.
#[tool]
fn get_weather(#[arg(default = "today")] _days: u8, #[arg(default = &[1])] _hours: &[u8]) {}

fn main() {
    get_weather(1, &[]);
}
