//! Arguments that are not as they should be: what was cut off is refused, and a slip is mended to what was meant.

use crate::rows;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tool_runtime::{CallError, DynamicTool, Registry};

/// What a tool was given.
type Seen = Arc<Mutex<Option<Map<String, Value>>>>;

/// A tool that takes any object.
fn taker() -> (Registry, Seen) {
    let seen = Seen::default();
    let kept = Arc::clone(&seen);
    let tool = DynamicTool::new("take", "Takes.", json!({"type": "object"}), move |arguments| {
        *kept.lock().expect("nobody panicked") = Some(arguments);
        std::future::ready(Ok::<_, String>(()))
    });
    (Registry::builder().lenient_arguments(true).dynamic(tool).build().expect("one tool"), seen)
}

/// The text without what stands in double quotes.
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

/// The slips that show in a text, by the eye of a reader, not by ours.
fn slips(text: &str) -> Vec<&'static str> {
    let outside = outside_of_strings(text);
    let tight: String = outside.split_whitespace().collect();
    let mut slips = Vec::new();
    let mut shows = |is_shown: bool, slip| {
        if is_shown {
            slips.push(slip);
        }
    };
    shows(outside.contains("```"), "code fence");
    shows(tight.contains(",}") || tight.contains(",]"), "trailing comma");
    shows(outside.contains("/*") || outside.contains("//"), "comment");
    shows(tight.contains('\''), "single quotes");
    shows(text.trim_start().starts_with("\"{") || text.trim_start().starts_with("\"\\\""), "encoded twice");
    slips
}

/// What else is wrong with a text, and not a slip that has one reading: none of it is mended, and what it hides is not
/// either.
fn other_faults(text: &str) -> Option<&'static str> {
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
    // What stands in single quotes is every second part.
    let unquoted: String = bare.replace("```json", "").split('\'').step_by(2).collect();
    let word = !bare.contains("```") && unquoted.split(|letter: char| !letter.is_alphanumeric()).any(is_word);
    let pairs =
        outside.split(',').filter(|pair| pair.contains('{')).filter(|pair| pair.matches(':').count() == 0);
    if count('{') != count('}') || count('[') != count(']') || text.matches('"').count() % 2 == 1 {
        Some("cut off, or a bracket or quote too many")
    } else if bare.contains("...") {
        Some("an ellipsis")
    } else if bare.split_whitespace().collect::<String>().contains("{,") {
        Some("a leading comma")
    } else if word {
        Some("words without quotes")
    } else if pairs.count() > 0 && outside.contains('\'') {
        Some("a colon that is missing")
    } else {
        None
    }
}

#[tokio::test]
async fn what_was_cut_off_is_refused_and_slips_are_mended_to_what_was_meant() {
    let Some(rows) = rows("bad_arguments.jsonl") else { return };
    let (registry, seen) = taker();
    let (mut cut_off, mut broken, mut repaired) = (0, 0, 0);
    let mut wrong = Vec::new();
    // Of each slip the rows that show it, those that were mended, and those that have another fault too.
    let mut table: BTreeMap<&str, (usize, usize, Vec<String>)> = BTreeMap::new();
    for row in &rows {
        let (raw, source) =
            (row["raw"].as_str().expect("a text"), row["source"].as_str().unwrap_or_default());
        let note = row["note"].as_str().unwrap_or_default();
        *seen.lock().expect("nobody panicked") = None;
        let result = registry.call("take", raw).await;
        assert!(!matches!(result, Err(CallError::Panicked { .. })), "{source}: {raw}");
        let got = seen.lock().expect("nobody panicked").take().map(Value::Object);
        if source.starts_with("truncated:") || note.contains("finish_reason=length") {
            assert!(result.is_err() && got.is_none(), "{source} ran: {raw}");
            cut_off += 1;
            continue;
        }
        let expected = row["expected"].as_object().filter(|_| row["has_expected"] == true);
        // Text that is JSON, with an object that is not expected, has no repair.
        let is_broken = serde_json::from_str::<Map<String, Value>>(raw).is_err();
        broken += usize::from(is_broken && expected.is_some());
        match (&got, expected) {
            (Some(got), Some(expected)) if got.as_object() == Some(expected) => {
                repaired += usize::from(is_broken);
            }
            // Nothing given, which has no expectation of its own.
            (Some(got), _) if *got == json!({}) && matches!(raw.trim(), "" | "null" | "\"\"") => {}
            (Some(got), _) => wrong.push(format!("{source}: {raw} became {got}")),
            (None, _) => {}
        }
        if expected.is_none() {
            continue;
        }
        for slip in slips(raw) {
            let (shown, mended, others) = table.entry(slip).or_default();
            match other_faults(raw) {
                Some(other) if got.is_none() => others.push(format!("{other}: {}", raw.escape_debug())),
                _ => {
                    *shown += 1;
                    *mended += usize::from(got.is_some());
                    if got.is_none() {
                        println!("not mended ({slip}): {raw}");
                    }
                }
            }
        }
    }
    println!("{} rows; {cut_off} cut off, all refused", rows.len());
    println!("{repaired} of {broken} broken texts with an expected object are repaired to it, 0 to another");
    for (slip, (shown, mended, others)) in &table {
        println!(
            "{slip}: {mended} of {shown} mended; {} with another fault beside it, refused",
            others.len()
        );
        for other in others {
            println!("    {other}");
        }
    }
    assert!(cut_off > 0 && table.len() >= 4, "there is something to check");
    assert!(wrong.is_empty(), "{wrong:#?}");
    for (slip, (shown, mended, _)) in table {
        assert!(mended * 10 >= shown * 9, "{slip}: {mended} of {shown}");
    }
}
