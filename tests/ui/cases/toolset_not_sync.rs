use std::cell::Cell;
use tool_runtime::toolset;

struct Counter(Cell<u32>);

#[toolset]
impl Counter {
    /// Counts.
    #[tool]
    fn count(&self) -> u32 {
        self.0.replace(self.0.get() + 1)
    }
}

fn main() {
    assert_eq!(Counter(Cell::new(0)).count(), 0);
}
