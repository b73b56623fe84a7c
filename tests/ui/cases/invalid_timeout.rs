use tool_runtime::tool;

/// Waits.
#[tool(timeout = "5 hours")]
async fn hours() {}

/// Waits.
#[tool(timeout = 5)]
async fn number() {}

/// Waits.
#[tool(timeout = "0s")]
async fn nothing() {}

fn main() {
    drop((hours(), number(), nothing()));
}
