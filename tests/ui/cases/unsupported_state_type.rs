use std::cell::Cell;
use std::fmt::Debug;
use tool_runtime::tool;

/// Counts.
#[tool]
async fn count(#[state] _counter: &Cell<u32>) {}

/// Prints.
#[tool]
async fn print(#[state] _value: &(dyn Debug + Send + Sync), #[state] _text: &str) {}

fn main() {
    drop(count(&Cell::new(0)));
    drop(print(&0, ""));
}
