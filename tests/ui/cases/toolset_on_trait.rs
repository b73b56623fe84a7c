use tool_runtime::toolset;

#[toolset]
trait Clock {
    /// Returns the time.
    #[tool]
    fn now(&self) -> u8;
}

struct Sundial;

#[toolset]
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
