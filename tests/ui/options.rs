use tool_runtime::tool;

#[tool(title = "Add", readonly, description = "Adds.")]
fn unknown(_a: i64) {}

/// Adds.
#[tool(name = "a", name = "b")]
fn twice(_a: i64) {}

/// Adds.
#[tool(name = 7)]
fn not_text(_a: i64) {}

/// Adds.
#[tool]
fn unknown_of_argument(#[arg(defualt = 1, name = "n")] _a: i64) {}

/// Adds.
#[tool]
fn empty(#[arg] _a: i64) {}

fn main() {
    unknown(1);
    twice(1);
    not_text(1);
    unknown_of_argument(1);
    empty(1);
}
