//! Typed answers together with approvals, limits, storage, errors and other settings of a run.

use super::super::{Ledger, refund, results};
use super::{INVALID, Invoice, VALID, find, invoice, setups, stored};
use std::sync::Arc;
use tool_runtime::session::{Event, RunEnd, RunError, TypedEnd};
use tool_runtime::{AssistantMessage, Registry, RunContext, Session, ToolCall, tools};
use tool_runtime_testing::{ScriptedModel, ScriptedReply, assert_valid};

#[tokio::test]
async fn a_call_that_needs_approval_ends_the_run_before_the_answer() {
    for setup in setups() {
        let ledger = Ledger::default();
        let registry = Registry::builder().tools(tools![find, refund]).state(ledger.clone()).build();
        let registry = registry.expect("two tools");
        let calls = vec![ToolCall::new("a", "refund", r#"{"order":7}"#)];
        let model = ScriptedModel::new([AssistantMessage::from_tool_calls(calls), setup.answer(VALID)]);
        let mut session = Session::new().user("Refund it, and write the invoice.");
        let run = session.run(&registry).answer_as::<Invoice>().wire(Arc::clone(&setup.wire));
        let end = run.complete(|request| model.complete(request)).await.expect("valid");
        assert_eq!(end, TypedEnd::NoAnswer(RunEnd::NeedsApproval), "{}", setup.name());
        let mut session = stored(&session);
        session.approve("a").expect("it waits");
        let run = session.run(&registry).wire(Arc::clone(&setup.wire)).answer_as::<Invoice>();
        let end = run.stream(|request| model.stream(request)).await.expect("valid");
        assert_eq!(end, TypedEnd::Answered(invoice()), "{}", setup.name());
        assert_eq!(ledger.entries(), ["refund 7"]);
    }
}

/// A mixed reply waits for the approval of its other call.
#[tokio::test]
async fn an_answer_next_to_a_call_that_waits_is_rejected_at_once() {
    for setup in setups().into_iter().filter(|setup| !setup.has_format) {
        let ledger = Ledger::default();
        let registry =
            Registry::builder().tools(tools![refund]).state(ledger.clone()).build().expect("a tool");
        let calls =
            vec![ToolCall::new("a", "refund", r#"{"order":7}"#), ToolCall::new("b", "final_answer", VALID)];
        let model = ScriptedModel::new([AssistantMessage::from_tool_calls(calls), setup.answer(VALID)]);
        let mut session = Session::new().user("Go on.");
        let run = session.run(&registry).wire(Arc::clone(&setup.wire)).answer_as::<Invoice>();
        let end = if setup.is_streamed {
            run.stream(|request| model.stream(request)).await.expect("valid")
        } else {
            run.complete(|request| model.complete(request)).await.expect("valid")
        };
        assert_eq!(end, TypedEnd::NoAnswer(RunEnd::NeedsApproval), "{}", setup.name());
        assert_eq!(session.awaiting_approval().len(), 1);
        assert_eq!(
            results(&session),
            ["Error: `final_answer` must be the only call. Call it again after the results of the others."]
        );
        let mut session = stored(&session);
        session.deny("a", "no").expect("it waits");
        let run = session.run(&registry).wire(Arc::clone(&setup.wire)).answer_as::<Invoice>();
        let end = run.complete(|request| model.complete(request)).await.expect("valid");
        assert_eq!(end, TypedEnd::Answered(invoice()));
        assert_eq!(ledger.entries(), [] as [&str; 0]);
    }
}

/// With a setting that starts all calls while a reply arrives, the answer is still no call.
#[tokio::test]
async fn an_answer_never_starts_while_its_reply_is_streamed() {
    for setup in setups().into_iter().filter(|setup| setup.is_streamed) {
        let registry = Registry::builder().tools(tools![find]).start_all_while_streaming(true).build();
        let registry = registry.expect("one tool");
        let calls = vec![
            ToolCall::new("call_0", "final_answer", VALID),
            ToolCall::new("call_7", "find", r#"{"order":7}"#),
        ];
        let replies = [AssistantMessage::from_tool_calls(calls), setup.answer(INVALID), setup.answer(VALID)];
        // Without the tool, a call of it is an ordinary one.
        let model = ScriptedModel::new(replies.into_iter().skip(usize::from(setup.has_format)));
        let mut session = Session::new().user("Go on.");
        let mut started = Vec::new();
        let run = session.run(&registry).wire(Arc::clone(&setup.wire)).answer_as::<Invoice>();
        let run = run.on_event(|event| {
            if let Event::Call(call) = event {
                started.push(call.id.clone());
            }
        });
        let end = run.stream(|request| model.stream(request)).await.expect("valid");
        assert_eq!(end, TypedEnd::Answered(invoice()), "{}", setup.name());
        let expected = if setup.has_format { &[][..] } else { &["call_7", "call_7"] };
        assert_eq!(started, expected, "{}", setup.name());
        assert_eq!(results(&session).len(), if setup.has_format { 0 } else { 3 }, "{}", setup.name());
        if let [rejected, found, invalid] = &results(&session)[..] {
            assert!(rejected.contains("`final_answer` must be the only call"), "{rejected}");
            assert!(!found.starts_with("Error"), "{found}");
            assert!(invalid.contains("invalid arguments for `final_answer`"), "{invalid}");
        }
        assert_valid(&session);
    }
}

/// An answer does not count as a call.
#[tokio::test]
async fn the_limit_of_calls_does_not_stop_an_answer() {
    for setup in setups() {
        let registry = Registry::new(tools![find]).expect("one tool");
        let calls = vec![
            ToolCall::new("call_0", "final_answer", VALID),
            ToolCall::new("call_7", "find", r#"{"order":7}"#),
        ];
        let replies = [setup.answer(INVALID), AssistantMessage::from_tool_calls(calls), setup.answer(VALID)];
        let model = ScriptedModel::new(replies);
        let mut session = Session::new().user("Go on.");
        let run = session.run(&registry).wire(Arc::clone(&setup.wire)).max_calls(1).answer_as::<Invoice>();
        let end = if setup.is_streamed {
            run.stream(|request| model.stream(request)).await.expect("valid")
        } else {
            run.complete(|request| model.complete(request)).await.expect("valid")
        };
        assert_eq!(end, TypedEnd::Answered(invoice()), "{}", setup.name());
    }
}

/// An error of the client between two answers: the next run continues.
#[tokio::test]
async fn an_interrupted_run_continues_after_an_invalid_answer() {
    for setup in setups() {
        let registry = Registry::new(tools![find]).expect("one tool");
        let broken = ScriptedReply::from(setup.answer(VALID)).interrupted_after(1);
        let model = ScriptedModel::new([
            setup.answer(INVALID).into(),
            ScriptedReply::error("overloaded"),
            broken,
            setup.answer(VALID).into(),
        ]);
        let mut session = Session::new().user("Go on.");
        for attempt in 0..3 {
            let run = session.run(&registry).wire(Arc::clone(&setup.wire)).answer_as::<Invoice>();
            let ended = run.stream(|request| model.stream(request)).await;
            match (attempt, ended) {
                (0, Err(RunError::Client(_))) | (1, Err(RunError::Stream(_))) => {}
                (2, Ok(end)) => assert_eq!(end, TypedEnd::Answered(invoice())),
                (_, ended) => panic!("{}: {ended:?}", setup.name()),
            }
            assert_valid(&session);
            session = stored(&session);
        }
        let errors = session.messages().iter().filter(|message| message.text().starts_with("Error: "));
        assert_eq!(errors.count(), 1, "the error is sent once: {}", setup.name());
    }
}

#[tokio::test]
async fn a_text_from_before_is_not_an_answer_of_the_type() {
    let registry = Registry::new(tools![]).expect("no tools");
    let model = ScriptedModel::new(["Hello!", VALID].map(AssistantMessage::from_text));
    let mut session = Session::new().user("Hello!");
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
    let run = session.run(&registry).answer_as::<Invoice>();
    let end = run.complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, TypedEnd::Answered(invoice()));
    assert!(session.messages()[2].text().starts_with("Error: the answer is not valid JSON"));
}

#[tokio::test]
async fn a_cancelled_run_has_no_answer() {
    let token = tool_runtime::dispatch::CancellationToken::new();
    token.cancel();
    let registry = Registry::new(tools![]).expect("no tools");
    let registry = registry.with(&RunContext::new().cancellation(token));
    let model = ScriptedModel::new([AssistantMessage::from_text(VALID)]);
    let mut session = Session::new().user("Hello!");
    let end = session.run(&registry).answer_as::<Invoice>().complete(|request| model.complete(request)).await;
    assert_eq!(end.expect("valid"), TypedEnd::NoAnswer(RunEnd::Cancelled));
}

/// `answer_as` may come before or after the other settings, and the run can be spawned.
#[tokio::test]
async fn the_order_of_settings_is_free_and_runs_are_send() {
    let registry = Registry::new(tools![find]).expect("one tool");
    let model = ScriptedModel::new([VALID, VALID].map(AssistantMessage::from_text));
    let run = tokio::spawn(async move {
        let mut session = Session::new().user("Hello!");
        let listener: Box<dyn FnMut(&Event) + Send> = Box::new(|_| {});
        let run = session.run(&registry).answer_as::<Invoice>().max_replies(2).on_event(listener);
        let run = run.map_request(|request| request).max_tokens_total(100);
        let first = run.complete(|request| model.complete(request)).await.expect("valid");
        session.push_user("Again.");
        let run = session.run(&registry).max_replies(2).on_event(|_| {}).answer_as::<Invoice>();
        (first, run.stream(|request| model.stream(request)).await.expect("valid"))
    });
    assert_eq!(run.await.expect("no panic"), (TypedEnd::Answered(invoice()), TypedEnd::Answered(invoice())));
}
