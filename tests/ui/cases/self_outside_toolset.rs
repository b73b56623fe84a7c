use tool_runtime::tool;

struct Calculator;

impl Calculator {
    /// Adds.
    #[tool]
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

fn main() {
    assert_eq!(Calculator.add(1, 2), 3);
}
