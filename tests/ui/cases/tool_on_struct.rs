use tool_runtime::tool;

#[tool]
struct Weather;

fn main() {
    let _ = Weather;
}
