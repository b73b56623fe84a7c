use tool_runtime::{Registry, tool, tools};

struct Clock;

/// Returns the time.
#[tool]
fn now() {}

fn main() {
    let _ = Registry::new(tools![now, Clock]);
}
