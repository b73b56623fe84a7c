use tool_runtime::tool;

/// Waits.
#[tool(max_concurrency = 0)]
fn zero_concurrency() {}

/// Waits.
#[tool(max_calls = 0)]
fn zero_calls() {}

/// Waits.
#[tool(max_calls = "3")]
fn string() {}

/// Waits.
#[tool(max_calls = -1)]
fn negative() {}

/// Waits.
#[tool(max_concurrency)]
fn without_value() {}

fn main() {
    zero_concurrency();
    zero_calls();
    string();
    negative();
    without_value();
}
