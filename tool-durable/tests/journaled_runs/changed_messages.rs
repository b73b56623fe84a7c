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

#[tokio::test]
async fn a_message_that_waited_in_a_claimed_session_is_there_once() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT);
    let mut session = Session::new().user("Go on.");
    session.inbox().push_user("Wait!");
    let claimed = to_text(&session.claim());
    let model = model([calls([("find", 7)]), done()]);
    assert_eq!(run(&mut session, &registry, &journal, &model).await, RunEnd::Answered);

    let mut again: Session = serde_json::from_str(&claimed).expect("a stored session");
    assert_eq!(again.inbox().len(), 1);
    let run = again.run(&registry).journal(&journal).continue_with_inbox();
    let end = run.complete(|_| async { Err::<AssistantMessage, _>("the model is not asked") }).await;
    assert_eq!((end.expect("all is recorded"), again.messages()), (RunEnd::Answered, session.messages()));
    assert!(again.inbox().is_empty());
}

fn to_text(session: &Session) -> String {
    serde_json::to_string(session).expect("it is stored")
}

#[tokio::test]
async fn a_compaction_after_an_error_event_of_a_stream_is_repeated() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT);
    let error = r#"{"error":{"code":"context_length_exceeded","message":"the maximum context length is 8192 tokens"}}"#;
    let script = [
        calls([("charge", 7)]).into(),
        ScriptedReply::stream([error]),
        calls([("charge", 8)]).into(),
        done().into(),
    ];
    let model = ScriptedModel::new(script);
    let stored = Session::new().user("Go on.").claim();
    let mut first = stored.clone();
    // The session has three messages after the first reply.
    let run = first.run(&registry).journal(&journal).compact(SummariseRejected(ledger.clone()));
    assert_eq!(run.stream(|request| model.stream(request)).await.expect("no error"), RunEnd::Answered);
    assert!(user_texts(&first)[0].starts_with("Summary"), "{:?}", user_texts(&first));

    let (mut again, before) = (stored.clone(), ledger.entries());
    let run = again.run(&registry).journal(&journal);
    let end = run.complete(|_| async { Err("the model is not asked") }).await.expect("all is recorded");
    assert_eq!((end, again.messages(), ledger.entries()), (RunEnd::Answered, first.messages(), before));
}

/// Replaces the first message after the provider has rejected the request.
struct SummariseRejected(Ledger);

impl Compact for SummariseRejected {
    fn compact<'a>(
        &'a mut self,
        session: &'a mut Session,
        reason: CompactReason,
    ) -> HookFuture<'a, Option<Trimmed>> {
        if reason == CompactReason::BeforeRequest {
            return Box::pin(async { Ok(None) });
        }
        let at = session.messages().len();
        let mut summarise = Summarise { at, ledger: self.0.clone() };
        Box::pin(async move { summarise.compact(session, reason).await })
    }
}

#[tokio::test]
async fn hooks_are_not_called_before_recorded_replies_after_an_invalid_answer_or_a_paused_reply() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT);
    let stored = Session::new().user("How many?").claim();
    let paused = AssistantMessage::from_text("I search.").with_finish_reason("pause_turn");
    let script = [paused, AssistantMessage::from_text("seven"), AssistantMessage::from_text("7")];
    let model = ScriptedModel::new(script);
    let mut first = stored.clone();
    let inbox = first.inbox();
    let run = first.run(&registry).journal(&journal).answer_as::<u32>();
    let ended = run.complete(|request| {
        inbox.push_user(format!("Message {}.", request.messages().len()));
        model.complete(request)
    });
    assert_eq!(ended.await.expect("no error").into_answer(), Some(7));
    let texts = user_texts(&first);
    assert_eq!((texts[1], texts[3]), ("Message 1.", "Message 3."), "{texts:?}");
    assert!(texts[2].starts_with("Error: "), "the model reads why the answer is invalid: {texts:?}");

    let (mut again, mut hooks) = (stored.clone(), 0);
    let run = again.run(&registry).journal(&journal).answer_as::<u32>();
    let run = run.between_replies(|_| {
        hooks += 1;
        Box::pin(async { Ok(Flow::Stop) })
    });
    let end = run.complete(|_| async { Err("the model is not asked") }).await.expect("all is recorded");
    assert_eq!((end.into_answer(), again.messages(), hooks), (Some(7), first.messages(), 1));
}

#[tokio::test]
async fn two_runs_at_once_with_different_summaries_do_not_end_with_different_conversations() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT);
    let stored = Session::new().user("Go on.");
    let model = ScriptedModel::new([done()]);
    let run_once = async || {
        let mut session = stored.clone();
        let run =
            session.run(&registry).journal(&journal).compact(Summarise { at: 1, ledger: ledger.clone() });
        let ended = run.complete(|request| {
            let reply = model.complete(request);
            async {
                tokio::task::yield_now().await;
                reply.await
            }
        });
        (ended.await, session)
    };
    let ((first, one), (second, _)) = tokio::join!(run_once(), run_once());
    assert_eq!(first.expect("it asks the model"), RunEnd::Answered);
    assert_eq!(one.final_text(), "Done.");
    let error = second.expect_err("it has another summary");
    assert!(matches!(error, RunError::Log(_)), "{error}");
}
