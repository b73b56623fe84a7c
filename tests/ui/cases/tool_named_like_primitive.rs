use tool_runtime::tool;

/// Has the name of a primitive type.
#[tool]
fn u8(n: u8) -> u8 {
    n
}

/// Has a handle with the name of a primitive type.
#[tool(handle = str)]
fn text() {}

fn main() {
    assert_eq!(u8(1), 1);
    text();
}
