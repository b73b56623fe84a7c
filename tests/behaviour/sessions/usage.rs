//! The tokens of replies.

use super::{asked, model, shop, stored};
use serde_json::json;
use tool_runtime::session::RunEnd;
use tool_runtime_testing::ScriptedReply;

#[tokio::test]
async fn the_usage_of_a_session_is_the_sum_of_its_replies() {
    let (registry, _) = shop();
    let called: ScriptedReply = json!({
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 50}},
        "choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [
            {"id": "a", "function": {"name": "find", "arguments": "{\"order\":7}"}}
        ]}}],
    })
    .into();
    let answered = ScriptedReply::stream([
        json!({"choices": [{"delta": {"content": "Done."}, "finish_reason": "stop"}]}),
        json!({"choices": [], "usage": {"prompt_tokens": 150, "completion_tokens": 5}}),
        json!("[DONE]"),
    ]);
    let model = model([called, answered]);
    let mut session = asked();
    let end = session.run(&registry).stream(|request| model.stream(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
    let usage = stored(&session).usage();
    assert_eq!((usage.input_tokens, usage.cached_input_tokens, usage.output_tokens), (250, 50, 25));
    let replies = session.messages().iter().filter_map(|message| match message {
        tool_runtime::message::Message::Assistant(reply) => reply.usage(),
        _ => None,
    });
    assert_eq!(replies.map(|usage| usage.total_tokens()).collect::<Vec<_>>(), [120, 155]);
}
