//! Limits count since the last user message, over approvals and restarts.

use super::{asked, call, calling, model, results, shop, stored, text_reply};
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tool_runtime::conversation::ReplyWarning;
use tool_runtime::dispatch::ReadyCall;
use tool_runtime::session::RunEnd;
use tool_runtime::{AssistantMessage, Registry, ToolCall, tool, tools};
use tool_runtime_testing::{ScriptedModel, ScriptedReply};

fn finding(replies: usize) -> Vec<ScriptedReply> {
    (0..replies).map(|n| calling([call(&n.to_string(), "find", 7)])).collect()
}

#[tokio::test]
async fn a_run_ends_at_the_reply_limit_which_is_30_by_default() {
    let (registry, _) = shop();
    for (limit, replies) in [(Some(3), 3), (Some(1), 1), (Some(0), 0), (None, 30)] {
        let model = model(finding(31));
        let mut session = asked();
        let run = session.run(&registry);
        let run = if let Some(limit) = limit { run.max_replies(limit) } else { run };
        let end = run.complete(|request| model.complete(request)).await.expect("valid");
        assert_eq!((end, session.messages().len()), (RunEnd::ReplyLimit, 1 + 2 * replies));
        assert!(session.pending().is_none(), "the calls of the last reply have run");
    }
}

#[tokio::test]
async fn the_request_limit_counts_in_one_run_and_the_calls_of_the_last_reply_run() {
    let (registry, _) = shop();
    let mut replies = finding(3);
    replies.push(text_reply("Done."));
    let model = model(replies);
    let mut session = asked();
    for (limit, end, messages) in [
        (0, RunEnd::RequestLimit, 1),
        (1, RunEnd::RequestLimit, 3),
        (2, RunEnd::RequestLimit, 7),
        (1, RunEnd::Answered, 8),
        (0, RunEnd::Answered, 8),
    ] {
        let run = session.run(&registry).max_requests(limit);
        assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), end);
        assert_eq!(session.messages().len(), messages);
        assert!(session.pending().is_none(), "the calls have run");
        session = stored(&session);
    }
    let mut streamed = asked();
    let run = streamed.run(&registry).max_requests(1);
    let replies = ScriptedModel::new(finding(2));
    let end = run.stream(|request| replies.stream(request)).await.expect("valid");
    assert_eq!((end, streamed.messages().len()), (RunEnd::RequestLimit, 3));
}

#[tokio::test]
async fn the_reply_limit_counts_over_restarts_until_the_next_user_message() {
    let (registry, _) = shop();
    let model = model(finding(20));
    let mut session = asked();
    for (limit, messages) in [(2, 5), (2, 5), (3, 7)] {
        let run = session.run(&registry).max_replies(limit);
        assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::ReplyLimit);
        assert_eq!(session.messages().len(), messages);
        session = stored(&session);
    }
    session.push_user("Again.");
    let run = session.run(&registry).max_replies(2);
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::ReplyLimit);
    assert_eq!(session.messages().len(), 7 + 1 + 4);
}

#[tokio::test]
async fn calls_beyond_the_limit_stay_pending_until_the_limit_is_higher() {
    let (registry, _) = shop();
    let calls: Vec<ToolCall> = (0..5).map(|n| call(&n.to_string(), "find", n)).collect();
    let model = model([calling(calls), text_reply("Done.")]);
    let mut session = asked();
    for (limit, expected) in [(2, 2), (2, 2), (4, 4)] {
        let run = session.run(&registry).max_calls(limit);
        assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::CallLimit);
        assert_eq!(results(&session).len(), expected);
        session = stored(&session);
    }
    let run = session.run(&registry).max_calls(5);
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    assert_eq!(results(&session).len(), 5);
}

#[tokio::test]
async fn a_call_that_waits_for_approval_counts_once() {
    let (registry, ledger) = shop();
    let model = model([calling([call("a", "refund", 7)]), calling([call("b", "find", 7)])]);
    let mut session = asked();
    let run = session.run(&registry).max_calls(1);
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::NeedsApproval);
    session.approve("a").expect("it waits");
    let run = session.run(&registry).max_calls(1);
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::CallLimit);
    assert_eq!(ledger.entries(), ["refund 7"]);
    assert_eq!(results(&session).len(), 1, "the second call does not run");
    session.push_user("Stop.");
    assert_eq!(results(&session)[1], "Error: skipped by user");
}

fn costing(response: &str, input: u64, output: u64) -> ScriptedReply {
    serde_json::json!({
        "usage": {"prompt_tokens": input, "completion_tokens": output},
        "choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [
            {"id": response, "function": {"name": "find", "arguments": "{\"order\":7}"}}
        ]}}],
    })
    .into()
}

#[tokio::test]
async fn a_run_ends_at_the_token_limit() {
    let (registry, _) = shop();
    let model =
        model([costing("a", 100, 10), costing("b", 200, 10), costing("c", 300, 10), text_reply("Done.")]);
    let mut session = asked();
    for (limit, replies) in [(300, 2), (300, 2), (321, 3)] {
        let run = session.run(&registry).max_tokens_total(limit);
        assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::TokenLimit);
        assert_eq!((session.messages().len(), results(&session).len()), (1 + 2 * replies, replies));
        session = stored(&session);
    }
    session.push_user("Again.");
    let run = session.run(&registry).max_tokens_total(1);
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    assert_eq!(session.warnings(), [ReplyWarning::UnknownUsage], "the last reply has no usage");
}

#[tokio::test]
async fn the_max_calls_of_a_tool_count_over_restarts_until_the_next_user_message() {
    /// Draws a picture.
    #[tool(max_calls = 2)]
    fn draw() -> &'static str {
        "drawn"
    }
    let registry = Registry::new(tools![draw]).expect("one tool");
    let draw = |id: &str| calling([ToolCall::new(id, "draw", "{}")]);
    let model = model([draw("a"), draw("b"), draw("c"), draw("d")]);
    let mut session = asked();
    for replies in 1..=3 {
        let run = session.run(&registry).max_replies(replies);
        assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::ReplyLimit);
        session = stored(&session);
    }
    assert_eq!(results(&session)[1], "drawn");
    assert!(results(&session)[2].contains("only 2 times"), "{:?}", results(&session));
    session.push_user("Another one.");
    let run = session.run(&registry).max_replies(1);
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::ReplyLimit);
    assert_eq!(results(&session)[3], "drawn");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_runs_again_counts_once_towards_the_max_calls_of_its_tool() {
    /// Looks for a picture.
    #[tool(read_only, max_calls = 1)]
    async fn look() -> &'static str {
        sleep(Duration::from_secs(10)).await;
        "found"
    }
    /// Draws a picture, after a pause of the middleware.
    #[tool(max_calls = 1)]
    async fn draw() -> &'static str {
        "drawn"
    }
    let wait = |call: ReadyCall| async move {
        if call.tool() == "draw" {
            sleep(Duration::from_secs(10)).await;
        }
        call.run().await
    };
    let registry =
        Registry::builder().tools(tools![look, draw]).around_call(wait).build().expect("two tools");
    let call = |id: &str, tool: &str| ToolCall::new(id, tool, "{}");
    let model = model([
        calling([call("a", "look"), call("b", "draw")]),
        calling([call("c", "look"), call("d", "draw")]),
        text_reply("Done."),
    ]);
    let mut session = asked();
    let running = session.run(&registry).complete(|request| model.complete(request));
    assert!(timeout(Duration::from_secs(5), running).await.is_err(), "the run is dropped");
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
    assert_eq!(results(&session)[..2], ["found", "drawn"]);
    assert!(
        results(&session)[2..].iter().all(|result| result.contains("only once")),
        "the limit still applies"
    );
}

#[tokio::test]
async fn max_replies_ends_a_run_below_its_max_calls() {
    let (registry, _) = shop();
    let reply = AssistantMessage::from_tool_calls((0..3).map(|n| call(&n.to_string(), "find", n)));
    let model = model([reply.into()]);
    let mut session = asked();
    let run = session.run(&registry).max_replies(1).max_calls(10);
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::ReplyLimit);
    assert_eq!(results(&session).len(), 3);
}

#[tokio::test(start_paused = true)]
async fn with_middleware_of_a_run_the_call_timeout_drops_the_middleware() {
    /// Never ends.
    #[tool]
    async fn find(order: u8) {
        let _ = order;
        std::future::pending::<()>().await;
    }
    let registry = Registry::builder().tools(tools![find]).call_timeout(Duration::from_millis(50));
    let registry = registry.build().expect("one tool");
    let (model, mut session) = (model([calling([call("1", "find", 7)]), text_reply("Done.")]), asked());
    let (sender, runs) = std::sync::mpsc::channel();
    let run = session.run(&registry).around_call(move |call: ReadyCall| {
        let sender = sender.clone();
        async move {
            let result = call.run().await;
            sender.send(result.text().into_owned()).expect("the test waits");
            result
        }
    });
    let end = run.complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
    assert!(results(&session)[0].contains("did not finish within 50 ms"), "{:?}", results(&session));
    assert_eq!(runs.try_iter().count(), 0, "code after the run does not execute");
}
