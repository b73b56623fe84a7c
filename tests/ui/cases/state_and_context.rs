use tool_runtime::{CallContext, tool};

/// Looks up a word.
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
