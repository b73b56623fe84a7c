use std::sync::Arc;
use tool_runtime::tool;

struct Database;

/// Finds a user.
#[tool]
fn find(name: &str, _database: &Database) -> String {
    name.to_owned()
}

/// Counts the users.
#[tool]
fn count(_database: Arc<Database>) {}

fn main() {
    find("Ada", &Database);
    count(Arc::new(Database));
}
