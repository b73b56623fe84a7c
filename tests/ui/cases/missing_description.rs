use tool_runtime::{Registry, tool, tools};

#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    assert_eq!(add(1, 2), 3);
    let _ = Registry::new(tools![add]);
}
