//! The memory of a registry, by the number of its tools.
//!
//! `cargo bench -p tool-runtime --bench memory`

mod many_tools;

use allocation_counter::measure;
use std::error::Error;
use tool_runtime::schema::Dialect;

fn main() -> Result<(), Box<dyn Error>> {
    println!("bytes per tool of three parameters; `array` is the result of `schemas_for`");
    println!("{:>7}{:>10}{:>10}", "tools", "registry", "array");
    for tools in [10_u16, 100, 1_000, 10_000] {
        let mut built = None;
        let kept = measure(|| built = many_tools::registry(tools.into()).ok());
        let registry = built.ok_or("the registry was not built")?;
        let array = measure(|| assert!(registry.schemas_for(Dialect::OpenAi).is_some()));
        let per_tool = |bytes: i64| bytes / i64::from(tools);
        println!("{tools:7}{:10}{:10}", per_tool(kept.bytes_current), per_tool(array.bytes_current));
    }
    Ok(())
}
