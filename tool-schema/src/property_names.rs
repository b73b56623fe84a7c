//! The names that are written in place of keys that a provider rejects.

mod rewrite;

pub use rewrite::{WrittenNames, write_schema};

use crate::fingerprint::fingerprint;
use crate::json::descendants;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The maximum length of a key.
pub const MAX_LENGTH: usize = 64;

/// Whether Anthropic accepts this key of a property: "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"
/// (<https://github.com/anthropics/claude-code/issues/34771>).
pub fn is_accepted(key: &str) -> bool {
    (1..=MAX_LENGTH).contains(&key.len()) && key.chars().all(is_allowed)
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-')
}

/// The rejected keys of all properties, with their written names.
pub fn written_names(schema: &Value) -> BTreeMap<String, String> {
    let mut taken: HashSet<String> = HashSet::new();
    let mut rejected: BTreeSet<&str> = BTreeSet::new();
    // A property may itself be named `properties`: the keywords of its schema are accepted keys.
    for (value, _) in descendants([schema]) {
        let names = value.get("properties").and_then(Value::as_object).into_iter().flatten();
        for (name, _) in names {
            taken.insert(name.clone());
            if !is_accepted(name) {
                rejected.insert(name);
            }
        }
        let required = value.get("required").and_then(Value::as_array).into_iter().flatten();
        taken.extend(required.filter_map(Value::as_str).map(str::to_owned));
    }
    let replaced = |key: &str| -> String {
        key.chars().map(|letter| if is_allowed(letter) { letter } else { '_' }).collect()
    };
    let mut counts: HashMap<String, usize> = HashMap::new();
    for key in &rejected {
        *counts.entry(replaced(key)).or_default() += 1;
    }
    let is_free = |name: &String| counts[name] == 1 && is_accepted(name) && !taken.contains(name);
    let (unique, others): (Vec<&str>, Vec<&str>) =
        rejected.into_iter().partition(|key| is_free(&replaced(key)));
    let mut written: BTreeMap<String, String> =
        unique.into_iter().map(|key| (key.to_owned(), replaced(key))).collect();
    taken.extend(written.values().cloned());
    for key in others {
        let mut hashed = key.to_owned();
        let name = loop {
            let name = with_fingerprint(&replaced(key), &hashed);
            if taken.insert(name.clone()) {
                break name;
            }
            hashed.push('_');
        };
        written.insert(key.to_owned(), name);
    }
    written
}

/// The truncated name with the fingerprint of a text.
fn with_fingerprint(name: &str, hashed: &str) -> String {
    let head: String = name.chars().take(MAX_LENGTH - 9).collect();
    format!("{head}_{:08x}", fingerprint(hashed.bytes()) & 0xffff_ffff)
}
