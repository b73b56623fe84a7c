use tool_runtime::tool;

/// Adds.
#[tool(name = "a", read_only, name = "b", read_only)]
fn add(#[arg(default, default = 1)] a: i64, #[arg(name = "b")] #[arg(name = "c")] b: i64) -> i64 {
    a + b
}

fn main() {
    assert_eq!(add(1, 2), 3);
}
