use tool_runtime::tool;

/// Deletes a file.
#[tool(read_only, destructive)]
fn delete(_path: &str) {}

fn main() {
    delete("a");
}
