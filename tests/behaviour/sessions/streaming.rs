//! Streamed runs end like others.

use super::{asked, call, calling, model, results, shop, stored, text_reply};
use std::sync::Arc;
use tool_runtime::session::RunEnd;
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, Responses, Wire,
};
use tool_runtime_testing::ScriptedReply;

fn wires() -> [Box<dyn Wire>; 7] {
    [
        Box::new(ChatCompletions::new()),
        Box::new(Anthropic::new()),
        Box::new(Bedrock::new()),
        Box::new(Gemini::new()),
        Box::new(GeminiInteractions::new()),
        Box::new(Ollama::new()),
        Box::new(Responses::new()),
    ]
}

#[tokio::test]
async fn a_streamed_run_with_an_approval_ends_like_one_that_is_not_streamed() {
    for wire in wires() {
        let name = wire.name();
        let (registry, ledger) = shop();
        let calls = || calling([call("a", "find", 7), call("b", "refund", 8), call("c", "find", 9)]);
        let (streamed, whole) =
            (model([calls(), text_reply("Done.")]), model([calls(), text_reply("Done.")]));
        let (mut first, mut second) = (asked(), asked());
        for end in [RunEnd::NeedsApproval, RunEnd::Answered] {
            let run = first.run(&registry).wire(ChatCompletions::new()).wire(clone_of(name));
            assert_eq!(run.stream(|request| streamed.stream(request)).await.expect("valid"), end, "{name}");
            let run = second.run(&registry).wire(clone_of(name));
            assert_eq!(run.complete(|request| whole.complete(request)).await.expect("valid"), end, "{name}");
            assert_eq!(results(&first), results(&second));
            (first, second) = (stored(&first), stored(&second));
            if end == RunEnd::NeedsApproval {
                first.approve("b").expect("it waits");
                second.approve("b").expect("it waits");
            }
        }
        assert_eq!(first.final_text(), "Done.");
        assert_eq!(ledger.entries(), ["refund 8", "refund 8"]);
    }
}

fn clone_of(name: &str) -> Arc<dyn Wire> {
    tool_runtime::wire::by_name(name).expect("each wire is enabled")
}

#[tokio::test]
async fn a_streamed_run_ends_if_the_model_declines() {
    let (registry, _) = shop();
    for wire in wires() {
        let name = wire.name();
        let model = model([ScriptedReply::refusal("I cannot help.")]);
        let mut session = asked();
        let end =
            session.run(&registry).wire(wire).stream(|request| model.stream(request)).await.expect("valid");
        assert_eq!((end, session.final_text()), (RunEnd::Refused, "I cannot help."), "{name}");
    }
}

#[tokio::test]
async fn early_calls_keep_the_call_limit() {
    let (registry, _) = shop();
    let calls: Vec<_> = (0..4).map(|n| call(&n.to_string(), "find", n)).collect();
    let model = model([calling(calls)]);
    let mut session = asked();
    let run = session.run(&registry).max_calls(2);
    assert_eq!(run.stream(|request| model.stream(request)).await.expect("valid"), RunEnd::CallLimit);
    assert_eq!(results(&session), ["order 0", "order 1"]);
}
