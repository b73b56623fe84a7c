use tool_runtime::{CallContext, tool};

/// Returns the id of the call.
#[tool]
fn id(call: &CallContext) -> String {
    call.id().to_owned()
}

fn main() {
    id(&CallContext::new("1", "id"));
}
