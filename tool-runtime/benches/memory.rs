//! What a registry keeps in memory, by the number of its tools.
//!
//! `cargo bench -p tool-runtime --bench memory`

use allocation_counter::measure;
use serde_json::json;
use tool_runtime::{BuildError, Dialect, DynamicTool, Registry};

fn registry(tools: i64) -> Result<Registry, BuildError> {
    let mut registry = Registry::builder();
    for number in 0..tools {
        let parameters = json!({
            "type": "object",
            "properties": {"days": {"type": "integer"}, "detail": {"type": "boolean"}},
            "required": ["days"],
        });
        let name = format!("get_weather_of_place_{number}");
        let tool =
            DynamicTool::new(name, "Looks up the weather.", parameters, |_| async { Ok::<_, String>(()) });
        registry = registry.dynamic(tool);
    }
    registry.build()
}

fn main() -> Result<(), BuildError> {
    println!("bytes that are kept per tool of two parameters; the array is that of `schemas_for`");
    println!("{:>7}{:>10}{:>10}", "tools", "registry", "array");
    for tools in [10, 100, 1_000, 10_000] {
        let mut built = None;
        let kept = measure(|| built = Some(registry(tools)));
        let Some(registry) = built.transpose()? else { continue };
        let array = measure(|| assert!(registry.schemas_for(Dialect::OpenAi).is_some()));
        println!("{tools:7}{:10}{:10}", kept.bytes_current / tools, array.bytes_current / tools);
    }
    Ok(())
}
