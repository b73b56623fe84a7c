//! The limit of identical calls.

use super::*;
use tool_runtime::session::RunEnd;

fn arguments(text: &str) -> ScriptedReply {
    calling([ToolCall::new("", "find", text)])
}

#[tokio::test]
async fn the_run_ends_after_so_many_identical_calls_whatever_their_results_are() {
    let (registry, _) = shop();
    // Neither white space nor the order of other calls matters.
    let replies = [
        r#"{"order":7}"#,
        r#"{"order":8}"#,
        r#"{ "order": 7 }"#,
        r#"{"order":"x"}"#,
        r#"{"order":7}"#,
        r#"{"order":7}"#,
    ];
    let model = model(replies.map(arguments));
    let mut session = asked();
    let end = session.run(&registry).max_identical_calls(3).complete(|request| model.complete(request)).await;
    assert_eq!((end.expect("valid"), session.replies()), (RunEnd::IdenticalCallLimit, 5));
    assert!(session.pending().is_none(), "the call has run");
    // A later run counts them, and one with a higher limit continues.
    let mut loaded = stored(&session);
    let end = loaded.run(&registry).max_identical_calls(3).complete(|request| model.complete(request)).await;
    assert_eq!((end.expect("valid"), loaded.replies()), (RunEnd::IdenticalCallLimit, 5));
    let end = loaded.run(&registry).max_identical_calls(4).stream(|request| model.stream(request)).await;
    assert_eq!((end.expect("valid"), loaded.replies()), (RunEnd::IdenticalCallLimit, 6));
}

#[tokio::test]
async fn a_user_message_starts_the_count_again_and_other_calls_never_reach_the_limit() {
    let (registry, _) = shop();
    let model = model((0..9).map(|n| calling([call("", "find", n / 2)])).collect::<Vec<_>>());
    let mut session = asked();
    let run = session.run(&registry).max_identical_calls(3).max_replies(5);
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::ReplyLimit);
    let repeated = ScriptedModel::repeat(calling([call("", "find", 2)]));
    for _ in 0..2 {
        session.push_user("Again.");
        let run = session.run(&registry).max_identical_calls(3);
        let end = run.complete(|request| repeated.complete(request)).await.expect("valid");
        assert_eq!((end, session.replies_since_user()), (RunEnd::IdenticalCallLimit, 3));
    }
}

#[tokio::test]
async fn identical_calls_of_one_reply_count_each() {
    let (registry, _) = shop();
    let model = model([calling([call("a", "find", 7), call("b", "find", 7)]), text_reply("Done.")]);
    let mut session = asked();
    let end = session.run(&registry).max_identical_calls(2).complete(|request| model.complete(request)).await;
    assert_eq!((end.expect("valid"), results(&session).len()), (RunEnd::IdenticalCallLimit, 2));
}
