use tool_runtime::tool;

/// Has a name of 65 characters.
#[tool]
fn aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggg() {}

fn main() {
    aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggg();
}
