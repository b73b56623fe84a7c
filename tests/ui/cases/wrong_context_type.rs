use tool_runtime::tool;

/// Counts.
#[tool]
async fn count(#[context] _call: &u32) {}

fn main() {
    drop(count(&0));
}
