use tool_runtime::Registry;

struct Clock;

fn main() {
    let _ = Registry::builder().toolset(Clock).build();
}
