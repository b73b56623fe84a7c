use tool_runtime::{Registry, toolset};

struct Clock;

#[toolset]
impl Clock {
    /// The time.
    #[tool]
    fn now(&self) {}

    /// The time, too.
    #[tool(name = "now")]
    fn later(&self) {}
}

fn main() {
    Clock.now();
    Clock.later();
    let _ = Registry::builder().toolset(Clock).build();
}
