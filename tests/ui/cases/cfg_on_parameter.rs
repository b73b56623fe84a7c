use tool_runtime::tool;

/// Adds.
#[tool]
fn add(a: i64, #[cfg(unix)] b: i64, #[cfg_attr(windows, arg(default))] c: i64) -> i64 {
    a + b + c
}

fn main() {
    assert_eq!(add(1, 2, 3), 6);
}
