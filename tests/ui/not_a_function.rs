use tool_runtime::tool;

#[tool]
struct Weather;

trait Clock {
    /// The time.
    #[tool]
    fn now();
}

#[tool]
const ANSWER: u8 = 42;

#[tool]
extern crate std as standard;

fn main() {}
