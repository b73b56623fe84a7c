use tool_runtime::{Registry, tools};

fn now() {}

fn main() {
    now();
    let _ = Registry::new(tools![now]);
}
