//! The time to serialize the tools of a request, compared with copying their bytes: in a `Request`, which caches the
//! array, from `Registry::schemas`, whose definitions are written once each, and from values without a cache.
//!
//! `cargo bench -p tool-runtime --bench schemas`

mod many_tools;
mod medians;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::error::Error;
use std::hint::black_box;
use tool_runtime::{Conversation, Registry, ToolSchema, tools};

/// A number of tools, and the maximum ratio of the time to serialize a request with them to the time to serialize a
/// request without tools and copy the tools' bytes.
const BUDGET: (usize, f64) = (100, 1.1);

/// Serializes a request, or tools, into a buffer that is reused.
fn write(buffer: &mut Vec<u8>, value: impl Serialize) {
    buffer.clear();
    assert!(serde_json::to_writer(&mut *buffer, &value).is_ok());
    black_box(&*buffer);
}

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "medians of {} runs; ratios to a request without tools plus a copy of the array's bytes",
        medians::RUNS
    );
    println!(
        "{:>6}{:>10}{:>12}{:>12}{:>24}{:>20}{:>22}",
        "tools", "bytes", "no tools", "copy", "a `Request`", "from `schemas`", "from `Vec<Value>`"
    );
    for number in [10, 100, 1_000] {
        let registry = many_tools::registry(number)?;
        let schemas: &[ToolSchema] = registry.schemas();
        let array: Box<RawValue> = to_raw_value(schemas)?;
        let values: Vec<Value> = serde_json::from_str(array.get())?;
        let chat = Conversation::new().user("?");
        let (request, request_without_tools) =
            (chat.request(&registry), chat.request(&Registry::new(tools![])?));
        let mut bodies = [const { Vec::new() }; 5];
        let [no_tools, copy, from_request, from_schemas, from_values] = &mut bodies;
        let times = medians::measure([
            &mut || write(no_tools, black_box(&request_without_tools)),
            &mut || {
                copy.clear();
                copy.extend_from_slice(black_box(array.get()).as_bytes());
                black_box(&*copy);
            },
            &mut || write(from_request, black_box(&request)),
            &mut || write(from_schemas, black_box(schemas)),
            &mut || write(from_values, black_box(&values)),
        ]);
        let ratio = |index: usize| times[index] / (times[0] + times[1]);
        let format = |index: usize| format!("{:.0} ns {:>6.2}", times[index], ratio(index));
        let verdict = if number == BUDGET.0 && ratio(2) > BUDGET.1 { "  over" } else { "" };
        println!(
            "{number:6}{:10}{:>9.0} ns{:>9.0} ns{:>24}{:>20}{:>22}{verdict}",
            array.get().len(),
            times[0],
            times[1],
            format(2),
            format(3),
            format(4)
        );
    }
    println!("{} tools, a `Request`: at most {}", BUDGET.0, BUDGET.1);
    Ok(())
}
