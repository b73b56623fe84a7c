//! The time to build a registry and to look up names, by the number of tools.
//!
//! `cargo bench -p tool-runtime --bench registry`

#![allow(clippy::cast_precision_loss, reason = "the numbers are small")]

mod many_tools;
mod medians;

use many_tools::{name, registry};
use std::collections::HashMap;
use std::error::Error;
use std::hint::black_box;
use tool_runtime::Registry;

/// The maximum ratio of a look-up among 10,000 tools to one among 10.
const BUDGET: f64 = 1.1;
/// The number of names that are looked up repeatedly, as a model calls few of many tools.
const NAMES: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];
    let mut registries = Vec::new();
    for size in SIZES {
        registries.push(registry(size)?);
    }
    // The names are far apart.
    let spread =
        |names: usize, size: usize| -> Vec<String> { (0..names).map(|at| name(at * 7_919 % size)).collect() };
    let names = SIZES.map(|size| spread(NAMES, size));
    let look_up = |index: usize, names: &[String]| {
        let registry: &Registry = &registries[index];
        names.iter().filter(|name| registry.tool(black_box(name)).is_some()).count()
    };
    // The sizes take turns, since they are compared.
    let hot = medians::measure([
        &mut || assert_eq!(look_up(0, &names[0]), NAMES),
        &mut || assert_eq!(look_up(1, &names[1]), NAMES),
        &mut || assert_eq!(look_up(2, &names[2]), NAMES),
        &mut || assert_eq!(look_up(3, &names[3]), NAMES),
    ]);
    println!("medians of {} runs, per tool or per name, and for a `HashMap` of std", medians::RUNS);
    println!(
        "{:>7}{:>12}{:>22}{:>12}{:>22}{:>12}{:>14}{:>17}",
        "tools",
        "build",
        "10 names, cached",
        "HashMap",
        "each name in turn",
        "HashMap",
        "misspelt",
        "not similar"
    );
    for (index, size) in SIZES.into_iter().enumerate() {
        let std_map: HashMap<String, usize> = (0..size).map(|number| (name(number), number)).collect();
        let look_up_std =
            |names: &[String]| names.iter().filter(|name| std_map.contains_key(black_box(*name))).count();
        let all = spread(size, size);
        let correct = name(size / 2);
        let misspelt = correct.replacen("weather", "wether", 1);
        let suggestion = |unknown: &str| {
            registries[index].tool_choice(black_box(unknown)).err().and_then(|error| error.suggestion)
        };
        let [building, std_names, look_up_all, std_all, misspelt_name, unlike_name] = medians::measure([
            &mut || drop(black_box(registry(size))),
            &mut || assert_eq!(look_up_std(&names[index]), NAMES),
            &mut || assert_eq!(look_up(index, &all), size),
            &mut || assert_eq!(look_up_std(&all), size),
            &mut || assert_eq!(suggestion(&misspelt).as_ref(), Some(&correct)),
            &mut || assert_eq!(suggestion("send_mail_to_customer"), None),
        ]);
        let per_tool = |total: f64| total / size as f64;
        let per_name = |total: f64| total / NAMES as f64;
        println!(
            "{size:7}{:>9.1} µs{:>19.1} ns{:>9.1} ns{:>19.1} ns{:>9.1} ns{:>11.1} µs{:>14.1} µs",
            per_tool(building) / 1_000.0,
            per_name(hot[index]),
            per_name(std_names),
            per_tool(look_up_all),
            per_tool(std_all),
            misspelt_name / 1_000.0,
            unlike_name / 1_000.0
        );
    }
    let ratio = hot[3] / hot[0];
    let verdict = if ratio > BUDGET { ", over" } else { "" };
    println!("10 names, ratio of 10,000 tools to 10: {ratio:.2}, at most {BUDGET}{verdict}");
    Ok(())
}
