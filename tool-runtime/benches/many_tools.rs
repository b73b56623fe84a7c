//! Registries of any number of tools.

use serde_json::json;
use tool_runtime::{BuildError, DynamicTool, Registry};

pub(crate) fn name(number: usize) -> String {
    format!("get_weather_of_place_{number}")
}

/// A registry of tools with three parameters.
pub(crate) fn registry(tools: usize) -> Result<Registry, BuildError> {
    let mut registry = Registry::builder();
    for number in 0..tools {
        let parameters = json!({
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "City name, for example \"Beijing\"."},
                "days": {"type": "integer", "minimum": 0, "description": "How many days ahead; 0 is today."},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            },
            "required": ["city", "days"],
            "additionalProperties": false,
        });
        let description = "Look up the weather of a city.";
        let tool = DynamicTool::new(name(number), description, parameters, |_| async { Ok::<_, String>(()) });
        registry = registry.dynamic(tool);
    }
    registry.build()
}
