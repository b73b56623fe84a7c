use tool_runtime::{Registry, tools};

fn now() {}

struct Clock;

fn main() {
    now();
    let _ = Registry::new(tools![now]);
    let _ = Registry::new(tools![Clock]);
}
