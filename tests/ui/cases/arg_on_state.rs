use tool_runtime::{CallContext, tool};

struct Db;

/// Looks up a word.
#[tool]
fn look_up(
    #[state]
    #[arg(name = "database")]
    _db: &Db,
    #[arg(default)]
    #[context]
    _call: &CallContext,
) {
}

fn main() {
    look_up(&Db, &CallContext::new("1", "look_up"));
}
