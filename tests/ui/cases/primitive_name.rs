use tool_runtime::tool;

/// Is the name of a type.
#[tool]
fn u8(n: u8) -> u8 {
    n
}

/// Has a handle that is no better.
#[tool(handle = str)]
fn text() {}

fn main() {
    assert_eq!(u8(1), 1);
    text();
}
