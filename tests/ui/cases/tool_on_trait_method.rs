use tool_runtime::tool;

trait Clock {
    /// Returns the time.
    #[tool]
    fn now(&self) -> u8;
}

struct Sundial;

impl Clock for Sundial {
    /// Returns the time.
    #[tool]
    fn now(&self) -> u8 {
        12
    }
}

fn main() {
    assert_eq!(Sundial.now(), 12);
}
