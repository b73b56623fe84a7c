use tool_runtime::tool;

#[tool]
const ANSWER: u8 = 42;

#[tool]
extern crate std as standard;

fn main() {
    assert_eq!(ANSWER, 42);
}
