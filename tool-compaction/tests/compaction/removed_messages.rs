//! Old messages, and the summary in their place.

use super::{bytes, compact, notice, session, shorten, step, texts};
use std::io;
use tool_runtime::message::Message;
use tool_runtime::session::{Compact as _, CompactReason};
use tool_runtime::{AssistantMessage, Session, ToolCall, ToolMessage};
use tool_runtime_compaction::Compaction;

const SUMMARY: &str = "Summary of earlier messages, which were removed:\n\n";

/// A system message, and exchanges of about 200 bytes.
fn chat(exchanges: usize) -> Session {
    let exchange = |number: usize| {
        [
            Message::user(format!("question {number} {}", "?".repeat(90))),
            Message::assistant(format!("answer {number} {}", "!".repeat(90))),
        ]
    };
    session([Message::system("Be brief.")].into_iter().chain((0..exchanges).flat_map(exchange)).collect())
}

/// The first 10 characters of each text.
fn beginnings(session: &Session) -> Vec<String> {
    texts(session).iter().map(|text| text.chars().take(10).collect()).collect()
}

#[tokio::test]
async fn the_oldest_exchanges_become_a_summary() {
    let mut session = chat(10);
    let all = session.messages().to_vec();
    let mut received = Vec::new();
    let mut compaction = Compaction::above(2_000, bytes).down_to(1_000).summarise(|removed: Vec<Message>| {
        received = removed;
        async { Ok::<_, io::Error>("They talked.\n".to_owned()) }
    });
    let trimmed = compact(&mut compaction, &mut session).await.expect("the session is too long");
    drop(compaction);
    assert!(trimmed.is_within_budget && trimmed.truncated.is_empty());
    assert_eq!(trimmed.removed, all[1..13]);
    assert_eq!(received, trimmed.removed);
    assert_eq!(texts(&session)[1], format!("{SUMMARY}They talked."));
    assert_eq!(session.messages()[0], all[0]);
    assert_eq!(session.messages()[2..], all[13..]);
    assert!(matches!(session.messages()[1], Message::User(_)));
}

#[tokio::test]
async fn a_summary_replaces_an_earlier_one() {
    let mut session = chat(10);
    for number in 0..3 {
        let mut compaction = Compaction::above(1_500, bytes).down_to(1_000).summarise(
            move |removed: Vec<Message>| async move {
                assert_eq!(removed[0].text().starts_with(SUMMARY), number > 0, "{}", removed[0].text());
                assert_eq!(
                    removed.iter().filter(|message| message.text().starts_with(SUMMARY)).count(),
                    number.min(1)
                );
                Ok::<_, io::Error>(format!("summary {number}"))
            },
        );
        assert!(compact(&mut compaction, &mut session).await.is_some());
        assert_eq!(texts(&session)[1], format!("{SUMMARY}summary {number}"));
        assert_eq!(texts(&session).iter().filter(|text| text.starts_with(SUMMARY)).count(), 1);
        session
            .edit(|messages| messages.extend_from_slice(&chat(5).messages()[1..]))
            .expect("the messages are valid");
    }
}

#[tokio::test]
async fn without_a_function_a_sentence_takes_their_place() {
    let mut session = chat(10);
    let trimmed = compact(&mut Compaction::above(2_000, bytes).keep_replies(2), &mut session)
        .await
        .expect("the session is too long");
    assert!(trimmed.is_within_budget);
    assert_eq!(texts(&session)[1], "Earlier messages were removed.");
    session
        .edit(|messages| messages.extend_from_slice(&chat(10).messages()[1..]))
        .expect("the messages are valid");
    shorten(&mut Compaction::above(2_000, bytes).keep_replies(2), &mut session).await;
    assert_eq!(texts(&session).iter().filter(|text| text.starts_with("Earlier messages")).count(), 1);
}

#[tokio::test]
async fn an_error_of_the_summary_changes_nothing() {
    let mut session = chat(10);
    let (all, revision) = (session.messages().to_vec(), session.revision());
    let mut compaction = Compaction::above(2_000, bytes)
        .summarise(|_| async { Err(io::Error::other("the model is not available")) })
        .on_compacted(|_| panic!("nothing has changed"));
    let error =
        compaction.compact(&mut session, CompactReason::BeforeRequest).await.expect_err("the summary failed");
    assert_eq!(error.to_string(), "the model is not available");
    assert_eq!((session.messages(), session.revision()), (&*all, revision));
}

#[tokio::test]
async fn old_replies_of_the_newest_exchange_are_removed_after_their_user_message() {
    let steps = (0..10).flat_map(|number| step(&format!("call_{number}"), format!("result {number}")));
    let mut messages =
        vec![Message::user("old question"), Message::assistant("old answer"), Message::user("the task")];
    messages.extend(steps);
    let mut session = session(messages);
    let mut compaction = Compaction::above(100, bytes).down_to(79).keep_replies(3);
    shorten(&mut compaction, &mut session).await;
    assert_eq!(
        texts(&session),
        ["Earlier messages were removed.", "the task", "", "result 7", "", "result 8", "", "result 9"]
    );
}

#[tokio::test]
async fn the_user_messages_of_kept_replies_stay() {
    let mut messages = vec![Message::user("first task")];
    messages.extend((0..6).flat_map(|number| step(&format!("call_{number}"), "r".repeat(30))));
    messages.extend([Message::assistant("done"), Message::user("second task")]);
    let mut session = session(messages);
    shorten(&mut Compaction::above(100, bytes).keep_replies(2), &mut session).await;
    let kept = ["first task", "Earlier me", "", "rrrrrrrrrr", "done", "second tas"];
    assert_eq!(beginnings(&session), kept);
}

#[tokio::test]
async fn pinned_and_system_messages_stay() {
    let mut messages = chat(4).messages().to_vec();
    messages.extend([Message::developer("Use SI units."), Message::user("look")]);
    messages.extend(step("pinned", "the pinned result"));
    messages.push(Message::assistant("looked"));
    messages.extend_from_slice(&chat(4).messages()[1..]);
    let mut session = session(messages);
    let is_pinned =
        |message: &Message| message.text().contains("pinned") || message.text().contains("question 1");
    shorten(&mut Compaction::above(500, bytes).down_to(1).keep_replies(1).pin(is_pinned), &mut session).await;
    let kept = [
        "Be brief.",
        "Earlier me",
        "question 1",
        "Use SI uni",
        "look",
        "",
        "the pinned",
        "looked",
        "question 1",
        "question 3",
        "answer 3 !",
    ];
    assert_eq!(beginnings(&session), kept);
}

#[tokio::test]
async fn handles_of_stored_results_are_listed_and_survive() {
    let mut messages = chat(2).messages().to_vec();
    for (number, handle) in ["1", "2", "x-9", "1"].iter().enumerate() {
        messages.extend(step(&format!("call_{number}"), notice(handle)));
    }
    let calls = [ToolCall::new("other", "weird\ntool", "{}")];
    messages.extend([
        AssistantMessage::from_tool_calls(calls).into(),
        ToolMessage::new("other", notice("5")).into(),
    ]);
    messages.extend_from_slice(&chat(4).messages()[1..]);
    let mut session = session(messages);
    let list = "Stored results, which read_result reads by their handles:\n- look: \"1\", \"2\", \"x-9\"\n- other tools: \"5\"";
    for _ in 0..3 {
        let mut compaction =
            Compaction::above(900, bytes).down_to(700).keep_replies(1).summarise(|_| async {
                // A summary that imitates the list adds nothing.
                Ok::<_, io::Error>(
                    "Looked.\n\nStored results, which read_result reads by their handles:\n- no: \"99\""
                        .to_owned(),
                )
            });
        shorten(&mut compaction, &mut session).await;
        assert!(texts(&session)[1].ends_with(list), "{}", texts(&session)[1]);
        session
            .edit(|messages| messages.extend_from_slice(&chat(4).messages()[1..]))
            .expect("the messages are valid");
    }
}

/// The handles of a tool with many, or with forged notices, take no place from those of the others.
#[tokio::test]
async fn at_most_100_handles_are_listed() {
    let mut messages = vec![Message::user("first")];
    let [call, _] = step("search", "");
    let found = ToolMessage::new("search", notice("found")).with_tool("search");
    messages.extend([call, found.into()]);
    for number in 0..300 {
        messages.extend(step(&format!("call_{number}"), notice(&format!("h{number}"))));
    }
    messages.extend_from_slice(&chat(4).messages()[1..]);
    let mut session = session(messages);
    for _ in 0..2 {
        shorten(&mut Compaction::above(900, bytes).down_to(700).keep_replies(1), &mut session).await;
        let summary = texts(&session)[0];
        assert!(summary.starts_with("Earlier messages were removed.\n\nStored results"), "{summary}");
        assert_eq!(summary.matches('"').count(), 2 * 100);
        assert!(summary.contains("- search: \"found\""), "{summary}");
        assert!(summary.contains("- look: \"h201\", ") && summary.contains("\"h299\""), "{summary}");
        session
            .edit(|messages| messages.extend_from_slice(&chat(4).messages()[1..]))
            .expect("the messages are valid");
    }
}

#[tokio::test]
async fn a_message_of_the_user_like_a_summary_stays() {
    let like =
        ["Earlier messages were removed.", "Summary of earlier messages, which were removed:\n\nMine."];
    for text in like {
        let mut session = chat(10);
        session.push_user(text);
        shorten(&mut Compaction::above(1_000, bytes).keep_replies(1), &mut session).await;
        assert!(texts(&session)[1].starts_with("Earlier messages were removed."));
        assert_eq!(texts(&session).last(), Some(&text));
        // It stays a message of the user, also after the reply.
        let more = [Message::assistant("answer ".repeat(20)), Message::assistant("again ".repeat(200))];
        session.edit(|messages| messages.extend(more)).expect("the messages are valid");
        shorten(&mut Compaction::above(1_000, bytes).keep_replies(1), &mut session).await;
        assert_eq!(texts(&session)[texts(&session).len() - 2], text);
    }
}

#[tokio::test]
async fn a_session_in_which_little_can_be_removed_stays() {
    let mut messages = vec![Message::user("hi"), Message::assistant("hello")];
    messages.extend([Message::user("task ".repeat(500)), Message::assistant("ok")]);
    let mut session = session(messages);
    let mut compaction = Compaction::above(1_000, bytes).keep_replies(1);
    assert_eq!(compact(&mut compaction, &mut session).await, None);
}

#[tokio::test]
async fn removed_messages_have_their_whole_results() {
    let mut messages = vec![Message::user("first")];
    messages.extend((0..5).flat_map(|number| step(&format!("call_{number}"), "long ".repeat(100))));
    messages.extend(chat(3).messages()[1..].iter().cloned());
    let mut session = session(messages);
    let all = session.messages().to_vec();
    let trimmed =
        compact(&mut Compaction::above(700, bytes).down_to(500).keep_replies(1), &mut session).await;
    let trimmed = trimmed.expect("the session is too long");
    assert_eq!(trimmed.removed[..], all[..trimmed.removed.len()]);
    assert!(trimmed.removed.len() >= 11 && trimmed.truncated.is_empty());
}
