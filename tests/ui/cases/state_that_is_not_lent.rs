use tool_runtime::{CallContext, tool};

struct Db;

/// Takes a state away.
#[tool]
fn by_value(#[state] _db: Db) {}

/// Changes a state.
#[tool]
fn mutable(#[state] _db: &mut Db) {}

/// Takes the context away.
#[tool]
fn context_by_value(#[context] _call: CallContext) {}

/// Says too much.
#[tool]
fn too_much(#[state(Db)] _db: &Db) {}

fn main() {
    by_value(Db);
    mutable(&mut Db);
    context_by_value(CallContext::new("1", "by_value"));
    too_much(&Db);
}
