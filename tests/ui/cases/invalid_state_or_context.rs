use tool_runtime::{CallContext, tool};

struct Db;

/// Takes the state by value.
#[tool]
fn by_value(#[state] _db: Db) {}

/// Takes the state by mutable reference.
#[tool]
fn mutable(#[state] _db: &mut Db) {}

/// Takes the context by value.
#[tool]
fn context_by_value(#[context] _call: CallContext) {}

/// Has options in `#[state]`.
#[tool]
fn with_options(#[state(Db)] _db: &Db) {}

fn main() {
    by_value(Db);
    mutable(&mut Db);
    context_by_value(CallContext::new("1", "by_value"));
    with_options(&Db);
}
