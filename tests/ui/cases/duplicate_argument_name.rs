use tool_runtime::tool;

/// Has two arguments with the same name.
#[tool]
fn twice(_city: &str, #[arg(name = "city")] _town: &str) {}

fn main() {
    twice("a", "b");
}
