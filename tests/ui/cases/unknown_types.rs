use tool_runtime::tool;

/// Returns an unknown type.
#[tool]
fn result() -> Strng {
    unreachable!()
}

/// Returns a `Result` of an unknown type.
#[tool]
async fn in_result() -> Result<Missing, String> {
    unreachable!()
}

/// Takes an unknown type.
#[tool]
fn argument(_city: Cty) {}

/// Takes a type without `Default`.
#[tool]
fn default(#[arg(default)] _since: std::time::SystemTime) {}

fn main() {
    result();
    drop(in_result());
    default(std::time::SystemTime::now());
}
