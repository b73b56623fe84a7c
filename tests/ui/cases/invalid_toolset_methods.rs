use tool_runtime::toolset;

struct Counter(u32);

#[toolset]
impl Counter {
    /// Counts.
    #[tool]
    fn count(&mut self) -> u32 {
        self.0 += 1;
        self.0
    }

    /// Takes a static reference.
    #[tool]
    fn forever(&'static self) {}

    /// Takes the toolset by value.
    #[tool(handle = End, crate = tool_runtime)]
    fn end(self) {}
}

fn main() {
    let mut counter = Counter(0);
    assert_eq!(counter.count(), 1);
    counter.end();
}
