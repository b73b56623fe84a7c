use tool_runtime::tool;

/// Is one character too long.
#[tool]
fn aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggg() {}

fn main() {
    aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggg();
}
