use tool_runtime::{Registry, toolset};

struct Clock;

#[toolset]
impl Clock {
    /// Returns the time.
    #[tool]
    fn now(&self) {}

    /// Returns a later time.
    #[tool(name = "now")]
    fn later(&self) {}
}

fn main() {
    Clock.now();
    Clock.later();
    let _ = Registry::builder().toolset(Clock).build();
}
