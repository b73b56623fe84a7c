//! The stored form of a session.

use super::{asked, call, calling, model, results, shop, stored};
use serde_json::{Value, json};
use tool_runtime::Session;
use tool_runtime::session::RunEnd;

/// A session of version 1 with pending calls. This file never changes: each later version must read it.
const VERSION_1: &str = include_str!("version_1.json");

#[test]
fn version_1_can_always_be_loaded() {
    let mut session: Session = serde_json::from_str(VERSION_1).expect("it is loaded");
    assert_eq!(session.revision(), 12);
    assert_eq!(session.messages().len(), 4);
    assert_eq!(session.usage().total_tokens(), 120);
    assert_eq!(session.warnings().len(), 1);
    assert_eq!(results(&session), ["order 6", "order 7"]);
    let approvals = session.awaiting_approval();
    assert_eq!((&*approvals[0].id, &*approvals[0].arguments), ("b", r#"{"order":8}"#));
    let outside = session.awaiting_result();
    assert_eq!((&*outside[0].id, outside[0].ticket.as_deref()), ("c", Some("job-9")));
    assert!(session.approve("d").is_err(), "it has begun");
    session.approve("b").expect("it waits");
}

#[test]
fn the_stored_form_of_version_1_is_unchanged() {
    let session: Session = serde_json::from_str(VERSION_1).expect("it is loaded");
    let written = serde_json::to_value(&session).expect("it is stored");
    let file: Value = serde_json::from_str(VERSION_1).expect("it is JSON");
    assert_eq!(written, file);
}

#[test]
fn an_unknown_version_is_a_clear_error() {
    let error = |stored: Value| {
        let text = stored.to_string();
        let of_text = serde_json::from_str::<Session>(&text).expect_err("another version").to_string();
        let of_value = serde_json::from_value::<Session>(stored).expect_err("another version").to_string();
        assert!(of_text.starts_with(&of_value), "{of_text} and {of_value}");
        of_value
    };
    // The fields are sorted, so `messages` comes first.
    assert_eq!(
        error(json!({"version": 2, "messages": "of another form"})),
        "the session has version 2, and this version of tool-runtime reads version 1: update the program that reads it"
    );
    assert_eq!(error(json!({"messages": []})), "missing field `version`");
    assert!(error(json!([])).contains("expected a stored session"), "{}", error(json!([])));
    assert!(error(json!([{"role": "user", "content": "Hello!"}])).contains("a map with a `version`"));
}

#[test]
fn invalid_messages_are_an_error() {
    let mut stored: Value = serde_json::from_str(VERSION_1).expect("it is JSON");
    stored["messages"].as_array_mut().expect("a list").pop();
    let error = serde_json::from_value::<Session>(stored).expect_err("a result is missing");
    assert!(
        error.to_string().contains("has no result") || error.to_string().contains("messages["),
        "{error}"
    );
}

#[test]
fn a_call_cannot_wait_and_have_a_result() {
    let mut stored: Value = serde_json::from_str(VERSION_1).expect("it is JSON");
    let calls = stored["pending"]["calls"].as_array_mut().expect("a list");
    let result = calls.iter().position(|call| call.get("result").is_some()).expect("a call has a result");
    calls[result]["waits_for"] = json!({"approval": {}});
    let error = serde_json::from_value::<Session>(stored).expect_err("nobody can approve it").to_string();
    assert!(error.contains("has a result and still waits"), "{error}");
}

#[test]
fn the_fields_can_be_in_any_order() {
    let sorted: Value = serde_json::from_str(VERSION_1).expect("it is JSON");
    let session: Session = serde_json::from_value(sorted).expect("it is loaded");
    assert_eq!(session.revision(), 12);
}

#[test]
fn an_empty_session_is_small() {
    let text = serde_json::to_string(&Session::new().user("Hello!")).expect("it is stored");
    assert!(text.len() < 250, "{} bytes: {text}", text.len());
}

#[tokio::test]
async fn a_session_can_be_stored_at_each_step() {
    let (registry, ledger) = shop();
    let model = model([calling([call("a", "refund", 7), call("b", "find", 8)])]);
    let mut session = stored(&asked());
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval);
    let mut session = stored(&session);
    session.approve("a").expect("it waits");
    let mut session = stored(&session);
    let _ = session.run(&registry).max_replies(1).complete(|request| model.complete(request)).await;
    assert_eq!(results(&stored(&session)), ["order 7 is refunded", "order 8"]);
    assert_eq!(ledger.entries(), ["refund 7"]);
}

#[test]
fn the_revision_grows_with_each_change() {
    let mut session = asked();
    let mut last = session.revision();
    let mut assert_grown = |session: &Session| {
        assert!(session.revision() > last);
        last = session.revision();
    };
    session.push_user("More.");
    assert_grown(&session);
    session = session.system("Be brief.");
    assert_grown(&session);
    let _ = session.claim();
    assert_grown(&session);
    session.edit(Vec::clear).expect("no message is valid");
    assert_grown(&session);
    assert_eq!(stored(&session).revision(), session.revision());
}

#[tokio::test]
async fn any_stored_numbers_are_accepted() {
    let (registry, _) = shop();
    let mut stored: Value = serde_json::from_str(VERSION_1).expect("it is JSON");
    let most = json!(u64::MAX);
    for pointer in [
        "/revision",
        "/replies",
        "/used/replies",
        "/used/calls",
        "/used/tokens",
        "/pending/within_limit",
        "/usage/input_tokens",
        "/usage/output_tokens",
        "/begun_calls/find",
    ] {
        *stored.pointer_mut(pointer).expect(pointer) = most.clone();
    }
    let mut session: Session = serde_json::from_value(stored).expect("it is loaded");
    session.approve("b").expect("it waits");
    let model = model([calling([call("x", "find", 1)])]);
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsResult);
    session.push_user("Go on.");
    let end = session
        .run(&registry)
        .max_replies(1)
        .complete(|request| model.complete(request))
        .await
        .expect("valid");
    assert_eq!(end, RunEnd::ReplyLimit);
}
