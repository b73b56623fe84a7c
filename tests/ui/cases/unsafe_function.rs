use tool_runtime::tool;

/// Adds.
#[tool]
unsafe fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    assert_eq!(unsafe { add(1, 2) }, 3);
}
