use tool_runtime::tool;

/// Reads a file.
#[tool(blocking)]
async fn read(path: &str) -> std::io::Result<String> {
    std::fs::read_to_string(path)
}

fn main() {
    drop(read("a"));
}
