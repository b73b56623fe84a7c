//! Messages of the user that arrive during a run.

use super::*;
use tool_runtime::session::{Event, Inbox, RunEnd};

fn texts(session: &Session) -> Vec<&str> {
    session.messages().iter().map(Message::text).collect()
}

/// Finds an order, while the user sends a message.
#[tool(read_only)]
async fn find_slowly(order: u32, #[state] inbox: &Inbox) -> String {
    inbox.push_user(format!("And order {}?", order + 1));
    tokio::task::yield_now().await;
    format!("order {order}")
}

fn slow_shop(inbox: Inbox) -> Registry {
    Registry::builder()
        .tools(tools![find_slowly, refund])
        .state(inbox)
        .state(Ledger::default())
        .build()
        .expect("valid")
}

#[tokio::test]
async fn a_message_follows_the_results_of_the_calls_during_which_it_arrives() {
    let calls = [call("a", "find_slowly", 1), call("b", "find_slowly", 5)];
    for streams in [false, true] {
        let mut session = asked();
        let registry = slow_shop(session.inbox());
        let model = model([calling(calls.clone()), text_reply("Done.")]);
        let mut events = Vec::new();
        let run = session.run(&registry).on_event(|event| {
            if let Event::UserMessage { text, .. } = event {
                events.push(text.clone());
            }
        });
        let end = if streams {
            run.stream(|request| model.stream(request)).await.expect("valid")
        } else {
            run.complete(|request| model.complete(request)).await.expect("valid")
        };
        assert_eq!(end, RunEnd::Answered);
        assert_eq!(
            texts(&session),
            ["Go on.", "", "order 1", "order 5", "And order 2?", "And order 6?", "Done."]
        );
        assert_eq!(events, ["And order 2?", "And order 6?"]);
        assert_eq!(session.replies_since_user(), 1, "the limits count from the message");
    }
}

#[tokio::test]
async fn a_message_that_arrives_during_the_answer_waits_or_continues_the_run() {
    let (registry, _) = shop();
    for (continues, texts_after) in
        [(false, &["Go on.", "Done."][..]), (true, &["Go on.", "Done.", "Wait!", "Stopped."][..])]
    {
        let mut session = asked();
        let (inbox, model) = (session.inbox(), model([text_reply("Done."), text_reply("Stopped.")]));
        let mut messages = vec!["Wait!"];
        let run = session.run(&registry);
        let run = if continues { run.continue_with_inbox() } else { run };
        let run = run.complete(|request| {
            messages.pop().into_iter().for_each(|message| inbox.push_user(message));
            model.complete(request)
        });
        assert_eq!(run.await.expect("valid"), RunEnd::Answered);
        assert_eq!(texts(&session), texts_after);
        assert_eq!(inbox.len(), usize::from(!continues));
        // The next run takes it.
        let _ = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
        assert_eq!(texts(&session), ["Go on.", "Done.", "Wait!", "Stopped."]);
    }
}

#[tokio::test]
async fn messages_wait_while_a_call_waits_for_a_person_and_are_stored() {
    let mut session = asked();
    let inbox = session.inbox();
    let registry = slow_shop(inbox.clone());
    let model = model([calling([call("a", "refund", 7)]), text_reply("Done.")]);
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval);
    inbox.push_user("Is it refunded?");
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, inbox.len()), (RunEnd::NeedsApproval, 1));

    let mut loaded = stored(&session);
    assert_eq!(loaded.inbox().len(), 1);
    loaded.approve("a").expect("it waits");
    let end = loaded.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
    assert_eq!(texts(&loaded), ["Go on.", "", "order 7 is refunded", "Is it refunded?", "Done."]);
    assert_eq!((loaded.inbox().len(), inbox.len()), (0, 1), "each session has its inbox");
}

#[test]
fn a_clone_has_the_same_messages_in_another_inbox() {
    let session = asked();
    session.inbox().push_user("One.");
    let claimed = session.clone();
    session.inbox().push_user("Two.");
    assert_eq!((session.inbox().len(), claimed.inbox().len()), (2, 1));
    assert!(!session.inbox().is_empty());
}
