use tool_runtime::{Registry, tool, tools};

#[tool]
const fn add<T: Into<i64>>((a, b): (i64, i64), more: &mut i64) -> i64 {
    a + b
}

fn main() {
    let _ = Registry::new(tools![add]);
}
