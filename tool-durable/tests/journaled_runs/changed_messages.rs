//! Changes of the inbox, of hooks and of compaction: a run after a crash repeats them, and does not ask for them again.

use super::*;
use std::convert::Infallible;
use std::future::ready;
use tool_runtime::conversation::Request;
use tool_runtime::history::Trimmed;
use tool_runtime::message::Message;
use tool_runtime::session::{Compact, CompactReason, Flow, HookFuture, RunError};
use tool_runtime_durable::JournalError;

fn user_texts(session: &Session) -> Vec<&str> {
    let users = session.messages().iter().filter(|message| matches!(message, Message::User(_)));
    users.map(Message::text).collect()
}

/// Replaces the first message by a summary with a number, which differs each time, when the session has this many messages.
struct Summarise {
    at: usize,
    ledger: Ledger,
}

impl Compact for Summarise {
    fn compact<'a>(
        &'a mut self,
        session: &'a mut Session,
        _: CompactReason,
    ) -> HookFuture<'a, Option<Trimmed>> {
        Box::pin(async move {
            if session.messages().len() != self.at {
                return Ok(None);
            }
            self.ledger.add("summary");
            let summary = format!("Summary {}.", self.ledger.entries().len());
            session.edit(|messages| {
                messages.splice(0..1, [Message::user(summary), Message::user("Go on.")]).count()
            })?;
            Ok(Some(Trimmed::default()))
        })
    }
}

/// A run of the program: a message arrives during the first and the last request, a hook adds a note, and a summary is made.
/// The process ends at the request after `replies`.
async fn run_program(
    session: &mut Session,
    ledger: &Ledger,
    journal: &MemoryJournal,
    replies: usize,
) -> Option<RunEnd> {
    let registry = registry(ledger, SHORT);
    let script =
        [calls([("charge", 7)]), calls([("find", 7), ("charge", 8)]), calls([("find", 9)]), done(), done()];
    let inbox = session.inbox();
    let run = session.run(&registry).journal(journal).continue_with_inbox();
    let run = run.compact(Summarise { at: 8, ledger: ledger.clone() }).between_replies(|mut session| {
        if session.replies() == 1 {
            session.push_user(format!("Note {}.", ledger.entries().len()));
        }
        Box::pin(async { Ok(Flow::Continue) })
    });
    let ended = run.complete(|request: Request| {
        let number =
            request.messages().iter().filter(|message| matches!(message, Message::Assistant(_))).count();
        if number == 0 || number == 3 {
            inbox.push_user(format!("Message {number}."));
        }
        ledger.add("request");
        ready(script.get(number).filter(|_| number < replies).cloned().ok_or("the process ends"))
    });
    ended.await.ok()
}

#[tokio::test]
async fn a_run_from_an_earlier_state_ends_the_same_without_inbox_hooks_and_summary() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let stored = Session::new().user("Go on.").claim();
    let mut first = stored.clone();
    assert_eq!(run_program(&mut first, &ledger, &journal, 9).await, Some(RunEnd::Answered));
    assert_eq!(user_texts(&first)[1..], ["Go on.", "Message 0.", "Note 2.", "Message 3."]);
    assert_eq!(ledger.entries().iter().filter(|entry| *entry == "summary").count(), 1);

    let mut again = stored.clone();
    let (before, registry) = (ledger.entries(), registry(&ledger, SHORT));
    let mut hooks = Vec::new();
    let run = again.run(&registry).journal(&journal).compact(Summarise { at: 8, ledger: ledger.clone() });
    let run = run.between_replies(|session| {
        hooks.push(session.messages().len());
        Box::pin(async { Ok(Flow::Continue) })
    });
    let end = run.complete(|_| async { Err("the model is not asked") }).await.expect("all is recorded");
    assert_eq!((end, again.messages()), (RunEnd::Answered, first.messages()));
    assert_eq!(again.replies_since_user(), first.replies_since_user());
    assert_eq!(ledger.entries(), before, "no second effect");
    assert_eq!(hooks, [first.messages().len()], "the hook is called at the end alone");
}

#[tokio::test]
async fn after_a_crash_at_any_request_the_recorded_changes_are_repeated_and_no_effect_twice() {
    for replies in 0..5 {
        let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
        let stored = Session::new().user("Go on.").claim();
        let mut crashed = stored.clone();
        assert_eq!(run_program(&mut crashed, &ledger, &journal, replies).await, None);
        let mut session = stored.clone();
        assert_eq!(run_program(&mut session, &ledger, &journal, 9).await, Some(RunEnd::Answered));
        let charges = ledger.entries().into_iter().filter(|entry| entry.starts_with("charge")).count();
        assert_eq!(charges, 2, "after {replies} replies: {:?}", ledger.entries());
        // A message is recorded with the reply that follows it: it is lost if the process ends before, and has not stored it.
        let texts = user_texts(&session);
        for (message, lost_after) in [("Message 0.", 1), ("Message 3.", 4)] {
            assert_eq!(texts.contains(&message), replies != lost_after, "after {replies} replies: {texts:?}");
        }
    }
}

#[tokio::test]
async fn a_run_of_an_earlier_state_does_not_take_the_changes_of_a_later_run() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT);
    let stored = Session::new().user("One?").claim();
    let mut session = stored.clone();
    let model = model([done(), done()]);
    assert_eq!(run(&mut session, &registry, &journal, &model).await, RunEnd::Answered);
    session.push_user("Two?");
    session.inbox().push_user("Three?");
    assert_eq!(run(&mut session, &registry, &journal, &model).await, RunEnd::Answered);
    assert_eq!(user_texts(&session), ["One?", "Two?", "Three?"]);

    let mut again = stored.clone();
    let run = again.run(&registry).journal(&journal);
    let end = run.complete(|_| async { Err::<AssistantMessage, _>("the model is not asked") }).await;
    assert_eq!((end.expect("all is recorded"), again.messages().len()), (RunEnd::Answered, 2));
    again.push_user("Two?");
    let run = again.run(&registry).journal(&journal);
    let end = run.complete(|_| async { Err::<AssistantMessage, _>("the model is not asked") }).await;
    assert_eq!((end.expect("all is recorded"), again.messages()), (RunEnd::Answered, session.messages()));
}

#[tokio::test]
async fn another_message_in_place_of_the_recorded_one_is_an_error() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let stored = Session::new().user("Go on.").claim();
    let mut first = stored.clone();
    assert_eq!(run_program(&mut first, &ledger, &journal, 9).await, Some(RunEnd::Answered));
    let mut session = stored.clone();
    session.push_user("Stop!");
    let registry = registry(&ledger, SHORT);
    let run = session.run(&registry).journal(&journal);
    let error =
        run.complete(|_| async { Ok::<_, Infallible>(done()) }).await.expect_err("the message differs");
    let RunError::Log(error) = error else { panic!("{error}") };
    assert!(matches!(error.downcast_ref(), Some(JournalError::OtherMessages { .. })), "{error}");
}
