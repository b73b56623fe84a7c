//! The costs in `LIMITS.md` are those of the measurement.

use super::NOISE;
use crate::CHECKS_TIMES;
use std::collections::{HashMap, HashSet};

const PAGE: &str = include_str!("../../../LIMITS.md");
const TEST: &str = "time_and_memory_grow_in_proportion_to_each_input";

/// How much more than on the page an input may cost: nanoseconds on any machine, and bytes.
const MAX_EXCESS: [f64; 2] = [10.0, 1.5];

/// The inputs that cost more than on the page, or have no cost on it. `costs` has the largest measurements by input.
pub(super) fn differences(costs: &HashMap<String, [f64; 2]>) -> Vec<String> {
    let mut differences = Vec::new();
    let mut known = HashSet::new();
    for line in PAGE.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, input, _, cost, ..] = cells[..] else { continue };
        let Some(measured) = costs.get(input) else {
            if line.contains(TEST) {
                differences.push(format!("{input}: not measured"));
            }
            continue;
        };
        known.insert(input);
        let numbers: Vec<f64> = cost.split(", ").filter_map(|number| number.parse().ok()).collect();
        let [time, memory] = numbers[..] else {
            differences.push(format!("{input}: the page has no cost, it is {measured:.1?}"));
            continue;
        };
        for (kind, page) in [time, memory].into_iter().enumerate() {
            let is_checked = kind == 1 || CHECKS_TIMES;
            if is_checked && measured[kind] > page * MAX_EXCESS[kind] + NOISE[kind] {
                differences.push(format!("{input}: the page has {numbers:?}, it is {measured:.1?}"));
            }
        }
    }
    let missing = costs.keys().filter(|input| !known.contains(&***input));
    differences.extend(missing.map(|input| format!("{input}: the page has no row")));
    differences
}
