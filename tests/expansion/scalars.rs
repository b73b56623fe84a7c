//! The tool of the README.

use tool_runtime::tool;

/// Look up the weather of a city.
#[tool]
pub async fn get_weather(
    /// City name, for example "Beijing".
    city: &str,
    /// How many days ahead; 0 is today.
    #[arg(default = 0)]
    days: u8,
) -> Result<String, std::io::Error> {
    Ok(format!("{city} in {days} days: sunny"))
}
