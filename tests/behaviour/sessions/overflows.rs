//! Compaction before a request, and after the provider has rejected one as too long.

use super::*;
use tool_runtime::RunContext;
use tool_runtime::conversation::Request;
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::history::{TrimBudget, Trimmed};
use tool_runtime::session::{Compact, CompactReason, Event, Flow, HookFuture, RunEnd, RunError};
use tool_runtime::wire::{Anthropic, ErrorKind};
use tool_runtime_testing::ScriptedModelError;

/// Keeps the newest exchange of a session with more messages than these, or after an overflow.
struct KeepNewest {
    above: usize,
    reasons: Ledger,
}

impl Compact for KeepNewest {
    fn compact<'a>(
        &'a mut self,
        session: &'a mut Session,
        reason: CompactReason,
    ) -> HookFuture<'a, Option<Trimmed>> {
        let is_long = session.messages().len() > self.above;
        Box::pin(async move {
            if !is_long && reason == CompactReason::BeforeRequest {
                return Ok(None);
            }
            self.reasons.add(format!("{reason:?}"));
            Ok(Some(session.trim(&TrimBudget::max_messages(1))))
        })
    }
}

/// Two exchanges, and a question.
fn long() -> Session {
    let messages =
        ["One?", "Two?"].into_iter().flat_map(|text| [Message::user(text), Message::assistant("Yes.")]);
    let mut messages: Vec<Message> = messages.collect();
    messages.push(Message::user("Three?"));
    Session::from(tool_runtime::Conversation::try_from(messages).expect("valid"))
}

fn kind(error: &ScriptedModelError) -> ErrorKind {
    ErrorKind::from_response(400, &error.to_string())
}

const TOO_LONG: &str =
    r#"{"error":{"code":"context_length_exceeded","message":"the maximum context length is 8192 tokens"}}"#;

#[tokio::test]
async fn a_long_session_is_compacted_before_a_request_and_an_event_reports_it() {
    let (registry, _) = shop();
    let (model, reasons) = (model([text_reply("Done.")]), Ledger::default());
    let mut session = long();
    let mut compacted = Vec::new();
    let run = session.run(&registry).compact(KeepNewest { above: 4, reasons: reasons.clone() });
    let run = run.on_event(|event| {
        if let Event::Compacted { removed, truncated, has_reached_target, .. } = event {
            compacted.push((*removed, *truncated, *has_reached_target));
        }
    });
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    assert_eq!(compacted, [(4, 0, true)]);
    assert_eq!(reasons.entries(), ["BeforeRequest"]);
    assert_eq!(model.requests()[0]["messages"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn an_overflow_compacts_once_and_repeats_the_request() {
    let (registry, _) = shop();
    for streams in [false, true] {
        let replies = || [ScriptedReply::error(TOO_LONG), text_reply("Done.")];
        let (model, reasons) = (model(replies()), Ledger::default());
        let mut session = long();
        let run = session.run(&registry).max_requests(1).classify_error(kind);
        let run = run.compact(KeepNewest { above: 100, reasons: reasons.clone() });
        let end = if streams {
            run.stream(|request| model.stream(request)).await.expect("valid")
        } else {
            run.complete(|request| model.complete(request)).await.expect("valid")
        };
        assert_eq!((end, reasons.entries()), (RunEnd::Answered, vec!["ContextTooLong".to_owned()]));
        assert_eq!(session.messages().len(), 2);
        let lengths: Vec<_> =
            model.requests().iter().map(|request| request["messages"].as_array().map(Vec::len)).collect();
        assert_eq!(lengths, [Some(5), Some(1)]);
    }
}

#[tokio::test]
async fn a_second_overflow_and_other_errors_end_the_run() {
    let (registry, _) = shop();
    let replies = [ScriptedReply::error(TOO_LONG), ScriptedReply::error(TOO_LONG), text_reply("Done.")];
    let (model, reasons) = (model(replies), Ledger::default());
    let mut session = long();
    let run = session
        .run(&registry)
        .classify_error(kind)
        .compact(KeepNewest { above: 100, reasons: reasons.clone() });
    let error = run.complete(|request| model.complete(request)).await.expect_err("it is too long twice");
    assert!(matches!(error, RunError::Client(_)), "{error}");
    assert_eq!(reasons.entries(), ["ContextTooLong"]);

    let replies = [ScriptedReply::error(r#"{"error":{"code":"rate_limit_exceeded"}}"#), text_reply("Done.")];
    let model = ScriptedModel::new(replies);
    let mut session = long();
    let run = session
        .run(&registry)
        .classify_error(kind)
        .compact(KeepNewest { above: 100, reasons: reasons.clone() });
    let error = run.complete(|request| model.complete(request)).await.expect_err("it is another error");
    assert!(matches!(error, RunError::Client(_)), "{error}");
    assert_eq!((reasons.entries().len(), session.messages().len()), (1, 5));
}

#[tokio::test]
async fn an_error_event_of_a_stream_is_an_overflow_without_a_function_for_kinds() {
    let (registry, _) = shop();
    let event = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 250000 tokens"}}"#;
    let (model, reasons) = (model([ScriptedReply::stream([event]), text_reply("Done.")]), Ledger::default());
    let model = model.wire(Anthropic::new());
    let mut session = long();
    let run = session.run(&registry).wire(Anthropic::new());
    let run = run.compact(KeepNewest { above: 100, reasons: reasons.clone() });
    assert_eq!(run.stream(|request| model.stream(request)).await.expect("valid"), RunEnd::Answered);
    assert_eq!(reasons.entries(), ["ContextTooLong"]);
}

#[tokio::test]
async fn an_error_of_the_compaction_ends_the_run_and_changes_nothing() {
    struct Fails;

    impl Compact for Fails {
        fn compact<'a>(
            &'a mut self,
            _: &'a mut Session,
            _: CompactReason,
        ) -> HookFuture<'a, Option<Trimmed>> {
            Box::pin(async { Err("the summary failed".into()) })
        }
    }

    let (registry, _) = shop();
    let mut session = long();
    let complete =
        async |_: Request| -> std::io::Result<AssistantMessage> { unreachable!("no request is sent") };
    let error = session.run(&registry).compact(Fails).complete(complete).await.expect_err("it fails");
    assert!(matches!(error, RunError::Compaction(_)) && session.messages().len() == 5, "{error}");
}

#[tokio::test]
async fn a_run_that_is_cancelled_during_a_compaction_ends_as_cancelled() {
    struct NeverEnds(CancellationToken);

    impl Compact for NeverEnds {
        fn compact<'a>(
            &'a mut self,
            _: &'a mut Session,
            reason: CompactReason,
        ) -> HookFuture<'a, Option<Trimmed>> {
            if reason == CompactReason::BeforeRequest {
                return Box::pin(async { Ok(None) });
            }
            self.0.cancel();
            Box::pin(std::future::pending())
        }
    }

    let (registry, _) = shop();
    let token = CancellationToken::new();
    let registry = registry.with(&RunContext::new().cancellation(token.clone()));
    let model = model([ScriptedReply::error(TOO_LONG)]);
    let (mut session, mut hooks) = (long(), 0);
    let run = session.run(&registry).classify_error(kind).compact(NeverEnds(token)).between_replies(|_| {
        hooks += 1;
        Box::pin(async { Ok(Flow::Continue) })
    });
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("no error"), RunEnd::Cancelled);
    assert_eq!((hooks, session.messages().len()), (2, 5));
}
