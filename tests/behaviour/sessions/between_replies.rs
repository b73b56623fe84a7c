//! Hooks between the replies of a run.

use super::*;
use std::future::pending;
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::session::{Flow, RunEnd, RunError};
use tool_runtime::{Conversation, RunContext};

fn finds_then(text: &str) -> ScriptedModel {
    model([calling([call("a", "find", 7)]), calling([call("b", "find", 8)]), text_reply(text)])
}

/// A session as a hook sees it: the numbers of its messages and pending calls.
fn seen(session: &Session) -> (usize, usize) {
    (session.messages().len(), session.pending().map_or(0, |pending| pending.calls().len()))
}

#[tokio::test]
async fn a_hook_sees_the_session_before_each_request_and_at_the_end() {
    let (registry, _) = shop();
    let (model, mut all) = (finds_then("Done."), Vec::new());
    let mut session = asked();
    let run = session.run(&registry).between_replies(|session| {
        all.push(seen(&session));
        Box::pin(async { Ok(Flow::Continue) })
    });
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    assert_eq!(all, [(1, 0), (3, 0), (5, 0), (6, 0)]);
}

#[tokio::test]
async fn a_hook_sees_the_calls_that_wait_at_the_end() {
    let (registry, _) = shop();
    let model = model([calling([call("a", "refund", 7)])]);
    let mut stores = Vec::new();
    let mut session = asked();
    let run = session.run(&registry).between_replies(|session| {
        stores.push(stored(&session));
        Box::pin(async { Ok(Flow::Continue) })
    });
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::NeedsApproval);
    assert_eq!(stores.iter().map(seen).collect::<Vec<_>>(), [(1, 0), (1, 1)]);
    assert_eq!(stores[1].awaiting_approval()[0].id, "a");
}

#[tokio::test]
async fn a_hook_stops_the_run_before_the_next_request_and_another_run_continues() {
    let (registry, _) = shop();
    let model = finds_then("Done.");
    let mut session = asked();
    for (end, messages) in [(RunEnd::Stopped, 3), (RunEnd::Stopped, 5), (RunEnd::Answered, 6)] {
        let before = session.messages().len();
        let run = session.run(&registry).between_replies(|session| {
            let flow = if session.messages().len() > before { Flow::Stop } else { Flow::Continue };
            Box::pin(async move { Ok(flow) })
        });
        assert_eq!(run.stream(|request| model.stream(request)).await.expect("valid"), end);
        assert_eq!(session.messages().len(), messages);
    }
}

#[tokio::test]
async fn a_hook_changes_the_session_decides_and_continues_after_an_answer() {
    let (registry, ledger) = shop();
    let model = model([calling([call("a", "refund", 7)]), text_reply("Done."), text_reply("Checked.")]);
    let mut session = asked();
    let run = session.run(&registry).between_replies(|mut session| {
        Box::pin(async move {
            for call in session.awaiting_approval() {
                session.approve(&call.id)?;
            }
            if session.final_text() == "Done." {
                session.push_user("Check it.");
            }
            session.edit(|messages| messages[0] = Message::user("Refund order 7."))?;
            Ok(Flow::Continue)
        })
    });
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    assert_eq!(ledger.entries(), ["refund 7"]);
    let texts: Vec<&str> = session.messages().iter().map(Message::text).collect();
    assert_eq!(texts, ["Refund order 7.", "", "order 7 is refunded", "Done.", "Check it.", "Checked."]);
    assert_eq!(model.requests()[0]["messages"][0]["content"], "Refund order 7.");
}

#[tokio::test]
async fn limits_count_since_the_last_user_message_also_if_a_hook_adds_it() {
    let (registry, _) = shop();
    let model = model((0..6).map(|n| calling([call(&n.to_string(), "find", n)])).collect::<Vec<_>>());
    let mut session = asked();
    let mut is_asked = false;
    let run = session.run(&registry).max_replies(2).between_replies(|mut session| {
        let asks = session.replies_since_user() == 2 && !std::mem::replace(&mut is_asked, true);
        Box::pin(async move {
            if asks {
                session.push_user("Go on.");
                assert_eq!(session.replies_since_user(), 0);
            }
            Ok(Flow::Continue)
        })
    });
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::ReplyLimit);
    assert_eq!((session.replies(), session.replies_since_user()), (4, 2));
}

#[tokio::test]
async fn the_error_of_a_hook_ends_the_run_and_the_session_continues() {
    let (registry, _) = shop();
    let model = finds_then("Done.");
    let mut session = asked();
    let run = session.run(&registry).between_replies(|session| {
        let is_full = session.messages().len() == 3;
        Box::pin(async move { if is_full { Err("the disk is full".into()) } else { Ok(Flow::Continue) } })
    });
    let error = run.complete(|request| model.complete(request)).await.expect_err("the second hook fails");
    assert!(matches!(&error, RunError::Hook(_)) && error.to_string() == "the disk is full", "{error}");
    assert_eq!(session.messages().len(), 3);
    let run = session.run(&registry);
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
}

#[tokio::test]
async fn all_hooks_are_called_in_order_and_may_borrow_in_a_spawned_run() {
    let (registry, _) = shop();
    let task = tokio::spawn(async move {
        let (ledger, model) = (Ledger::default(), finds_then("Done."));
        let mut session = asked();
        let (first, second) = (&ledger, &ledger);
        let run = session.run(&registry);
        let run = run.between_replies(|session| {
            Box::pin(async move {
                tokio::task::yield_now().await;
                first.add(format!("first {}", session.messages().len()));
                Ok(if session.messages().len() == 3 { Flow::Stop } else { Flow::Continue })
            })
        });
        let run = run.between_replies(|session| {
            Box::pin(async move {
                second.add(format!("second {}", session.messages().len()));
                Ok(Flow::Continue)
            })
        });
        let end = run.complete(|request| model.complete(request)).await.expect("valid");
        (end, ledger.entries())
    });
    let (end, entries) = task.await.expect("no panic");
    assert_eq!(end, RunEnd::Stopped);
    assert_eq!(entries, ["first 1", "second 1", "first 3", "second 3"]);
}

#[tokio::test]
async fn a_cancelled_run_calls_its_hooks_and_ends() {
    let (registry, _) = shop();
    let token = CancellationToken::new();
    let registry = registry.with(&RunContext::new().cancellation(token.clone()));
    let mut hooks = 0;
    let mut session = asked();
    let run = session.run(&registry).between_replies(|_| {
        hooks += 1;
        Box::pin(async { Ok(Flow::Continue) })
    });
    let run = run.complete(|_| {
        token.cancel();
        pending::<Result<AssistantMessage, std::io::Error>>()
    });
    assert_eq!(run.await.expect("valid"), RunEnd::Cancelled);
    assert_eq!(hooks, 2, "before the request, and at the end");
    let mut answered = Session::from(Conversation::new().user("Hello!").assistant("Hi!"));
    let run = answered.run(&registry).between_replies(|_| {
        hooks += 1;
        Box::pin(async { Ok(Flow::Stop) })
    });
    let end = run.complete(|_| pending::<Result<AssistantMessage, std::io::Error>>()).await;
    assert_eq!((end.expect("valid"), hooks), (RunEnd::Answered, 3));
}
