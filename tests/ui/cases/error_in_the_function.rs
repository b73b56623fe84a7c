use tool_runtime::{tool, toolset};

/// Has mistakes of its own, which stand where they are.
#[tool]
async fn add(a: i64, b: &str) -> i64 {
    a + b
}

struct Clock;

#[toolset]
impl Clock {
    /// Has mistakes, too.
    #[tool]
    fn now(&self, zone: &str) -> u8 {
        zone.length()
    }
}

fn main() {
    drop(add(1, 2));
    Clock.now(3);
}
