//! Replies without the expected text or call cause a warning.

use super::{asked, calling, model, shop, stored, text_reply};
use tool_runtime::conversation::ReplyWarning;
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{Session, ToolCall, ToolChoice};
use tool_runtime_testing::ScriptedReply;

/// The warnings of a run with this tool choice, as events and in the session.
async fn warnings(reply: ScriptedReply, choice: ToolChoice) -> Vec<ReplyWarning> {
    let (registry, _) = shop();
    let model = model([reply, text_reply("Done.")]);
    let mut session: Session = asked();
    let mut events = Vec::new();
    let run =
        session.run(&registry).max_replies(1).map_request(|request| request.tool_choice(choice.clone()));
    let run = run.on_event(|event| {
        if let Event::Warning { warning, text, .. } = event {
            assert_eq!(*text, warning.to_string());
            events.push(warning.clone());
        }
    });
    let _: RunEnd = run.complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(stored(&session).warnings(), events);
    events
}

fn texts(warnings: &[ReplyWarning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_forced_tool_that_is_not_called_is_a_warning() {
    let forced = ToolChoice::Tool("find".to_owned());
    assert_eq!(
        texts(&warnings(text_reply("No."), forced.clone()).await),
        ["the reply does not call the tool `find`, which the request required"]
    );
    assert_eq!(
        texts(&warnings(text_reply("No."), ToolChoice::Required).await),
        ["the reply calls no tool, although the request required a call"]
    );
    let other = || calling([ToolCall::new("a", "ship", "{}")]);
    assert_eq!(warnings(other(), forced.clone()).await.len(), 1);
    assert_eq!(warnings(other(), ToolChoice::Required).await, []);
    assert_eq!(warnings(calling([super::call("a", "find", 7)]), forced).await, []);
    assert_eq!(warnings(text_reply("No."), ToolChoice::None).await, []);
}

#[tokio::test]
async fn a_choice_that_the_request_cannot_have_is_a_warning() {
    let choice = ToolChoice::Tool("unknown".to_owned());
    assert_eq!(
        texts(&warnings(text_reply("Yes."), choice).await),
        ["the tool choice is ignored: the request has no tool `unknown`"]
    );
}

#[tokio::test]
async fn an_empty_reply_and_an_unparsed_call_are_warnings() {
    assert_eq!(warnings(text_reply(""), ToolChoice::Auto).await, [ReplyWarning::Empty]);
    let unparsed =
        warnings(text_reply("<tool_call>{\"name\": \"find\"}</tool_call>"), ToolChoice::Auto).await;
    assert!(matches!(&unparsed[..], [ReplyWarning::UnparsedCalls { words, .. }] if words == "<tool_call>"));
}
