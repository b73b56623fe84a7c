use tool_runtime::tool;

/// Adds.
#[tool]
extern "C" fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    assert_eq!(add(1, 2), 3);
}
