use tool_runtime::{tool, toolset};

/// The time.
#[tool]
#[tool(read_only)]
fn now() {}

struct Clock;

#[toolset]
impl Clock {
    /// The time.
    #[tool]
    #[tool_runtime::tool]
    fn now() {}
}

fn main() {
    now();
    Clock::now();
}
