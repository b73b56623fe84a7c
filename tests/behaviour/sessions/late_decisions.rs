//! Decisions with the id of a call that the session does not have any more.

use super::{asked, call, calling, model, results, shop, stored, text_reply};
use serde_json::json;
use tool_runtime::conversation::{NotPendingError, PendingCalls, Received};
use tool_runtime::history::TrimBudget;
use tool_runtime::message::Message;
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{AssistantMessage, Conversation, Registry, Session, ToolCall};
use tool_runtime_testing::ScriptedReply;

/// Runs the session with these replies to its end.
async fn run(session: &mut Session, registry: &Registry, replies: impl Into<Vec<ScriptedReply>>) -> RunEnd {
    let model = model(replies);
    session.run(registry).complete(|request| model.complete(request)).await.expect("valid")
}

/// A session in which the first call of `refund` had this id, was approved and is removed, and in which a second one waits.
async fn waiting_again(registry: &Registry, id: &str, remove: fn(&mut Session)) -> Session {
    let mut session = asked();
    assert_eq!(run(&mut session, registry, [calling([call(id, "refund", 7)])]).await, RunEnd::NeedsApproval);
    session.approve(id).expect("it waits");
    assert_eq!(run(&mut session, registry, [text_reply("Done.")]).await, RunEnd::Answered);
    session.push_user("Go on.");
    remove(&mut session);
    assert!(session.messages().iter().all(|message| !matches!(message, Message::Tool(_))));
    let mut session = stored(&session);
    assert_eq!(run(&mut session, registry, [calling([call(id, "refund", 8)])]).await, RunEnd::NeedsApproval);
    stored(&session)
}

/// Stores and loads the pending calls alone.
fn stored_calls(session: &Session) -> Session {
    let text =
        serde_json::to_string(session.pending().expect("it has pending calls")).expect("they are stored");
    let calls: PendingCalls = serde_json::from_str(&text).expect("they are loaded");
    calls.into()
}

fn trim(session: &mut Session) {
    let _ = session.trim(&TrimBudget::max_messages(1));
}

fn edit(session: &mut Session) {
    session.edit(|messages| messages.drain(..messages.len() - 1).count()).expect("valid");
}

#[tokio::test]
async fn a_decision_about_a_removed_call_concerns_no_later_call() {
    let long = "toolu_01A09q90qw90lq917835lq9";
    // The last one is of the form that a session makes.
    for id in ["call_0", long, "abcde1234", "R0000C000"] {
        for remove in [trim, edit] {
            let (registry, ledger) = shop();
            let mut session = waiting_again(&registry, id, remove).await;
            let unknown = |decided: Result<(), NotPendingError>| {
                assert!(matches!(decided, Err(NotPendingError::UnknownId { .. })), "{id}: {decided:?}");
            };
            unknown(session.approve(id));
            unknown(session.approve_with(id, json!({"order": 9})));
            unknown(session.deny(id, "no"));
            unknown(session.provide_result(id, "refunded"));
            unknown(session.set_not_begun(id));
            assert_eq!(run(&mut session, &registry, []).await, RunEnd::NeedsApproval);
            assert_eq!(ledger.entries(), ["refund 7"]);
            let waiting = session.awaiting_approval();
            session.approve(&waiting[0].id).expect("it waits");
            assert_eq!(run(&mut session, &registry, [text_reply("Done.")]).await, RunEnd::Answered);
            assert_eq!(ledger.entries(), ["refund 7", "refund 8"]);
        }
    }
}

#[tokio::test]
async fn an_id_that_the_session_made_is_never_used_again() {
    let (registry, _) = shop();
    let mut session = asked();
    let mut seen: Vec<String> = Vec::new();
    for _ in 0..20 {
        // The server repeats its own ids, and those that it reads in the requests.
        let sent = [seen.last().map_or("call_0", String::as_str), "call_0", "", "call_0"];
        let calls = sent.map(|id| call(id, "find", 7));
        let _ = run(&mut session, &registry, [calling(calls), text_reply("Done.")]).await;
        let mut replies = session.messages().iter().filter_map(|message| match message {
            Message::Assistant(reply) if !reply.tool_calls.is_empty() => Some(reply),
            _ => None,
        });
        let ids =
            replies.next_back().expect("a reply with calls").tool_calls.iter().map(|call| call.id.clone());
        seen.extend(ids);
        session.push_user("Go on.");
        let _ = session.trim(&TrimBudget::max_messages(1));
        session = stored(&session);
    }
    let mut unique = seen.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), seen.len(), "{seen:?}");
    // Mistral accepts no other form.
    assert!(unique.iter().all(|id| id == "call_0" || id.len() == 9), "{unique:?}");
}

#[tokio::test]
async fn ids_that_are_new_stay_after_a_trim() {
    let (registry, _) = shop();
    let mut session = asked();
    for number in 0..20 {
        let id = format!("toolu_{number}");
        let _ = run(&mut session, &registry, [calling([call(&id, "find", 7)]), text_reply("Done.")]).await;
        assert!(session.messages().iter().any(|message| match message {
            Message::Assistant(reply) => reply.tool_calls.iter().any(|call| call.id == id),
            _ => false,
        }));
        session.push_user("Go on.");
        let _ = session.trim(&TrimBudget::max_messages(1));
        session = stored(&session);
    }
}

#[tokio::test]
async fn streamed_calls_get_no_id_of_a_removed_call() {
    let (registry, ledger) = shop();
    let mut session = waiting_again(&registry, "call_0", trim).await;
    session.push_user("Go on.");
    let model = model([calling([call("call_0", "refund", 8)])]);
    let mut ids = Vec::new();
    let listen = |event: &Event| {
        if let Event::CallAnnounced { id, .. } = event {
            ids.push(id.clone());
        }
    };
    let run = session.run(&registry).on_event(listen);
    let end = run.stream(|request| model.stream(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval);
    assert_eq!(ids, [session.awaiting_approval()[0].id.clone()]);
    assert!(session.approve("call_0").is_err());
    assert_eq!(ledger.entries(), ["refund 7"]);
}

#[tokio::test]
async fn the_stored_ids_of_removed_calls_are_limited() {
    let (registry, _) = shop();
    let mut session = asked();
    let mut sizes = Vec::new();
    for round in 0..3 {
        let calls = (0..5000).map(|number| call(&format!("{round}_{number}"), "find", 7));
        let _ = run(&mut session, &registry, [calling(calls), text_reply("Done.")]).await;
        session.push_user("Go on.");
        let _ = session.trim(&TrimBudget::max_messages(1));
        sizes.push(serde_json::to_string(&session).expect("it is stored").len());
        session = stored(&session);
    }
    assert!(sizes.iter().all(|&size| size < 100_000), "{sizes:?}");
    // No call gets the id of any of the 15,000 calls.
    let repeated = ["0_0", "0_4999", "2_4999", "new"].map(|id| call(id, "refund", 7));
    assert_eq!(run(&mut session, &registry, [calling(repeated)]).await, RunEnd::NeedsApproval);
    let ids: Vec<_> = session.awaiting_approval().into_iter().map(|call| call.id).collect();
    assert_eq!(ids.len(), 4);
    assert!(ids.iter().all(|id| !id.contains('_')), "{ids:?}");
}

#[tokio::test]
async fn a_session_made_from_a_conversation_keeps_its_ids_taken() {
    let (registry, ledger) = shop();
    let mut session = waiting_again(&registry, "call_0", trim).await;
    let id = session.awaiting_approval()[0].id.clone();
    session.approve(&id).expect("it waits");
    let _ = run(&mut session, &registry, [text_reply("Done.")]).await;
    // It has fewer replies than the session had.
    let mut session = Session::from(session.into_conversation().expect("each call has its result"));
    for _ in 0..6 {
        session.push_user("Go on.");
        let _ = session.trim(&TrimBudget::max_messages(1));
        session = stored(&session);
        let calls = ["", &*id].map(|id| call(id, "refund", 9));
        assert_eq!(run(&mut session, &registry, [calling(calls)]).await, RunEnd::NeedsApproval);
        assert!(session.approve(&id).is_err());
    }
    assert_eq!(ledger.entries(), ["refund 7", "refund 8"]);
    assert_eq!(results(&session), [""; 0]);
}

#[tokio::test]
async fn parts_of_a_session_keep_the_ids_of_removed_calls_taken() {
    for id in ["call_0", "R0000C000"] {
        let (registry, ledger) = shop();
        let mut session = asked();
        assert_eq!(
            run(&mut session, &registry, [calling([call(id, "refund", 7)])]).await,
            RunEnd::NeedsApproval
        );
        session.push_user("Go on.");
        let _ = session.trim(&TrimBudget::max_messages(1));

        let conversation = session.into_conversation().expect("each call has its result");
        let mut session = Session::from(conversation);
        assert_eq!(
            run(&mut session, &registry, [calling([call(id, "refund", 8)])]).await,
            RunEnd::NeedsApproval
        );
        assert!(session.approve(id).is_err(), "{id} of a conversation");

        let mut session = stored_calls(&session);
        session.push_user("Go on.");
        assert_eq!(
            run(&mut session, &registry, [calling([call(id, "refund", 9)])]).await,
            RunEnd::NeedsApproval
        );
        assert!(session.approve(id).is_err(), "{id} of pending calls");
        assert_eq!(run(&mut session, &registry, []).await, RunEnd::NeedsApproval);
        assert!(ledger.entries().is_empty());
    }
}

#[tokio::test]
async fn an_interrupted_reply_and_the_next_one_get_the_same_ids() {
    let (registry, _) = shop();
    let mut ids = Vec::new();
    let mut session = asked();
    for reply in [calling([call("", "refund", 7)]).interrupted_after(4), calling([call("", "refund", 7)])] {
        let model = model([reply]);
        let listen = |event: &Event| {
            if let Event::CallAnnounced { id, .. } = event {
                ids.push(id.clone());
            }
        };
        let _ = session.run(&registry).on_event(listen).stream(|request| model.stream(request)).await;
    }
    assert_eq!(ids, ["R0000C000", "R0000C000"]);
}

#[tokio::test]
async fn an_id_with_a_large_number_does_not_let_ids_repeat() {
    let (registry, _) = shop();
    for number in ["fffe", "ffffffff", "fffffffe", "fffffffd", "fffffffffffffffe", "ffffffffffffffff"] {
        let reply = AssistantMessage::from_tool_calls([call(&format!("R{number}C000"), "find", 7)]);
        let Received::ToolCalls(calls) = Conversation::new().user("Hello!").receive(reply) else {
            unreachable!("it calls a tool")
        };
        let (mut session, mut seen) = (Session::from(calls), Vec::new());
        for _ in 0..5 {
            session.push_user("Go on.");
            let _ = session.trim(&TrimBudget::max_messages(1));
            session = stored(&session);
            let calls = ["", "call_0"].map(|id| call(id, "refund", 8));
            assert_eq!(run(&mut session, &registry, [calling(calls)]).await, RunEnd::NeedsApproval);
            seen.extend(session.awaiting_approval().into_iter().map(|call| call.id));
        }
        let count = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!((seen.len(), count), (10, 10), "{number}: {seen:?}");
    }
}

#[test]
fn forged_numbers_neither_panic_nor_repeat_an_id() {
    let mut text: serde_json::Value = serde_json::to_value(asked()).expect("it is stored");
    text["replies"] = json!(u64::MAX);
    text["removed_ids"] = json!({"next_number": u64::MAX, "sent": ["0000000000000000"]});
    let session: Session = serde_json::from_value(text).expect("it is loaded");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (registry, _) = shop();
    let mut session = session;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let calls: Vec<ToolCall> = ["", "", "a"].map(|id| call(id, "find", 7)).into();
        let _ = runtime.block_on(run(&mut session, &registry, [calling(calls), text_reply("Done.")]));
        for message in session.messages() {
            if let Message::Assistant(reply) = message {
                ids.extend(reply.tool_calls.iter().map(|call| call.id.clone()));
            }
        }
        session.push_user("Go on.");
        let _ = session.trim(&TrimBudget::max_messages(1));
    }
    ids.sort();
    let count = ids.len();
    ids.dedup();
    assert_eq!((ids.len(), count), (9, 9));
}
