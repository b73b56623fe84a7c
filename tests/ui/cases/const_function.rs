use tool_runtime::tool;

/// Adds.
#[tool]
const fn add(a: i64, b: i64) -> i64 {
    a + b
}

const THREE: i64 = add(1, 2);

fn main() {
    assert_eq!(THREE, 3);
}
