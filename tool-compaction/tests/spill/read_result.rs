//! The tool with which a model reads and searches stored results.

use super::{echoed, numbered, read, registry};
use serde_json::json;
use tool_runtime::Registry;
use tool_runtime_compaction::Spill;

/// A registry whose session `s` has this text under the handle 1.
async fn stored(text: &str) -> Registry {
    let registry = registry(&Spill::memory().above(2_000));
    assert!(echoed(&registry, "s", text).await.contains("handle \"1\""));
    registry
}

#[tokio::test]
async fn a_range_of_lines_has_their_numbers() {
    let registry = stored(&numbered(1_000)).await;
    let text = read(&registry, "s", json!({"handle": "1", "from_line": 500, "max_lines": 2})).await;
    assert_eq!(
        text,
        "500: line 500\n501: line 501\n[lines 502 to 1,000 follow: continue with from_line 502]"
    );
}

#[tokio::test]
async fn the_whole_text_is_read_in_steps_within_the_limit() {
    let whole = numbered(1_000);
    let registry = stored(&whole).await;
    let (mut next, mut lines, mut steps) = (1, String::new(), 0);
    loop {
        let text = read(&registry, "s", json!({"handle": "1", "from_line": next})).await;
        assert!(text.len() <= 2_000);
        let (answer, end) = text.rsplit_once('\n').expect("a last line");
        for line in answer.lines() {
            let (number, line) = line.split_once(": ").expect("a number");
            assert_eq!(number.parse(), Ok(lines.lines().count() + 1));
            lines.push_str(line);
            lines.push('\n');
        }
        steps += 1;
        if end == "[the result ends here, with line 1,000]" {
            break;
        }
        next = end
            .trim_end_matches(']')
            .rsplit_once(' ')
            .and_then(|(_, next)| next.parse().ok())
            .expect("a number");
    }
    assert_eq!(lines, whole);
    assert!(steps < 20, "{steps}");
}

#[tokio::test]
async fn a_line_without_breaks_is_read_in_pieces() {
    let words: Vec<String> = (0..2_000).map(|word| word.to_string()).collect();
    let whole = words.join(" 語");
    let registry = stored(&whole).await;
    let mut pieces = String::new();
    for line in 1.. {
        let text = read(&registry, "s", json!({"handle": "1", "from_line": line, "max_lines": 1})).await;
        let (answer, end) = text.rsplit_once('\n').expect("a last line");
        let number = if line == 1 { "1: ".to_owned() } else { format!("{line}+: ") };
        pieces.push_str(answer.strip_prefix(&*number).expect("a number"));
        if end.starts_with("[the result ends here") {
            break;
        }
    }
    assert_eq!(pieces, whole);
}

#[tokio::test]
async fn a_search_ignores_case_and_continues() {
    let registry = stored(&numbered(1_000)).await;
    let text = read(&registry, "s", json!({"handle": "1", "search": "LINE 99"})).await;
    let found = "99: line 99\n990: line 990\n991: line 991\n992: line 992\n993: line 993\n994: line 994\n995: line 995\n\
        996: line 996\n997: line 997\n998: line 998\n999: line 999\n[no further line matches]";
    assert_eq!(text, found);
    let text = read(&registry, "s", json!({"handle": "1", "search": "line 99", "max_lines": 1})).await;
    assert_eq!(text, "99: line 99\n[10 more lines match: continue with from_line 990]");
    let text = read(&registry, "s", json!({"handle": "1", "search": "line 99", "from_line": 998})).await;
    assert_eq!(text, "998: line 998\n999: line 999\n[no further line matches]");
    let text = read(&registry, "s", json!({"handle": "1", "search": "missing", "from_line": 7})).await;
    assert_eq!(text, "[no line from 7 to 1,000 contains the text]");
}

#[tokio::test]
async fn a_search_with_many_matches_stays_within_the_limit() {
    let registry = stored(&numbered(1_000)).await;
    let text = read(&registry, "s", json!({"handle": "1", "search": "line"})).await;
    assert!(text.len() <= 2_000);
    let shown = text.lines().count() - 1;
    assert!(text.ends_with(&format!(
        "[{} more lines match: continue with from_line {}]",
        1_000 - shown,
        shown + 1
    )));
}

#[tokio::test]
async fn a_search_finds_text_across_the_pieces_of_a_line() {
    for before in 980..1_010 {
        let registry = stored(&format!("{}NEEDLE{}", "x".repeat(before), "y".repeat(3_000))).await;
        let text = read(&registry, "s", json!({"handle": "1", "search": "needle"})).await;
        let line = if before < 1_000 { "1: x" } else { "2+: " };
        assert!(text.starts_with(line), "{before}: {text}");
        assert_eq!(text.lines().count(), 2, "{before}: {text}");
    }
}

#[tokio::test]
async fn white_space_at_the_end_of_lines_of_windows_is_left_out() {
    let registry = stored(&numbered(1_000).replace('\n', "\r\n")).await;
    let text = read(&registry, "s", json!({"handle": "1", "max_lines": 1})).await;
    assert_eq!(text, "1: line 1\n[lines 2 to 1,000 follow: continue with from_line 2]");
}

#[tokio::test]
async fn wrong_arguments_are_clear_errors() {
    let registry = stored(&numbered(1_000)).await;
    for (arguments, error) in [
        (json!({"handle": "1", "from_line": 0}), "`from_line` is 0, and the first line has the number 1"),
        (json!({"handle": "1", "max_lines": 0}), "`max_lines` is 0: pass at least 1, or leave it out"),
        (
            json!({"handle": "1", "from_line": 1_001}),
            "`from_line` is 1001, and the result has 1,000 lines: pass a smaller number",
        ),
        (
            json!({"handle": "1", "from_line": u64::MAX}),
            "`from_line` is 18446744073709551615, and the result has 1,000 lines: pass a smaller number",
        ),
        (json!({"handle": "1", "search": "a\nb"}), "`search` has a line break: pass a text within one line"),
        (
            json!({"handle": "1", "search": "a".repeat(501)}),
            "`search` has more than 500 bytes: pass a shorter text",
        ),
        (
            json!({"handle": "2"}),
            "this conversation has no stored result with the handle \"2\": pass the handle of a notice in an earlier result",
        ),
    ] {
        assert_eq!(read(&registry, "s", arguments).await, format!("Error: {error}"));
    }
    let text = read(&registry, "s", json!({"handle": "1", "search": "", "max_lines": 1})).await;
    assert!(text.starts_with("1: line 1\n"));
}

#[tokio::test]
async fn an_answer_is_never_stored() {
    let registry = stored(&numbered(1_000)).await;
    let answer = read(&registry, "s", json!({"handle": "1"})).await;
    assert!(!answer.contains("left out"));
    assert!(read(&registry, "s", json!({"handle": "2"})).await.starts_with("Error: "));
}
