use tool_runtime::{serde::Serialize, tool};

/// Rings.
#[tool(output_schema)]
fn without_result() {}

/// Counts.
#[tool(output_schema = true)]
fn with_value() -> u8 {
    1
}

/// Counts.
#[tool(output_schema)]
fn unnamed_type() -> Result<impl Into<u64> + Serialize, String> {
    Ok(1_u8)
}

fn main() {
    without_result();
    with_value();
    drop(unnamed_type());
}
