use tool_runtime::{Registry, tool, tools};

/// The time.
#[tool]
fn now() {}

mod other {
    /// The other time.
    #[tool_runtime::tool]
    pub fn now() {}
}

fn main() {
    let _ = Registry::new(tools![now, other::now]);
}
