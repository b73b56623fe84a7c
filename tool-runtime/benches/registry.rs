//! What a registry costs to build and to look up in, by the number of its tools.
//!
//! `cargo bench -p tool-runtime --bench registry`

#![allow(clippy::cast_precision_loss, reason = "nothing is counted that far")]

mod many_tools;
mod medians;

use many_tools::{name, registry};
use std::collections::HashMap;
use std::error::Error;
use std::hint::black_box;
use tool_runtime::Registry;

/// How many times longer than among 10 tools it may take to look names up among 10,000.
const BUDGET: f64 = 1.1;
/// So many names are looked up again and again, as a model asks for few of many tools.
const ASKED: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];
    let mut registries = Vec::new();
    for size in SIZES {
        registries.push(registry(size)?);
    }
    // Far from one another.
    let spread =
        |names: usize, of: usize| -> Vec<String> { (0..names).map(|at| name(at * 7_919 % of)).collect() };
    let asked = SIZES.map(|size| spread(ASKED, size));
    let looked_up = |place: usize, names: &[String]| {
        let registry: &Registry = &registries[place];
        names.iter().filter(|name| registry.get(black_box(name)).is_some()).count()
    };
    // The sizes take turns, since they are held against one another.
    let hot = medians::of([
        &mut || assert_eq!(looked_up(0, &asked[0]), ASKED),
        &mut || assert_eq!(looked_up(1, &asked[1]), ASKED),
        &mut || assert_eq!(looked_up(2, &asked[2]), ASKED),
        &mut || assert_eq!(looked_up(3, &asked[3]), ASKED),
    ]);
    println!("medians of {} runs, per tool or per name, beside a `HashMap` of std", medians::RUNS);
    println!(
        "{:>7}{:>12}{:>22}{:>12}{:>22}{:>12}{:>14}{:>17}",
        "tools",
        "build",
        "10 names, hot",
        "HashMap",
        "each name in turn",
        "HashMap",
        "by a slip",
        "near to none"
    );
    for (place, size) in SIZES.into_iter().enumerate() {
        let by_std: HashMap<String, usize> = (0..size).map(|number| (name(number), number)).collect();
        let looked_up_std =
            |names: &[String]| names.iter().filter(|name| by_std.contains_key(black_box(*name))).count();
        let each = spread(size, size);
        let meant = name(size / 2);
        let by_a_slip = meant.replacen("weather", "wether", 1);
        let found_meant = |asked: &str| {
            registries[place].tool_choice(black_box(asked)).err().and_then(|none| none.suggestion)
        };
        let [building, std_of_asked, of_each, std_of_each, of_slip, of_none] = medians::of([
            &mut || drop(black_box(registry(size))),
            &mut || assert_eq!(looked_up_std(&asked[place]), ASKED),
            &mut || assert_eq!(looked_up(place, &each), size),
            &mut || assert_eq!(looked_up_std(&each), size),
            &mut || assert_eq!(found_meant(&by_a_slip).as_ref(), Some(&meant)),
            &mut || assert_eq!(found_meant("send_mail_to_customer"), None),
        ]);
        let per_tool = |total: f64| total / size as f64;
        let per_name = |total: f64| total / ASKED as f64;
        println!(
            "{size:7}{:>9.1} µs{:>19.1} ns{:>9.1} ns{:>19.1} ns{:>9.1} ns{:>11.1} µs{:>14.1} µs",
            per_tool(building) / 1_000.0,
            per_name(hot[place]),
            per_name(std_of_asked),
            per_tool(of_each),
            per_tool(std_of_each),
            of_slip / 1_000.0,
            of_none / 1_000.0
        );
    }
    let ratio = hot[3] / hot[0];
    let verdict = if ratio > BUDGET { ", over" } else { "" };
    println!("10 names, among 10,000 tools to among 10: {ratio:.2}, at most {BUDGET}{verdict}");
    Ok(())
}
