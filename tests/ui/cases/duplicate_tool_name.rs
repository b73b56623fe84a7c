use tool_runtime::{Registry, tool, tools};

/// Returns the time.
#[tool]
fn now() {}

mod other {
    /// Returns another time.
    #[tool_runtime::tool]
    pub fn now() {}
}

fn main() {
    let _ = Registry::new(tools![now, other::now]);
}
