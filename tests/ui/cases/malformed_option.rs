use tool_runtime::tool;

/// Adds.
#[tool(name = 7)]
fn not_text(_a: i64) {}

/// Adds.
#[tool(name)]
fn without_text(_a: i64) {}

/// Adds.
#[tool(read_only = true)]
fn not_one_word(_a: i64) {}

/// Adds.
#[tool(handle = "Add")]
fn not_a_name(_a: i64) {}

/// Adds.
#[tool]
fn empty(#[arg] _a: i64, #[arg()] _d: i64, #[arg(schema)] _b: i64, #[arg(schema())] _c: i64) {}

/// Adds.
#[tool(crate = "tool_runtime")]
fn quoted(_a: i64) {}

/// Adds.
#[tool]
fn keyword(#[arg(minimum = 1)] _a: i64, #[arg(default =)] _b: i64) {}

fn main() {
    quoted(1);
    keyword(1, 2);
    not_text(1);
    without_text(1);
    not_one_word(1);
    not_a_name(1);
    empty(1, 4, 2, 3);
}
