use tool_runtime::{Registry, tool, tools};

#[tool(red_only, timeout = "soon")]
const fn add<T: Into<i64>>((a, b): (i64, i64), more: &mut i64, #[state] db: u8) -> i64 {
    *more = db as i64;
    a + b
}

fn main() {
    assert_eq!(add::<u8>((1, 2), &mut 3, 4), 3);
    let _ = Registry::new(tools![add]);
}
