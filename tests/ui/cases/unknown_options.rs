use tool_runtime::{tool, toolset};

#[tool(readonly, description = "Adds.", timout = "5s")]
fn add(#[arg(defualt = 1, name = "n")] a: i64, #[arg(schema(min_length = 1))] _b: &str) -> i64 {
    a
}

/// Subtracts.
#[tool(time_out = "5s", require_approval, max_call = 3, openWorld, retries = 2)]
fn subtract(_a: i64) {}

struct Clock;

#[toolset(krate = tool_runtime)]
impl Clock {
    /// The time.
    #[tool]
    fn now() {}
}

fn main() {
    assert_eq!(add(1, ""), 1);
    subtract(1);
    Clock::now();
}
