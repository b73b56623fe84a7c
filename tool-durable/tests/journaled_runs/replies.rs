//! Recorded replies.

use super::*;
use futures_util::stream;
use tool_runtime::session::{RunError, TypedEnd};
use tool_runtime_durable::JournalError;

#[tokio::test(start_paused = true)]
async fn a_recorded_reply_replaces_a_request() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let stored = Session::new().user("Charge order 7.");
    let asked = model([calls([("charge", 7)])]);
    crash(&stored, &registry(&ledger, LONG), &journal, &asked).await;

    let mut session = stored.clone();
    let model = model([done()]);
    assert_eq!(run(&mut session, &registry(&ledger, SHORT), &journal, &model).await, RunEnd::Answered);
    assert_eq!(model.requests().len(), 1, "the first reply is recorded");
    assert_eq!(ledger.entries(), ["charge 7 order-7/0/0"]);

    let mut again = stored;
    let offline = ScriptedModel::new(Vec::<ScriptedReply>::new());
    assert_eq!(run(&mut again, &registry(&ledger, SHORT), &journal, &offline).await, RunEnd::Answered);
    assert_eq!(again.messages(), session.messages());
    assert_eq!(again.usage(), session.usage());
}

#[tokio::test(start_paused = true)]
async fn a_journal_of_replies_sends_the_same_calls_again_under_their_keys() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let mut session = Session::new().user("Charge order 7.");
    let stored = session.claim();
    let asked = model([calls([("charge", 7)])]);
    {
        let registry = registry(&ledger, LONG);
        let mut crashed = stored.clone();
        let run =
            crashed.run(&registry).journal_replies(&journal).complete(|request| asked.complete(request));
        let ended = tokio::time::timeout(Duration::from_millis(1), run).await;
        assert!(ended.is_err(), "the charge takes longer");
    }
    let mut session = stored;
    let (registry, next) = (registry(&ledger, SHORT), model([done()]));
    let run = session.run(&registry).journal_replies(&journal);
    let end = run.complete(|request| next.complete(request)).await.expect("the run ends");
    assert_eq!(end, RunEnd::Answered);
    // An engine runs the key once, and returns the result.
    assert_eq!(ledger.entries(), ["charge 7 order-7/0/0", "charge 7 order-7/0/0"]);
    assert_eq!(session.messages()[2].text(), "order 7 is charged");
    assert_eq!(journal.operations(), ["reply order-7/0", "reply order-7/1"]);
}

#[tokio::test(start_paused = true)]
async fn a_reply_is_recorded_before_its_calls_begin() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let mut session = Session::new().user("Charge order 7.");
    let model = model([calls([("find", 7), ("charge", 7)]), done()]);
    let registry = registry(&ledger, SHORT);
    let _ = run(&mut session, &registry, &journal, &model).await;
    let operations = journal.operations();
    assert_eq!(operations[0], "reply order-7/0");
    assert_eq!(operations[1..3], ["begin order-7/0/0", "begin order-7/0/1"]);
    assert_eq!(operations[5..], ["reply order-7/1"]);
}

#[tokio::test(start_paused = true)]
async fn only_reads_of_a_streamed_reply_begin_before_it_is_recorded() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let stored = Session::new().user("Charge order 7.");
    let model = model([calls([("find", 7), ("charge", 7)]), done()]);
    let registry = registry(&ledger, SHORT);
    let mut session = stored.clone();
    let run = session.run(&registry).journal(&journal);
    let end = run.stream(|request| model.stream(request)).await.expect("the run ends");
    assert_eq!(end, RunEnd::Answered);
    // `find` ran before, and its result is recorded with the next reply.
    assert_eq!(ledger.entries()[0], "find 7");
    assert_eq!(journal.operations()[..2], ["reply order-7/0", "begin order-7/0/1"]);

    let mut again = stored;
    let run = again.run(&registry).journal(&journal);
    let offline = ScriptedModel::new(Vec::<ScriptedReply>::new());
    let end = run.stream(|request| offline.stream(request)).await.expect("the run ends");
    assert_eq!(end, RunEnd::Answered);
    assert_eq!(again.messages(), session.messages());
    assert_eq!(ledger.entries().len(), 2, "no tool runs again");
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_reply_is_not_recorded_although_a_read_has_run() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT);
    let mut session = Session::new().user("Find order 7.");
    let chunk = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"find","arguments":"{\"order\":7}"}},
        {"index":1,"id":"b","function":{"name":"find","arguments":"{\"ord"}}]}}]}"#;
    let run = session.run(&registry).journal(&journal);
    let broken = run
        .stream(|_| async {
            Ok::<_, std::io::Error>(stream::iter([Ok(chunk), Err(std::io::Error::other("reset"))]))
        })
        .await;
    assert!(matches!(broken, Err(RunError::Stream(_))), "{broken:?}");
    assert_eq!(journal.operations(), Vec::<String>::new());
    assert_eq!(ledger.entries(), ["find 7"]);
    assert_eq!((session.messages().len(), session.replies()), (1, 0), "the next run repeats the request");
}

#[tokio::test(start_paused = true)]
async fn a_reply_to_another_message_is_an_error() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let stored = Session::new().user("Charge order 7.");
    crash(&stored, &registry(&ledger, LONG), &journal, &model([calls([("charge", 7)])])).await;

    let mut session = stored.user("Charge order 8 as well.");
    let model = model([calls([("charge", 8)]), done()]);
    let registry = registry(&ledger, SHORT);
    let run = session.run(&registry).journal(&journal);
    let error = run.complete(|request| model.complete(request)).await.expect_err("the reply is not used");
    let expected = "the journal has reply 0 of the run `order-7`, which follows another user message: take the newer message \
                    out of the session, run it, and add the message again; use another run id for each session";
    assert_eq!(error.to_string(), expected);
    let RunError::Log(error) = error else { panic!("an error of the log: {error}") };
    assert!(matches!(error.downcast_ref(), Some(JournalError::OtherMessages { .. })));
    assert_eq!(ledger.entries().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_typed_answer_is_recorded_with_its_invalid_attempts() {
    let journal = MemoryJournal::default();
    let registry = Registry::new(tools![]).expect("no tools").with(&RunContext::new().run_id("sum"));
    let stored = Session::new().user("How much is 20 + 22?");
    let model = model([AssistantMessage::from_text("many"), AssistantMessage::from_text("42")]);
    let mut session = stored.clone();
    // The limit ends the run after the invalid answer; the next run starts with a message of the first.
    let run = session.run(&registry).journal(&journal).answer_as::<u32>().max_replies(1);
    let end = run.complete(|request| model.complete(request)).await.expect("the run ends");
    assert_eq!(end, TypedEnd::NoAnswer(RunEnd::ReplyLimit));
    let run = session.run(&registry).journal(&journal).answer_as::<u32>();
    let end = run.complete(|request| model.complete(request)).await.expect("the run ends");
    assert_eq!(end, TypedEnd::Answered(42));

    let mut again = stored;
    let run = again.run(&registry).journal(&journal).answer_as::<u32>();
    let end = run.complete(|request| model.complete(request)).await.expect("both replies are recorded");
    assert_eq!(end, TypedEnd::Answered(42));
    assert_eq!(again.messages(), session.messages());
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_dropped_while_it_records_a_reply_continues() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT);
    let stored = Session::new().user("Charge order 7.");
    let mut session = stored.clone();
    let model = model([calls([("charge", 7)]), done()]);
    journal.delay_replies(LIFE * 2);
    let dropped = session.run(&registry).journal(&journal).complete(|request| model.complete(request));
    assert!(tokio::time::timeout(LIFE, dropped).await.is_err(), "the reply is being recorded");
    assert_eq!(session.messages().len(), 1, "the session does not have it");

    journal.delay_replies(Duration::ZERO);
    assert_eq!(run(&mut session, &registry, &journal, &model).await, RunEnd::Answered);
    let mut again = stored;
    assert_eq!(run(&mut again, &registry, &journal, &model).await, RunEnd::Answered);
    assert_eq!(again.messages(), session.messages());
    assert_eq!(ledger.entries(), ["charge 7 order-7/0/0"]);
}
