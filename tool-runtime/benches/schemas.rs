//! What the tools of a request cost to write, beside copying their bytes.
//!
//! `cargo bench -p tool-runtime --bench schemas`

mod many_tools;
mod medians;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::error::Error;
use std::hint::black_box;
use tool_runtime::ToolSchema;
use tool_runtime::schema::Dialect;

/// How many tools, and how many times what it takes to write the request without them and to copy their bytes it may take
/// to write it with them.
const BUDGET: (usize, f64) = (100, 1.1);

#[derive(Serialize)]
struct Request<'a, T> {
    model: &'a str,
    tools: T,
}

/// A body of a request, written into memory that is there already.
fn write(body: &mut Vec<u8>, tools: impl Serialize) {
    body.clear();
    let written = serde_json::to_writer(&mut *body, &Request { model: "a-model", tools });
    assert!(written.is_ok());
    black_box(&*body);
}

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "medians of {} runs; ratios to a request without tools and the bytes of the array copied",
        medians::RUNS
    );
    println!(
        "{:>6}{:>10}{:>12}{:>12}{:>24}{:>20}{:>22}",
        "tools", "bytes", "no tools", "copied", "from `schemas_for`", "from `schemas`", "from `Vec<Value>`"
    );
    for number in [10, 100, 1_000] {
        let registry = many_tools::registry(number)?;
        let array: &RawValue = registry.schemas_for(Dialect::OpenAi).ok_or("there are tools")?;
        let schemas: &[ToolSchema] = registry.schemas();
        let values: Vec<Value> = serde_json::from_str(array.get())?;
        let mut bodies = [const { Vec::new() }; 5];
        let [of_nothing, copy, of_array, of_schemas, of_values] = &mut bodies;
        let times = medians::of([
            &mut || write(of_nothing, black_box(&[(); 0])),
            &mut || {
                copy.clear();
                copy.extend_from_slice(black_box(array.get()).as_bytes());
                black_box(&*copy);
            },
            &mut || write(of_array, black_box(array)),
            &mut || write(of_schemas, black_box(schemas)),
            &mut || write(of_values, black_box(&values)),
        ]);
        let ratio = |way: usize| times[way] / (times[0] + times[1]);
        let told = |way: usize| format!("{:.0} ns {:>6.2}", times[way], ratio(way));
        let verdict = if number == BUDGET.0 && ratio(2) > BUDGET.1 { "  over" } else { "" };
        println!(
            "{number:6}{:10}{:>9.0} ns{:>9.0} ns{:>24}{:>20}{:>22}{verdict}",
            array.get().len(),
            times[0],
            times[1],
            told(2),
            told(3),
            told(4)
        );
    }
    println!("of {} tools, from `schemas_for`: at most {}", BUDGET.0, BUDGET.1);
    Ok(())
}
