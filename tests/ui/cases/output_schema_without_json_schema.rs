use tool_runtime::{ToolOutput, tool, toolset};

#[derive(tool_runtime::serde::Serialize)]
#[serde(crate = "tool_runtime::serde")]
struct Weather;

/// Looks up the weather.
#[tool(output_schema)]
fn get_weather() -> Weather {
    Weather
}

/// Looks up the weather.
#[tool(output_schema)]
async fn in_result() -> std::io::Result<Vec<Weather>> {
    Ok(Vec::new())
}

struct Forecast;

#[toolset]
impl Forecast {
    /// Returns a text and an artifact.
    #[tool(output_schema)]
    fn output(&self) -> ToolOutput {
        ToolOutput::from("sunny")
    }
}

fn main() {
    get_weather();
    drop(in_result());
    Forecast.output();
}
