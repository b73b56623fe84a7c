use tool_runtime::tool;

/// Adds.
#[tool]
unsafe extern "C" fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
