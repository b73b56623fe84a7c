use tool_runtime::tool;

/// Deletes a file.
#[tool(read_only, destructive)]
fn delete(_path: &str) {}

/// Deletes a file.
#[tool(read_only = true, destructive = true)]
fn explicit(_path: &str) {}

/// Reads a file.
#[tool(read_only, destructive = false)]
fn read(_path: &str) {}

fn main() {
    explicit("a");
    read("a");
    delete("a");
}
