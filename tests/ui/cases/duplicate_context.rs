use tool_runtime::{CallContext, tool};

/// Returns the id of the call.
#[tool]
fn id(#[context] call: &CallContext, #[context] _again: &CallContext) -> String {
    call.id().to_owned()
}

fn main() {
    let call = CallContext::new("1", "id");
    assert_eq!(id(&call, &call), "1");
}
