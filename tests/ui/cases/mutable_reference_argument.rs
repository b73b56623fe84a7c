use tool_runtime::tool;

/// Adds one.
#[tool]
fn add_one(n: &mut i64) {
    *n += 1;
}

fn main() {
    add_one(&mut 1);
}
