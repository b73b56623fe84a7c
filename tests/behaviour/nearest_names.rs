//! The name that was meant, where one is asked for that no tool has.

use serde_json::json;
use std::collections::BTreeSet;
use tool_runtime::{DynamicTool, Registry, RegistryBuilder};

#[test]
fn a_slip_in_any_letter_of_a_name_is_told_with_the_name_that_was_meant() {
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
        for wrong in slips(name) {
            assert_eq!(meant(&names, &wrong).as_deref(), Some(name), "by `{wrong}`");
        }
    }
}

#[test]
fn of_several_names_the_nearest_is_meant_and_of_these_the_first() {
    assert_eq!(meant(&["get_rates", "get_wates"], "get_wats").as_deref(), Some("get_wates"));
    assert_eq!(meant(&["get_wates", "set_rates"], "get_wats").as_deref(), Some("get_wates"));
    assert_eq!(meant(&["top_a", "pot_b"], "pot_a").as_deref(), Some("pot_b"));
    assert_eq!(meant(&["opt_a", "pto_a"], "pot_a").as_deref(), Some("opt_a"));
}

/// Of tools of these names, the one that is found to be meant by another name.
fn meant(names: &[&str], wrong: &str) -> Option<String> {
    let tool = |name: &&str| {
        DynamicTool::new(*name, "A tool.", json!({"type": "object"}), |_| async { Ok::<_, String>(()) })
    };
    let registry = names.iter().map(tool).fold(Registry::builder(), RegistryBuilder::dynamic);
    let registry = registry.build().expect("names of tools, all different");
    registry.tool_choice(wrong).expect_err("there is no such tool").suggestion
}

/// A letter left out, written twice, another one, another one more, and two that changed places.
fn slips(name: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = name.chars().collect();
    let mut slips = BTreeSet::new();
    for place in 0..letters.len() {
        let edited = |edit: &dyn Fn(&mut Vec<char>)| {
            let mut letters = letters.clone();
            edit(&mut letters);
            letters.into_iter().collect::<String>()
        };
        slips.insert(edited(&|letters| {
            letters.remove(place);
        }));
        slips.insert(edited(&|letters| letters.insert(place, letters[place])));
        slips.insert(edited(&|letters| letters[place] = 'x'));
        slips.insert(edited(&|letters| letters.insert(place, 'x')));
        slips.insert(edited(&|letters| letters.swap(place, place.saturating_sub(1))));
    }
    slips.remove(name);
    slips.into_iter()
}

#[test]
fn the_name_that_is_meant_is_the_nearest_of_all_by_edit_distance() {
    let mut random = crate::seeded();
    for _ in 0..3_000 {
        let names: BTreeSet<String> = (0..random.usize(1..6)).map(|_| name(&mut random)).collect();
        let wrong = name(&mut random);
        if names.contains(&wrong) {
            continue;
        }
        let plain = |name: &str| name.to_lowercase().replace('-', "_");
        let distance = |name: &&String| strsim::osa_distance(&plain(name), &plain(&wrong));
        let most = if wrong.len() < 2 { 0 } else { (wrong.len() / 3).max(1) };
        let nearest = names.iter().filter(|name| distance(name) <= most).min_by_key(distance);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(meant(&names, &wrong).as_ref(), nearest, "of {names:?} by `{wrong}`");
    }
}

/// Of few letters, so that many are near to one another.
fn name(random: &mut fastrand::Rng) -> String {
    let length = random.usize(1..9);
    (0..length).map(|_| char::from(b"aAqm1_-"[random.usize(..7)])).collect()
}
