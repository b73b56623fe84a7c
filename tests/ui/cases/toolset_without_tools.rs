use tool_runtime::{Registry, toolset};

struct Clock;

#[toolset]
impl Clock {
    fn now(&self) {}
}

fn main() {
    Clock.now();
    let _ = Registry::builder().toolset(Clock).build();
}
