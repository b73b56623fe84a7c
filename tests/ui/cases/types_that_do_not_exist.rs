use tool_runtime::tool;

/// Returns what does not exist.
#[tool]
fn result() -> Strng {
    unreachable!()
}

/// Returns what does not exist, perhaps.
#[tool]
async fn in_result() -> Result<Missing, String> {
    unreachable!()
}

/// Takes what does not exist.
#[tool]
fn argument(_city: Cty) {}

/// Has no default.
#[tool]
fn default(#[arg(default)] _since: std::time::SystemTime) {}

fn main() {
    result();
    drop(in_result());
    default(std::time::SystemTime::now());
}
