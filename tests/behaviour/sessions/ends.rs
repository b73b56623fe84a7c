//! How a run ends.

use super::{asked, call, calling, model, results, shop, stored, text_reply};
use std::convert::Infallible;
use tool_runtime::conversation::Request;
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::message::Message;
use tool_runtime::session::RunEnd;
use tool_runtime::wire::{Gemini, Wire};
use tool_runtime::{AssistantMessage, DynamicTool, Registry, RunContext, Session};
use tool_runtime_testing::ScriptedModel;

async fn run(session: &mut Session, registry: &Registry, model: &ScriptedModel) -> RunEnd {
    session.run(registry).complete(|request| model.complete(request)).await.expect("the requests are valid")
}

#[tokio::test]
async fn a_run_ends_with_the_answer_of_the_model() {
    let (registry, _) = shop();
    let model = model([calling([call("a", "find", 7), call("b", "fnd", 7)]), text_reply("It is there.")]);
    let mut session = asked();
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::Answered);
    assert_eq!(session.final_text(), "It is there.");
    assert_eq!(results(&session)[0], "order 7");
    assert!(results(&session)[1].starts_with("Error: there is no tool `fnd`. Call `find` instead: "));
    assert!(session.pending().is_none());
}

#[tokio::test]
async fn a_run_needs_approval_after_the_other_calls_have_run() {
    let (registry, ledger) = shop();
    let model = model([calling([call("a", "refund", 7), call("b", "find", 8)]), text_reply("Done.")]);
    let mut session = asked();
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::NeedsApproval);
    assert_eq!(results(&session), ["order 8"]);
    assert_eq!(ledger.entries(), [""; 0]);
    let waiting = session.awaiting_approval();
    assert_eq!(waiting.len(), 1);
    assert_eq!(
        (&*waiting[0].id, &*waiting[0].tool, &*waiting[0].arguments),
        ("a", "refund", r#"{"order":7}"#)
    );

    let mut session = stored(&session);
    session.approve("a").expect("it waits");
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::Answered);
    assert_eq!(results(&session), ["order 7 is refunded", "order 8"]);
    assert_eq!(ledger.entries(), ["refund 7"]);
}

#[tokio::test]
async fn a_run_needs_the_result_of_a_tool_that_runs_elsewhere() {
    let position = DynamicTool::external("position", "The position.", serde_json::json!({"type": "object"}));
    let registry = Registry::builder().dynamic(position).build().expect("one tool");
    let model =
        model([calling([tool_runtime::ToolCall::new("a", "position", "{}")]), text_reply("In Rome.")]);
    let mut session = asked();
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::NeedsResult);
    session.provide_result("a", "Rome").expect("it waits");
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::Answered);
    assert_eq!(results(&session), ["Rome"]);
}

#[tokio::test]
async fn approval_comes_before_a_result_if_both_are_needed() {
    let (shop, _) = shop();
    let position = DynamicTool::external("position", "The position.", serde_json::json!({"type": "object"}));
    let registry =
        Registry::builder().dynamic(position).build().and_then(|one| one.merge(shop)).expect("five tools");
    let position = tool_runtime::ToolCall::new("b", "position", "{}");
    let model = model([calling([call("a", "refund", 7), position])]);
    let mut session = asked();
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::NeedsApproval);
    assert_eq!((session.awaiting_approval().len(), session.awaiting_result().len()), (1, 1));
    session.deny("a", "no").expect("it waits");
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::NeedsResult);
}

#[tokio::test]
async fn a_run_ends_if_the_model_declines() {
    let (registry, _) = shop();
    let reply =
        serde_json::json!({"choices": [{"finish_reason": "stop", "message": {"refusal": "I cannot help."}}]});
    let mut session = asked();
    assert_eq!(run(&mut session, &registry, &model([reply.into()])).await, RunEnd::Refused);
    assert_eq!(session.final_text(), "I cannot help.");

    for reason in ["content_filter", "content-filter", "SAFETY", "refusal"] {
        let filtered = AssistantMessage::from_text("").with_finish_reason(reason);
        assert_eq!(
            run(&mut asked(), &registry, &model([filtered.into()])).await,
            RunEnd::Refused,
            "{reason}"
        );
    }
    // Some servers send an empty text here with each answer.
    let answer = serde_json::json!({"choices": [{"finish_reason": "stop", "message": {"content": "Hi!", "refusal": ""}}]});
    assert_eq!(run(&mut asked(), &registry, &model([answer.into()])).await, RunEnd::Answered);
}

#[tokio::test]
async fn a_run_ends_with_a_truncated_answer_but_not_with_truncated_calls() {
    let (registry, _) = shop();
    let truncated = AssistantMessage::from_text("It is").with_finish_reason("length");
    assert_eq!(run(&mut asked(), &registry, &model([truncated.into()])).await, RunEnd::Truncated);

    let mut calls = AssistantMessage::from_tool_calls(vec![call("a", "find", 7)]);
    calls.tool_calls[0].arguments = r#"{"ord"#.to_owned();
    let mut session = asked();
    let model = model([calls.with_finish_reason("length").into(), text_reply("Sorry.")]);
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::Answered);
    assert!(results(&session)[0].contains("the reply was truncated"), "{:?}", results(&session));
}

#[tokio::test]
async fn a_cancelled_run_sends_no_request() {
    let token = CancellationToken::new();
    token.cancel();
    let (registry, _) = shop();
    let registry = registry.with(&RunContext::new().cancellation(token));
    let mut session = asked();
    let never = |_: Request| -> std::future::Ready<Result<AssistantMessage, Infallible>> {
        panic!("the run is cancelled")
    };
    assert_eq!(session.run(&registry).complete(never).await.ok(), Some(RunEnd::Cancelled));
    assert_eq!(session.messages().len(), 1);
}

#[tokio::test]
async fn a_run_without_a_new_message_ends_again_and_sends_no_request() {
    let (registry, _) = shop();
    let refusal = serde_json::json!({"choices": [{"finish_reason": "stop", "message": {"refusal": "No."}}]});
    let truncated = AssistantMessage::from_text("It is").with_finish_reason("length");
    for (reply, end) in [
        (text_reply("Hello."), RunEnd::Answered),
        (refusal.into(), RunEnd::Refused),
        (truncated.into(), RunEnd::Truncated),
        (calling([call("a", "refund", 7)]), RunEnd::NeedsApproval),
    ] {
        let model = model([reply]);
        let mut session = asked();
        for _ in 0..3 {
            assert_eq!(run(&mut session, &registry, &model).await, end);
            session = stored(&session);
        }
        assert_eq!(model.requests().len(), 1, "{end:?}");
    }
}

#[tokio::test]
async fn a_paused_reply_continues() {
    let (registry, _) = shop();
    let paused = AssistantMessage::from_text("I search").with_finish_reason("pause_turn");
    let model = model([paused.into(), text_reply("Done.")]);
    let mut session = asked();
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::Answered);
    assert_eq!(session.messages().len(), 3);
}

#[tokio::test]
async fn a_run_asks_again_after_a_malformed_call_within_its_limits() {
    // google-gemini/gemini-cli#12674
    let body = serde_json::json!({ "candidates": [{ "content": { "role": "model" },
        "finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "Malformed function call: print(find())" }] });
    let malformed = || Gemini::new().read_reply(&body.to_string()).expect("it is read");
    let (registry, _) = shop();
    let mut session = asked();
    let model = model([malformed().into(), text_reply("Found.")]);
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::Answered);
    let messages: Vec<&str> = session.messages().iter().map(Message::text).collect();
    let question = messages.iter().find(|text| text.contains("Malformed function call: print(find())"));
    assert!(question.is_some_and(|text| text.contains("was not run")), "{messages:?}");
    let warning = &session.warnings()[0];
    assert!(warning.to_string().ends_with("Malformed function call: print(find())"), "{warning}");

    let mut session = asked();
    let always = |_: Request| std::future::ready(Ok::<_, Infallible>(malformed()));
    assert_eq!(session.run(&registry).max_replies(3).complete(always).await.ok(), Some(RunEnd::ReplyLimit));
    assert_eq!(
        session.messages().iter().filter(|message| matches!(message, Message::Assistant(_))).count(),
        3
    );
}
