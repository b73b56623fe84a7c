use tool_runtime::{tool, toolset};

#[tool(readonly, description = "Adds.", timout = "5s")]
fn add(#[arg(defualt = 1, name = "n")] a: i64, #[arg(schema(min_length = 1))] _b: &str) -> i64 {
    a
}

struct Clock;

#[toolset(krate = tool_runtime)]
impl Clock {
    /// The time.
    #[tool]
    fn now() {}
}

fn main() {
    assert_eq!(add(1, ""), 1);
    Clock::now();
}
