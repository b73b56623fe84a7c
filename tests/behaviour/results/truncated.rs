//! Results and errors that exceed a length.

use tool_runtime::{Registry, ToolCall, tool, tools};

/// Repeats a text.
#[tool]
fn repeat(text: &str, times: usize) -> String {
    text.repeat(times)
}

/// Fails with a long message.
#[tool]
fn fails_at_length() -> Result<(), String> {
    Err("no ".repeat(1_000))
}

async fn truncated(text: &str, times: usize, limit: usize) -> String {
    let registry = Registry::builder().tools(tools![repeat]).max_result_bytes(limit).build();
    let arguments = serde_json::json!({"text": text, "times": times}).to_string();
    let messages = registry.expect("a registry").dispatch(&[ToolCall::new("1", "repeat", arguments)]).await;
    messages[0].content.to_string()
}

#[tokio::test]
async fn a_long_result_is_truncated_to_its_head_and_tail_with_the_number_of_omitted_bytes() {
    assert_eq!(
        truncated("0123456789", 100, 60).await,
        "012345678901234\n[... 971 bytes left out ...]\n67890123456789"
    );
    assert_eq!(truncated("0123456789", 6, 60).await, "0123456789".repeat(6), "exactly at the limit");
}

#[tokio::test]
async fn a_result_is_truncated_between_characters_and_never_exceeds_the_limit() {
    for text in ["a", "é", "語", "🦀", "a🦀é"] {
        for limit in 34..120 {
            let content = truncated(text, 500, limit).await;
            assert!(content.len() <= limit, "{} of {limit}: {content}", content.len());
            let (head, rest) = content.split_once("\n[... ").expect("it was truncated");
            let (left_out, tail) = rest.split_once(" bytes left out ...]\n").expect("a notice");
            let left_out: usize = left_out.parse().expect("a number");
            assert_eq!(head.len() + left_out + tail.len(), text.len() * 500);
            let whole = text.repeat(500);
            assert!(whole.starts_with(head) && whole.ends_with(tail));
            assert!(limit - content.len() < 10, "at limit one character is lost on each side");
        }
    }
    for limit in 1..30 {
        assert_eq!(
            truncated("x", 500, limit).await,
            "x".repeat(limit),
            "the limit is too small for a notice"
        );
    }
    assert_eq!(truncated("🦀", 500, 3).await, "");
}

#[tokio::test]
async fn errors_are_truncated_for_the_model_and_complete_for_the_program() {
    let registry = Registry::builder().tools(tools![fails_at_length, repeat]).max_result_bytes(100).build();
    let registry = registry.expect("a registry");
    let messages = registry.dispatch(&[ToolCall::new("1", "fails_at_length", "")]).await;
    assert!(
        messages[0].content.as_str().starts_with("Error: no no ")
            && messages[0].content.as_str().len() <= 100
    );
    let narrow =
        Registry::builder().tools(tools![fails_at_length]).max_result_bytes(20).build().expect("a registry");
    let messages = narrow.dispatch(&[ToolCall::new("1", "fails_at_length", "")]).await;
    assert_eq!(messages[0].content, "Error: no no no no n", "`Error: ` is kept");
    let messages = registry.dispatch(&[ToolCall::new("1", "fails_at_length", "")]).await;
    let error = messages[0].outcome().and_then(|outcome| outcome.error()).expect("it failed");
    assert_eq!(error.to_string().len(), 3_000);
    let result = registry.call("repeat", serde_json::json!({"text": "x", "times": 1_000})).await;
    let text = result.text();
    assert!(text.len() <= 100 && text.contains(" bytes left out "), "`call` has the same limit: {text}");
}
