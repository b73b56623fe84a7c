//! Old results, which become notices.

use super::{bytes, compact, notice, session, shorten, step, texts};
use tool_runtime::message::{Content, Message, Part};
use tool_runtime::session::{Compact as _, CompactReason};
use tool_runtime::{AssistantMessage, ToolMessage};
use tool_runtime_compaction::Compaction;

/// A session of one user message and these results.
fn with_results(results: &[String]) -> tool_runtime::Session {
    let steps = results.iter().enumerate().flat_map(|(id, result)| step(&format!("call_{id}"), &**result));
    session([Message::user("Go.")].into_iter().chain(steps).collect())
}

fn lengths(session: &tool_runtime::Session) -> Vec<usize> {
    let is_result = |message: &&Message| matches!(message, Message::Tool(_));
    session.messages().iter().filter(is_result).map(|message| message.text().len()).collect()
}

#[tokio::test]
async fn a_session_within_the_mark_does_not_change() {
    let mut session = with_results(&vec!["x".repeat(100); 9]);
    let size: usize = session.messages().iter().map(bytes).sum();
    let revision = session.revision();
    assert_eq!(compact(&mut Compaction::above(size, bytes), &mut session).await, None);
    assert_eq!(session.revision(), revision);
    assert!(compact(&mut Compaction::above(size - 1, bytes), &mut session).await.is_some());
}

#[tokio::test]
async fn the_oldest_results_become_notices_down_to_the_lower_mark() {
    let mut session = with_results(&vec!["x".repeat(1_000); 10]);
    let mut compaction = Compaction::above(9_000, bytes).down_to(7_500);
    let trimmed = compact(&mut compaction, &mut session).await.expect("the session is too long");
    assert!(trimmed.is_within_budget);
    assert!(trimmed.removed.is_empty());
    let notice = "[result of 1,000 bytes removed]";
    assert_eq!(lengths(&session)[..4], [notice.len(), notice.len(), notice.len(), 1_000]);
    assert_eq!(texts(&session)[2], notice);
    assert_eq!(trimmed.truncated.len(), 3);
    assert!(trimmed.truncated.iter().all(|result| result.text() == "x".repeat(1_000)));
    assert_eq!(compact(&mut compaction, &mut session).await, None);
}

#[tokio::test]
async fn the_default_lower_mark_is_40_percent() {
    let mut session = with_results(&vec!["x".repeat(1_000); 11]);
    let trimmed = compact(&mut Compaction::above(10_000, bytes).keep_replies(1), &mut session).await;
    assert_eq!(trimmed.map(|trimmed| trimmed.truncated.len()), Some(8));
}

#[tokio::test]
async fn the_newest_replies_and_pinned_results_stay() {
    let mut results = vec!["x".repeat(1_000); 6];
    results[1] = "pinned".repeat(200);
    let mut session = with_results(&results);
    let mut compaction =
        Compaction::above(1_000, bytes).keep_replies(2).pin(|message| message.text().starts_with("pinned"));
    let trimmed = compact(&mut compaction, &mut session).await.expect("the session is too long");
    assert!(!trimmed.is_within_budget);
    let kept: Vec<usize> = lengths(&session).into_iter().filter(|length| *length > 100).collect();
    assert_eq!(kept, [1_200, 1_000, 1_000]);
}

#[tokio::test]
async fn images_short_results_and_errors_are_recognized() {
    let image = Content::from_parts([Part::text("x".repeat(1_000)), Part::image("image/png", [1])]);
    let texts_only = Content::from_parts([Part::text("x".repeat(500)), Part::json(serde_json::json!([1]))]);
    let mut messages = vec![Message::user("Go.")];
    messages.extend(step("a", image.clone()));
    messages.extend(step("b", texts_only));
    messages.extend(step("c", "short"));
    let [call, _] = step("d", "");
    messages.extend([call, ToolMessage::error("d", "y".repeat(1_000)).into()]);
    messages.push(AssistantMessage::from_text("Done.").into());
    let mut session = session(messages);
    let mut compaction = Compaction::above(1_500, bytes).down_to(1_400).keep_replies(1);
    shorten(&mut compaction, &mut session).await;
    assert_eq!(texts(&session)[2].len(), 1_000);
    assert_eq!(texts(&session)[4], "[result of 503 bytes removed]");
    assert_eq!(texts(&session)[6], "short");
    assert_eq!(texts(&session)[8], "Error: [result of 1,007 bytes removed]");
    assert!(matches!(&session.messages()[8], Message::Tool(result) if result.is_error()));
}

#[tokio::test]
async fn the_handle_of_a_stored_result_stays() {
    let stored = format!("{}\n{}\n", "x".repeat(1_000), notice("7"));
    let mut session = with_results(&[stored, String::new(), String::new()]);
    let mut compaction = Compaction::above(500, bytes).keep_replies(1);
    shorten(&mut compaction, &mut session).await;
    assert_eq!(texts(&session)[2], "[result removed: read_result with handle \"7\" reads or searches it]");
    // A second compaction keeps it as well.
    let mut compaction = Compaction::above(1, bytes).down_to(90).keep_replies(1);
    let _ = compact(&mut compaction, &mut session).await;
    assert_eq!(texts(&session).concat().matches("\"7\"").count(), 1);
}

#[tokio::test]
async fn each_form_of_a_notice_keeps_its_handles() {
    let json = format!(
        "{{\"a\":\"{}\"}}\n[... shortened from 12,345 to 408 bytes: read_result with handle \"7\" reads or searches all 9 lines ...]",
        "x".repeat(400)
    );
    let parts = Content::from_parts([
        Part::text(json.clone()),
        Part::text(format!("{}\n{}\n", "x".repeat(400), notice("8"))),
    ]);
    let mut messages = vec![Message::user("Go.")];
    messages.extend(step("a", json));
    messages.extend(step("b", parts));
    messages.push(Message::assistant("Done."));
    let mut session = session(messages);
    shorten(&mut Compaction::above(300, bytes).down_to(250).keep_replies(1), &mut session).await;
    assert_eq!(texts(&session)[2], "[result removed: read_result with handle \"7\" reads or searches it]");
    let both =
        "[result removed: read_result with handle \"7\", read_result with handle \"8\" reads or searches it]";
    assert_eq!(texts(&session)[4], both);
    let more = [Message::user("x".repeat(300)), Message::assistant("Done.")];
    session.edit(|messages| messages.extend(more)).expect("the messages are valid");
    shorten(&mut Compaction::above(300, bytes).down_to(1).keep_replies(1), &mut session).await;
    assert!(
        texts(&session)[0].ends_with("by their handles:\n- look: \"7\", \"8\""),
        "{}",
        texts(&session)[0]
    );
}

#[tokio::test]
async fn text_that_names_a_handle_is_no_notice() {
    for text in [
        "read_result with handle \"3\"".to_owned(),
        format!("see {}", notice("3")),
        format!("{} there", notice("3")),
        notice("3").replace("3,000", "3000"),
        notice("3").replace(" left out", " missing"),
        notice("3 3"),
        "[result removed: read_result with handle \"3\" reads or searches it]".to_owned(),
        "[... shortened from 9 to 5 bytes: read_result with handle \"3\" reads or searches all 3 lines ...]"
            .to_owned(),
    ] {
        let result = format!("first\nsecond\n{text}\n{}", "x".repeat(1_000));
        let mut session = with_results(&[result, String::new()]);
        shorten(&mut Compaction::above(500, bytes).keep_replies(1), &mut session).await;
        assert!(texts(&session)[2].starts_with("[result of 1,"), "{text}: {}", texts(&session)[2]);
    }
}

#[tokio::test]
async fn an_overflow_shortens_a_session_of_any_size() {
    let mut session = with_results(&vec!["x".repeat(1_000); 10]);
    let mut compaction = Compaction::above(1_000_000, bytes);
    let trimmed =
        compaction.compact(&mut session, CompactReason::ContextTooLong).await.expect("there is no summary");
    assert!(trimmed.expect("the session changes").is_within_budget);
    assert!(session.messages().iter().map(bytes).sum::<usize>() <= 5_000);
}
