use tool_runtime::toolset;

#[toolset]
struct Clock;

fn main() {
    let _ = Clock;
}
