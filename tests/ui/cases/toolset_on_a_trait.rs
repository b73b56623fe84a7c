use tool_runtime::toolset;

#[toolset]
trait Clock {
    /// The time.
    #[tool]
    fn now(&self) -> u8;
}

struct Sundial;

#[toolset]
impl Clock for Sundial {
    /// The time.
    #[tool]
    fn now(&self) -> u8 {
        12
    }
}

fn main() {
    assert_eq!(Sundial.now(), 12);
}
