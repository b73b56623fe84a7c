use tool_runtime::tool;

#[derive(tool_runtime::schemars::JsonSchema)]
#[schemars(crate = "tool_runtime::schemars")]
struct City;

/// Look up the weather.
#[tool]
fn by_reference(_city: &City) {}

/// Look up the weather.
#[tool]
fn by_slice(_cities: Option<&[City]>) {}

fn main() {
    by_reference(&City);
    by_slice(None);
}
