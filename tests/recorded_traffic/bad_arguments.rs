//! Recorded invalid arguments: truncated text is rejected, and a mistake with one reading is repaired to the intended
//! object.

use crate::rows;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tool_runtime::{DynamicTool, Registry};

/// The arguments that the tool got.
type Seen = Arc<Mutex<Option<Map<String, Value>>>>;

/// A registry with a tool that takes any object.
fn registry() -> (Registry, Seen) {
    let seen = Seen::default();
    let slot = Arc::clone(&seen);
    let tool = DynamicTool::new("take", "Takes.", json!({"type": "object"}), move |arguments| {
        *slot.lock().expect("nobody panicked") = Some(arguments);
        std::future::ready(Ok::<_, String>(()))
    });
    (Registry::builder().lenient_arguments(true).dynamic(tool).build().expect("one tool"), seen)
}

/// The text without its parts in double quotes.
fn outside_of_strings(text: &str) -> String {
    let (mut outside, mut within, mut escaped) = (String::new(), false, false);
    for letter in text.chars() {
        match letter {
            '"' if !escaped => within = !within,
            _ if !within => outside.push(letter),
            _ => {}
        }
        escaped = letter == '\\' && !escaped;
    }
    outside
}

/// The mistakes that a text shows, found without the code of the library.
fn mistakes(text: &str) -> Vec<&'static str> {
    let outside = outside_of_strings(text);
    let tight: String = outside.split_whitespace().collect();
    let mut mistakes = Vec::new();
    let mut add = |is_shown: bool, mistake| {
        if is_shown {
            mistakes.push(mistake);
        }
    };
    add(outside.contains("```"), "code fence");
    add(tight.contains(",}") || tight.contains(",]"), "trailing comma");
    add(outside.contains("/*") || outside.contains("//"), "comment");
    add(tight.contains('\''), "single quotes");
    add(text.trim_start().starts_with("\"{") || text.trim_start().starts_with("\"\\\""), "encoded twice");
    mistakes
}

/// An error in a text that has no single reading, so that nothing in the text may be repaired.
fn ambiguous_error(text: &str) -> Option<&'static str> {
    let outside = outside_of_strings(text);
    let mut bare: String = outside.clone();
    while let Some(from) = bare.find("/*") {
        let to = bare[from..].find("*/").map_or(bare.len(), |end| from + end + 2);
        bare.replace_range(from..to, "");
    }
    let bare: String = bare.lines().map(|line| line.split("//").next().unwrap_or(line)).collect();
    let count = |letter| bare.matches(letter).count();
    let is_word =
        |word: &str| word.starts_with(char::is_alphabetic) && !["true", "false", "null"].contains(&word);
    // Every second part is in single quotes.
    let unquoted: String = bare.replace("```json", "").split('\'').step_by(2).collect();
    let word = !bare.contains("```") && unquoted.split(|letter: char| !letter.is_alphanumeric()).any(is_word);
    let pairs =
        outside.split(',').filter(|pair| pair.contains('{')).filter(|pair| pair.matches(':').count() == 0);
    if count('{') != count('}') || count('[') != count(']') || text.matches('"').count() % 2 == 1 {
        Some("truncated, or a surplus bracket or quote")
    } else if bare.contains("...") {
        Some("an ellipsis")
    } else if bare.split_whitespace().collect::<String>().contains("{,") {
        Some("a leading comma")
    } else if word {
        Some("words without quotes")
    } else if pairs.count() > 0 && outside.contains('\'') {
        Some("a missing colon")
    } else {
        None
    }
}

#[tokio::test]
async fn truncated_arguments_are_rejected_and_mistakes_are_repaired_to_the_expected_object() {
    let Some(rows) = rows("bad_arguments.jsonl") else { return };
    let (registry, seen) = registry();
    let (mut truncated, mut invalid, mut repaired) = (0, 0, 0);
    let mut wrong = Vec::new();
    // For each mistake: the rows that show it, the rows that were repaired, and the rows with another, ambiguous error.
    let mut table: BTreeMap<&str, (usize, usize, Vec<String>)> = BTreeMap::new();
    for row in &rows {
        let (raw, source) =
            (row["raw"].as_str().expect("a text"), row["source"].as_str().unwrap_or_default());
        let note = row["note"].as_str().unwrap_or_default();
        *seen.lock().expect("nobody panicked") = None;
        let result = registry.call("take", raw).await;
        assert_ne!(result.error_kind(), Some("panic"), "{source}: {raw}");
        let got = seen.lock().expect("nobody panicked").take().map(Value::Object);
        if source.starts_with("truncated:") || note.contains("finish_reason=length") {
            assert!(result.is_error() && got.is_none(), "{source} ran: {raw}");
            truncated += 1;
            continue;
        }
        let expected = row["expected"].as_object().filter(|_| row["has_expected"] == true);
        // Text that is JSON, with an object that is not expected, has no repair.
        let is_invalid = serde_json::from_str::<Map<String, Value>>(raw).is_err();
        invalid += usize::from(is_invalid && expected.is_some());
        match (&got, expected) {
            (Some(got), Some(expected)) if got.as_object() == Some(expected) => {
                repaired += usize::from(is_invalid);
            }
            // Empty arguments, for which the row has no expected object.
            (Some(got), _) if *got == json!({}) && matches!(raw.trim(), "" | "null" | "\"\"") => {}
            (Some(got), _) => wrong.push(format!("{source}: {raw} became {got}")),
            (None, _) => {}
        }
        if expected.is_none() {
            continue;
        }
        for mistake in mistakes(raw) {
            let (shown, repaired, ambiguous) = table.entry(mistake).or_default();
            match ambiguous_error(raw) {
                Some(error) if got.is_none() => ambiguous.push(format!("{error}: {}", raw.escape_debug())),
                _ => {
                    *shown += 1;
                    *repaired += usize::from(got.is_some());
                    if got.is_none() {
                        println!("not repaired ({mistake}): {raw}");
                    }
                }
            }
        }
    }
    println!("{} rows; {truncated} truncated, all rejected", rows.len());
    println!(
        "{repaired} of {invalid} invalid texts with an expected object are repaired to it, 0 to another"
    );
    for (mistake, (shown, repaired, ambiguous)) in &table {
        println!(
            "{mistake}: {repaired} of {shown} repaired; {} with an ambiguous error as well, rejected",
            ambiguous.len()
        );
        for error in ambiguous {
            println!("    {error}");
        }
    }
    assert!(truncated > 0 && table.len() >= 4, "the file has rows of each kind");
    assert!(wrong.is_empty(), "{wrong:#?}");
    for (mistake, (shown, repaired, _)) in table {
        assert!(repaired * 10 >= shown * 9, "{mistake}: {repaired} of {shown}");
    }
}
