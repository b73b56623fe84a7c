//! Decisions about pending calls.

use super::{Ledger, asked, call, calling, model, refund, results, shop, stored, text_reply};
use serde_json::json;
use tool_runtime::conversation::{NotPendingError, Received};
use tool_runtime::dispatch::{Decision, ProposedCall, ToolResult};
use tool_runtime::message::Message;
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{AssistantMessage, Conversation, Registry, RunContext, Session, ToolOutput, tools};

/// A session in which the calls `a` (order 7) and `b` (order 8) wait for approval, and the model that answers then.
async fn waiting(registry: &Registry) -> (Session, tool_runtime_testing::ScriptedModel) {
    let model = model([calling([call("a", "refund", 7), call("b", "refund", 8)]), text_reply("Done.")]);
    let mut session = asked();
    let end = session.run(registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval);
    (stored(&session), model)
}

#[tokio::test]
async fn each_call_has_its_own_decision() {
    let (registry, ledger) = shop();
    let (mut session, model) = waiting(&registry).await;
    session.approve("a").expect("it waits");
    session.deny("b", "too much").expect("it waits");
    assert_eq!(session.awaiting_approval(), []);
    let mut session = stored(&session);
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
    assert_eq!(results(&session), ["order 7 is refunded", "Error: too much"]);
    assert_eq!(ledger.entries(), ["refund 7"]);
}

#[tokio::test]
async fn an_approved_call_runs_although_another_one_still_waits() {
    let (registry, ledger) = shop();
    let (mut session, model) = waiting(&registry).await;
    session.approve("b").expect("it waits");
    for _ in 0..2 {
        let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
        assert_eq!(end, RunEnd::NeedsApproval);
        assert_eq!(results(&session), ["order 8 is refunded"]);
        assert_eq!(session.awaiting_approval()[0].id, "a");
    }
    assert_eq!(ledger.entries(), ["refund 8"], "an approval is for one run");
    assert_eq!(session.approve("b"), Err(session.approve("b").expect_err("it has a result")));
    assert!(matches!(session.approve("b"), Err(NotPendingError::HasResult { .. })));
    assert!(matches!(session.deny("c", ""), Err(NotPendingError::UnknownId { .. })));
    assert!(matches!(asked().approve("a"), Err(NotPendingError::UnknownId { .. })));
}

#[tokio::test]
async fn edited_arguments_are_validated_when_they_run() {
    let (registry, ledger) = shop();
    let (mut session, model) = waiting(&registry).await;
    session.deny("b", "no").expect("it waits");
    session.approve_with("a", json!({"order": "seven"})).expect("it waits");
    let mut session = stored(&session);
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval);
    let waiting = session.awaiting_approval();
    assert_eq!(waiting[0].arguments, r#"{"order":"seven"}"#);
    assert!(
        waiting[0].error.as_ref().is_some_and(|error| error
            == "invalid arguments for `refund`: `order`: expected an integer, got string \"seven\""),
        "{waiting:?}"
    );
    assert_eq!(ledger.entries(), [""; 0]);

    let mut session = stored(&session);
    session.approve_with("a", r#"{"order":9}"#).expect("it waits");
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, ledger.entries()), (RunEnd::Answered, vec!["refund 9".to_owned()]));
    assert_eq!(
        model.requests()[1]["messages"][1]["tool_calls"][0]["function"]["arguments"],
        r#"{"order":9}"#
    );
}

#[tokio::test]
async fn a_listener_learns_that_a_call_with_invalid_edited_arguments_waits_again() {
    let (registry, _) = shop();
    let (mut session, model) = waiting(&registry).await;
    session.deny("b", "no").expect("it waits");
    session.approve_with("a", json!({"order": "seven"})).expect("it waits");
    let (mut in_run, in_context) = (Vec::new(), Ledger::default());
    let ledger = in_context.clone();
    let context = RunContext::new().on_event(move |event| {
        ledger.add(serde_json::to_string(event).expect("it is JSON"));
    });
    let registry = registry.with(&context);
    let run = session.run(&registry).on_event(|event| {
        if let Event::Call(call) = event {
            in_run.push(serde_json::to_string(call).expect("it is JSON"));
        }
    });
    let end = run.complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval);
    // The denial of the other call is reported first.
    let statuses: Vec<_> =
        in_run.iter().filter_map(|event| event.split_once("status")).map(|(_, s)| s).collect();
    assert_eq!(statuses.len(), 2, "{in_run:?}");
    assert!(statuses[0].contains(r#""cause":"denied""#), "{in_run:?}");
    assert_eq!(statuses[1], r#"":"needs_approval","arguments":"{\"order\":\"seven\"}"}"#);
    assert_eq!(in_context.entries(), in_run);
}

#[tokio::test]
async fn arguments_that_cannot_be_written_as_json_are_an_error() {
    let (registry, ledger) = shop();
    let (mut session, model) = waiting(&registry).await;
    session.deny("b", "no").expect("it waits");
    let no_object = std::collections::BTreeMap::from([((1, 2), 3)]);
    let error = session.approve_with("a", no_object).expect_err("a key is no string");
    assert_eq!(
        error.to_string(),
        "the arguments for the call `a` cannot be written as JSON: key must be a string"
    );
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, ledger.entries()), (RunEnd::NeedsApproval, vec![]));
}

#[tokio::test]
async fn a_user_message_skips_the_calls() {
    let (registry, ledger) = shop();
    let (mut session, model) = waiting(&registry).await;
    session.approve("a").expect("it waits");
    session.push_user("No, wait.");
    assert_eq!(results(&session), ["Error: skipped by user"; 2]);
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, ledger.entries()), (RunEnd::Answered, vec![]));
}

#[tokio::test]
async fn the_remaining_calls_can_be_skipped_with_a_reason() {
    let (registry, _) = shop();
    let (mut session, model) = waiting(&registry).await;
    session.provide_result("a", "done by hand").expect("it waits");
    session.skip_calls("the shop is closed");
    assert_eq!(results(&session), ["done by hand", "Error: the shop is closed"]);
    session.skip_calls("nothing is pending");
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
}

#[tokio::test]
async fn a_result_can_be_text_json_parts_or_an_error() {
    let (registry, _) = shop();
    for (result, text) in [
        (ToolResult::ok("text"), "text"),
        (ToolResult::ok(json!({"a": 1})), r#"{"a":1}"#),
        (ToolResult::ok(ToolOutput::new().with_text("a").with_image("image/png", b"x")), "a"),
        (ToolResult::error("gone"), "Error: gone"),
    ] {
        let (mut session, _) = waiting(&registry).await;
        session.provide_result("a", result).expect("it waits");
        assert_eq!(results(&stored(&session)), [text]);
    }
}

#[tokio::test]
async fn policy_denies_without_asking_a_person() {
    let ledger = Ledger::default();
    let decide = |call: ProposedCall| async move {
        match call.arguments() {
            r#"{"order":7}"# => Decision::Deny("order 7 is too old".into()),
            r#"{"order":8}"# => Decision::Run,
            _ => Decision::Undecided,
        }
    };
    let registry =
        Registry::builder().tools(tools![refund]).state(ledger.clone()).before_call(decide).build();
    let registry = registry.expect("one tool");
    let calls = [call("a", "refund", 7), call("b", "refund", 8), call("c", "refund", 9)];
    let model = model([calling(calls), text_reply("Done.")]);
    let mut session = asked();
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval);
    assert_eq!(session.awaiting_approval().iter().map(|call| &*call.id).collect::<Vec<_>>(), ["c"]);
    assert_eq!(results(&session), ["Error: order 7 is too old", "order 8 is refunded"]);
    assert_eq!(ledger.entries(), ["refund 8"]);
}

#[tokio::test]
async fn ids_that_a_server_repeats_are_unique_in_the_session() {
    let (registry, ledger) = shop();
    let first = calling([call("call_0", "refund", 7)]);
    let model = model([first, calling([call("call_0", "refund", 8)]), text_reply("Done.")]);
    let mut session = asked();
    let _ = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    session.approve("call_0").expect("it waits");
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval);
    let mut session = stored(&session);
    // A second click on the first call must not approve the second one.
    assert!(session.approve("call_0").is_err());
    let second = session.awaiting_approval()[0].id.clone();
    assert_ne!(second, "call_0");
    session.approve(&second).expect("it waits");
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(
        (end, ledger.entries()),
        (RunEnd::Answered, vec!["refund 7".to_owned(), "refund 8".to_owned()])
    );
}

#[tokio::test]
async fn two_requests_that_approve_at_once_run_a_call_once() {
    let (registry, ledger) = shop();
    let (session, model) = waiting(&registry).await;
    // The store, with the revision that a request must have loaded to replace it.
    let mut store = (serde_json::to_string(&session).expect("it is stored"), session.revision());
    let load = |store: &(String, u64)| serde_json::from_str::<Session>(&store.0).expect("it is loaded");

    let (mut first, mut second) = (load(&store), load(&store));
    for session in [&mut first, &mut second] {
        session.approve("a").expect("it waits");
        session.deny("b", "no").expect("it waits");
    }
    let loaded = store.1;
    let claimed = first.claim();
    assert!(claimed.revision() > loaded);
    assert_eq!(store.1, loaded, "the first request replaces the stored session");
    store = (serde_json::to_string(&claimed).expect("it is stored"), claimed.revision());
    assert_ne!(store.1, loaded, "the second request has lost");
    drop(second);

    let end = first.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, ledger.entries()), (RunEnd::Answered, vec!["refund 7".to_owned()]));
    // A third request comes while the first one runs: the session is claimed, and the call has begun.
    let mut third = load(&store);
    assert!(third.is_claimed() && !first.is_claimed());
    assert!(matches!(third.approve("a"), Err(NotPendingError::HasBegun { .. })));
    let model = super::model([text_reply("I check.")]);
    let end = third.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, ledger.entries()), (RunEnd::Answered, vec!["refund 7".to_owned()]));
    assert!(results(&third)[0].contains("may have taken effect"), "{:?}", results(&third));
    assert!(!third.is_claimed(), "a run removes the claim");
    assert!(first.revision() > store.1, "the first request can save its result");
}

#[tokio::test]
async fn a_session_continues_the_calls_of_a_loop_of_the_program() {
    let (registry, ledger) = shop();
    let calls = vec![call("a", "find", 7), call("b", "refund", 8)];
    let chat = Conversation::new().user("Go on.");
    let Received::ToolCalls(mut pending) = chat.receive(AssistantMessage::from_tool_calls(calls)) else {
        panic!("it calls")
    };
    pending.run(&registry).await;
    let mut session = stored(&Session::from(pending));
    assert_eq!((results(&session), session.awaiting_approval().len()), (vec!["order 7".to_owned()], 1));
    session.approve("b").expect("it waits");
    let model = model([text_reply("Done.")]);
    let run = session.run(&registry).max_replies(2).max_calls(2);
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    assert_eq!(ledger.entries(), ["refund 8"]);
    let chat = session.into_conversation().expect("each call has its result");
    assert_eq!(chat.messages().len(), 5);
}

/// A person edits a call and then decides that it does not run: the reply in the history is the one of the model.

#[tokio::test]
async fn a_call_that_is_denied_after_an_edit_shows_the_arguments_of_the_model() {
    let (registry, ledger) = shop();
    let decisions: [fn(&mut Session); 5] = [
        |session| session.deny("a", "no").expect("it waits"),
        |session| session.skip_calls("no"),
        |session| session.push_user("No."),
        |session| session.provide_result("a", "done by hand").expect("it waits"),
        |session| {
            session.approve_with("a", json!({"order": "eight"})).expect("it waits");
            session.deny("a", "no").expect("it waits");
        },
    ];
    for decide in decisions {
        let (mut session, model) = waiting(&registry).await;
        session.deny("b", "no").expect("it waits");
        let reply = |session: &Session| match session.pending() {
            Some(pending) => pending.reply().clone(),
            None => match &session.messages()[1] {
                Message::Assistant(reply) => reply.clone(),
                other => panic!("{other:?}"),
            },
        };
        let before = reply(&session);
        session.approve_with("a", json!({"order": "seven"})).expect("it waits");
        let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
        assert_eq!(end, RunEnd::NeedsApproval);
        assert_ne!(reply(&session), before, "it waits with the arguments of the person");
        let mut session = stored(&session);
        decide(&mut session);
        assert_eq!(reply(&stored(&session)), before);
    }
    assert_eq!(ledger.entries(), [""; 0]);
}

#[tokio::test]
async fn arguments_with_which_a_call_has_begun_stay_in_the_history() {
    /// Closes an account.
    #[tool_runtime::tool(idempotent, requires_approval)]
    async fn close(order: u32, #[state] ledger: &Ledger) {
        ledger.add(format!("close {order}"));
        std::future::pending::<()>().await;
    }
    let ledger = Ledger::default();
    let registry = Registry::builder().tools(tools![close]).state(ledger.clone()).build().expect("one tool");
    let first = model([calling([call("a", "close", 7)])]);
    let mut session = asked();
    let _ = session.run(&registry).complete(|request| first.complete(request)).await.expect("valid");
    session.approve_with("a", json!({"order": 8})).expect("it waits");
    let mut denied = session.clone();
    denied.deny("a", "no").expect("it has not begun");
    let text = serde_json::to_string(&denied).expect("it is stored");
    assert!(text.contains(r#"{\"order\":7}"#) && !text.contains(r#"{\"order\":8}"#), "{text}");

    let run = session.run(&registry).complete(|request| first.complete(request));
    assert!(tokio::time::timeout(std::time::Duration::ZERO, run).await.is_err(), "the tool does not end");
    assert_eq!(ledger.entries(), ["close 8"]);
    let mut session = stored(&session);
    let mut skipped = session.clone();
    skipped.skip_calls("closed");
    let end = session.run(&registry).complete(|request| first.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval, "it needs a second approval");
    // An edit for the second run, which does not begin.
    session.approve_with("a", json!({"order": "nine"})).expect("it waits");
    let end = session.run(&registry).complete(|request| first.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval);
    session.deny("a", "no").expect("it waits");
    for session in [skipped, session] {
        assert!(results(&session)[0].contains("It may have taken effect"));
        let text = serde_json::to_string(&session).expect("it is stored");
        assert!(text.contains(r#"{\"order\":8}"#) && !text.contains("nine"), "{text}");
    }
}
