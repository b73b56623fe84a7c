use tool_runtime::{tool, toolset};

/// Returns the time.
#[tool]
#[tool(read_only)]
fn now() {}

struct Clock;

#[toolset]
impl Clock {
    /// Returns the time.
    #[tool]
    #[tool_runtime::tool]
    fn now() {}
}

fn main() {
    now();
    Clock::now();
}
