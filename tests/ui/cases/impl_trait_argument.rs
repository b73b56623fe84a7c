use tool_runtime::tool;

/// Adds one.
#[tool]
fn add_one(n: impl Into<i64>) -> i64 {
    n.into() + 1
}

fn main() {
    assert_eq!(add_one(1), 2);
}
