use tool_runtime::tool;

/// Adds.
#[tool]
fn add(a: i64, ...) -> i64 {
    a
}

fn main() {
    assert_eq!(add(1), 1);
}
