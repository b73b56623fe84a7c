use tool_runtime::tool;

struct Db;

/// Looks up a word.
#[tool]
fn look_up(
    #[state]
    #[state]
    _db: &Db,
) {
}

fn main() {
    look_up(&Db);
}
