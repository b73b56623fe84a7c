use tool_runtime::toolset;

struct Clock;

#[toolset]
impl Clock {
    /// Returns the time.
    #[tool = "now"]
    fn now(&self) {}
}

fn main() {
    Clock.now();
}
