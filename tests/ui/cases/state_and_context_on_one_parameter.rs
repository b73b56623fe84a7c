use tool_runtime::{CallContext, tool};

/// Looks a word up.
#[tool]
fn look_up(
    #[state]
    #[context]
    _call: &CallContext,
) {
}

fn main() {
    look_up(&CallContext::new("1", "look_up"));
}
