//! Suggested names for unknown tools.

use serde_json::json;
use std::collections::BTreeSet;
use tool_runtime::{DynamicTool, Registry, RegistryBuilder};

#[test]
fn a_typo_at_any_position_of_a_name_suggests_the_name() {
    let names = [
        "create_calendar_event",
        "delete_file",
        "get_weather",
        "list_open_issues",
        "now",
        "search-web",
        "send_mail",
    ];
    for name in names {
        for wrong in typos(name) {
            assert_eq!(suggestion(&names, &wrong).as_deref(), Some(name), "for `{wrong}`");
        }
    }
}

#[test]
fn the_most_similar_name_is_suggested_and_of_several_the_first() {
    assert_eq!(suggestion(&["get_rates", "get_wates"], "get_wats").as_deref(), Some("get_wates"));
    assert_eq!(suggestion(&["get_wates", "set_rates"], "get_wats").as_deref(), Some("get_wates"));
    assert_eq!(suggestion(&["top_a", "pot_b"], "pot_a").as_deref(), Some("pot_b"));
    assert_eq!(suggestion(&["opt_a", "pto_a"], "pot_a").as_deref(), Some("opt_a"));
}

/// The name that is suggested for a wrong name, among tools with these names.
fn suggestion(names: &[&str], wrong: &str) -> Option<String> {
    let tool = |name: &&str| {
        DynamicTool::new(*name, "A tool.", json!({"type": "object"}), |_| async { Ok::<_, String>(()) })
    };
    let registry = names.iter().map(tool).fold(Registry::builder(), RegistryBuilder::dynamic);
    let registry = registry.build().expect("names of tools, all different");
    registry.tool_choice(wrong).expect_err("there is no such tool").suggestion
}

/// The names with one character omitted, repeated, replaced or inserted, or two swapped.
fn typos(name: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = name.chars().collect();
    let mut typos = BTreeSet::new();
    for index in 0..letters.len() {
        let edited = |edit: &dyn Fn(&mut Vec<char>)| {
            let mut letters = letters.clone();
            edit(&mut letters);
            letters.into_iter().collect::<String>()
        };
        typos.insert(edited(&|letters| {
            letters.remove(index);
        }));
        typos.insert(edited(&|letters| letters.insert(index, letters[index])));
        typos.insert(edited(&|letters| letters[index] = 'x'));
        typos.insert(edited(&|letters| letters.insert(index, 'x')));
        typos.insert(edited(&|letters| letters.swap(index, index.saturating_sub(1))));
    }
    typos.remove(name);
    typos.into_iter()
}

#[test]
fn the_suggested_name_has_the_smallest_edit_distance() {
    let mut random = crate::seeded();
    for _ in 0..3_000 {
        let names: BTreeSet<String> = (0..random.usize(1..6)).map(|_| name(&mut random)).collect();
        let wrong = name(&mut random);
        if names.contains(&wrong) {
            continue;
        }
        let plain = |name: &str| name.to_lowercase().replace('-', "_");
        let distance = |name: &&String| strsim::osa_distance(&plain(name), &plain(&wrong));
        let max_distance = if wrong.len() < 2 { 0 } else { (wrong.len() / 3).max(1) };
        let nearest = names.iter().filter(|name| distance(name) <= max_distance).min_by_key(distance);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(suggestion(&names, &wrong).as_ref(), nearest, "among {names:?} for `{wrong}`");
    }
}

/// A name of few different characters, so that many names are similar.
fn name(random: &mut fastrand::Rng) -> String {
    let length = random.usize(1..9);
    (0..length).map(|_| char::from(b"aAqm1_-"[random.usize(..7)])).collect()
}
