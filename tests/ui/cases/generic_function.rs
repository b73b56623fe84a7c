use tool_runtime::{Registry, tool, tools};

/// Adds one to a number.
#[tool]
fn add_one<T: Into<i64>, const N: usize>(n: T) -> i64 {
    n.into() + N as i64
}

fn main() {
    assert_eq!(add_one::<u8, 1>(1), 2);
    let _ = Registry::new(tools![add_one]);
}
