use tool_runtime::{tool, toolset};

/// Has an error in its body.
#[tool]
async fn add(a: i64, b: &str) -> i64 {
    a + b
}

struct Clock;

#[toolset]
impl Clock {
    /// Has an error in its body.
    #[tool]
    fn now(&self, zone: &str) -> u8 {
        zone.length()
    }
}

fn main() {
    drop(add(1, 2));
    Clock.now(3);
}
