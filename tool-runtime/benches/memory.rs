//! The memory of a registry, by the number of its tools.
//!
//! `cargo bench -p tool-runtime --bench memory`

mod many_tools;

use allocation_counter::measure;
use std::error::Error;
use std::io;

fn main() -> Result<(), Box<dyn Error>> {
    println!("bytes per tool of three parameters; each form is kept once it is used");
    println!("{:>7}{:>10}{:>12}{:>10}{:>11}", "tools", "registry", "definition", "openai", "anthropic");
    for tools in [10_u16, 100, 1_000, 10_000] {
        let mut built = None;
        let kept = measure(|| built = many_tools::registry(tools.into()).ok());
        let registry = built.ok_or("the registry was not built")?;
        let schemas = registry.schemas();
        let definition = measure(|| assert!(serde_json::to_writer(io::sink(), schemas).is_ok()));
        let openai = measure(|| assert!(schemas.iter().all(|schema| schema.openai_strict().is_ok())));
        let anthropic = measure(|| assert!(schemas.iter().all(|schema| schema.anthropic_strict().is_ok())));
        let per_tool = |bytes: i64| bytes / i64::from(tools);
        println!(
            "{tools:7}{:10}{:12}{:10}{:11}",
            per_tool(kept.bytes_current),
            per_tool(definition.bytes_current),
            per_tool(openai.bytes_current),
            per_tool(anthropic.bytes_current)
        );
    }
    Ok(())
}
