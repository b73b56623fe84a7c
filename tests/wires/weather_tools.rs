//! The tools of the fixtures.

use tool_runtime::{Registry, tool, tools};

/// Look up the weather of a city.
#[tool(read_only)]
pub(crate) fn get_weather(city: &str) -> Result<String, String> {
    if city == "Atlantis" { Err("there is no such city".to_owned()) } else { Ok(format!("{city}: sunny")) }
}

/// Delete the files that match, or all.
#[tool]
pub(crate) fn delete(matching: Option<&str>) -> String {
    format!("deleted {matching:?}")
}

pub(crate) fn registry() -> Registry {
    Registry::new(tools![get_weather, delete]).expect("two tools")
}
