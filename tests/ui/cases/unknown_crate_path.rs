use tool_runtime::tool;

/// Adds.
#[tool(crate = nowhere)]
async fn add(a: i64, #[arg(default = 1)] b: i64) -> i64 {
    a + b
}

fn main() {
    drop(add(1, 2));
}
