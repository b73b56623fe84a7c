//! Which results are shortened, and where they are cut.

use super::{echoed, handle, numbered, registry};
use serde_json::json;
use tool_runtime_compaction::Spill;

#[tokio::test]
async fn a_result_within_the_limit_does_not_change() {
    let registry = registry(&Spill::memory().above(3_000));
    let text = "x".repeat(3_000);
    assert_eq!(echoed(&registry, "s", &text).await, text);
    assert_ne!(echoed(&registry, "s", &format!("{text}x")).await.len(), 3_001);
}

#[tokio::test]
async fn the_default_limit_is_16_000_bytes() {
    let registry = registry(&Spill::memory());
    assert_eq!(echoed(&registry, "s", &"x".repeat(16_000)).await.len(), 16_000);
    assert!(echoed(&registry, "s", &"x\n".repeat(8_001)).await.len() <= 16_000);
}

#[tokio::test]
async fn a_small_limit_counts_as_2_000() {
    let registry = registry(&Spill::memory().above(1));
    assert_eq!(echoed(&registry, "s", &"x".repeat(2_000)).await.len(), 2_000);
}

#[tokio::test]
async fn the_head_and_the_tail_are_whole_lines() {
    let registry = registry(&Spill::memory().above(2_000));
    let text = echoed(&registry, "s", &numbered(1_000)).await;
    assert!(text.len() <= 2_000);
    let lines: Vec<&str> = text.lines().collect();
    let notice = lines.iter().position(|line| line.starts_with("[...")).expect("the text has a notice");
    for (index, line) in lines[..notice].iter().enumerate() {
        assert_eq!(*line, format!("line {}", index + 1));
    }
    for (index, line) in lines[notice + 1..].iter().rev().enumerate() {
        assert_eq!(*line, format!("line {}", 1_000 - index));
    }
    let (first, last) = (notice + 1, 1_000 - (lines.len() - notice - 1));
    let missing = format!(
        "lines {first} to {last} of 1,000: read_result with handle \"1\" reads or searches them ...]"
    );
    assert!(lines[notice].ends_with(&missing), "{}", lines[notice]);
    let left_out: usize = (first..=last).map(|line| format!("line {line}\n").len()).sum();
    let bytes =
        lines[notice].strip_prefix("[... ").and_then(|rest| rest.split_once(' ')).expect("a number").0;
    // The line break before the missing lines counts as missing.
    assert!(
        bytes.replace(',', "").parse::<usize>().is_ok_and(|bytes| bytes.abs_diff(left_out) <= 1),
        "{bytes}"
    );
}

#[tokio::test]
async fn long_lines_are_cut_between_characters() {
    let registry = registry(&Spill::memory().above(2_000));
    for character in ["x", "ß", "語", "🦀"] {
        let text = echoed(&registry, "s", &character.repeat(9_000)).await;
        assert!(text.len() <= 2_000);
        assert!(text.len() > 1_700, "{}", text.len());
        let (head, tail) = (text.lines().next().unwrap_or_default(), text.lines().last().unwrap_or_default());
        assert_eq!(head.replace(character, ""), "");
        assert_eq!(tail.replace(character, ""), "");
    }
}

#[tokio::test]
async fn without_a_run_id_nothing_is_stored() {
    let registry = registry(&Spill::memory().above(2_000));
    let text = registry.call("echo", json!({"text": numbered(1_000)})).await.text().into_owned();
    assert!(text.len() <= 2_000);
    assert!(text.starts_with("line 1\n") && text.ends_with("line 1000\n"));
    assert!(text.contains("they are not stored ...]"), "{text}");
    let read = registry.call("read_result", json!({"handle": "1"})).await;
    assert_eq!(
        read.text(),
        "Error: the results of this conversation are not stored: call the tool again with arguments for a shorter result"
    );
}

/// Texts of random lines, characters and lengths.
#[tokio::test]
async fn every_text_stays_within_every_limit() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..300 {
        let limit = random.usize(2_000..6_000);
        let registry = registry(&Spill::memory().above(limit));
        let mut text = String::new();
        let line_share = *random.choice(&[0, 1, 30, 300]).expect("there are numbers");
        for _ in 0..random.usize(limit..limit * 4) {
            text.push(match random.usize(0..1_000) {
                number if number < line_share => '\n',
                number if number % 7 == 0 => '語',
                number if number % 11 == 0 => '🦀',
                _ => random.alphanumeric(),
            });
        }
        let shortened = echoed(&registry, "s", &text).await;
        assert!(shortened.len() <= limit, "{} of {limit}", shortened.len());
        let (head, after) = shortened.split_once("\n[... ").expect("a notice");
        let (_, tail) = after.split_once(" ...]\n").expect("a notice");
        assert!(text.starts_with(head) && text.ends_with(tail));
        assert!(head.len() + tail.len() + 400 >= limit / 2, "{} and {} of {limit}", head.len(), tail.len());
        assert_eq!(handle(&shortened), "1");
    }
}
