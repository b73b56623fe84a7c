use tool_runtime::tool;

/// Adds.
#[tool(name = 7)]
fn not_a_string(_a: i64) {}

/// Adds.
#[tool(name)]
fn without_value(_a: i64) {}

/// Adds.
#[tool(blocking = true)]
fn flag_with_value(_a: i64) {}

/// Adds.
#[tool(read_only = "yes")]
fn quoted_boolean(_a: i64) {}

/// Adds.
#[tool(handle = "Add")]
fn quoted_handle(_a: i64) {}

/// Adds.
#[tool]
fn empty(#[arg] _a: i64, #[arg()] _d: i64, #[arg(schema)] _b: i64, #[arg(schema())] _c: i64) {}

/// Adds.
#[tool(crate = "tool_runtime")]
fn quoted_path(_a: i64) {}

/// Adds.
#[tool]
fn keyword(#[arg(minimum = 1)] _a: i64, #[arg(default =)] _b: i64) {}

fn main() {
    quoted_path(1);
    keyword(1, 2);
    not_a_string(1);
    without_value(1);
    flag_with_value(1);
    quoted_boolean(1);
    quoted_handle(1);
    empty(1, 4, 2, 3);
}
