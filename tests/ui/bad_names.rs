use tool_runtime::tool;

/// Has a space.
#[tool(name = "look up")]
fn look_up() {}

/// Is not written in the letters that servers take.
#[tool]
fn 天气() {}

/// Is one character too long.
#[tool]
fn aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggg() {}

/// Is the name of a type.
#[tool]
fn u8() {}

/// Has two arguments of one name.
#[tool]
fn twice(_city: String, #[arg(name = "city")] _town: String) {}

/// Has an argument without a name.
#[tool]
fn nameless(_: String) {}

fn main() {}
