//! The events of a run with a typed answer are the same for a response format and for a tool.

use super::{INVALID, PROBLEMS, VALID, find, invoice, setups};
use std::sync::Arc;
use tool_runtime::session::{Event, TypedEnd};
use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, tools};
use tool_runtime_testing::ScriptedModel;

#[tokio::test]
async fn a_response_format_and_a_tool_send_the_answer_as_text() {
    for setup in setups() {
        let calls = vec![ToolCall::new("call_7", "find", r#"{"order":7}"#)];
        let replies = [AssistantMessage::from_tool_calls(calls), setup.answer(INVALID), setup.answer(VALID)];
        let (model, registry) = (ScriptedModel::new(replies), Registry::new(tools![find]).expect("one tool"));
        let mut session = Session::new().user("Which invoice is open?");
        let mut events = Vec::new();
        let run = session.run(&registry).answer_as().wire(Arc::clone(&setup.wire));
        let run = run.on_event(|event: &Event| match (event, events.last_mut()) {
            (Event::Text { text, .. }, Some(last @ String { .. })) if last.starts_with("text ") => {
                last.push_str(text);
            }
            (Event::Text { text, .. }, _) => events.push(format!("text {text}")),
            (Event::CallAnnounced { tool, .. }, _) => events.push(format!("call {tool}")),
            (Event::Warning { text, .. }, _) => events.push(format!("warning {text}")),
            (Event::ReplyFinished { number, .. }, _) => events.push(format!("reply {number}")),
            (Event::RunEnded { end, .. }, _) => events.push(format!("end {end}")),
            _ => {}
        });
        let end = if setup.is_streamed {
            run.stream(|request| model.stream(request)).await.expect("valid")
        } else {
            run.complete(|request| model.complete(request)).await.expect("valid")
        };
        assert_eq!(end, TypedEnd::Answered(invoice()), "{}", setup.name());
        let problem =
            if setup.has_format { "the answer is invalid" } else { "invalid arguments for `final_answer`" };
        let invalid = format!("text {INVALID}");
        let expected = [
            Some("call find"),
            Some("reply 0"),
            // A call that is rejected has no text.
            setup.has_format.then_some(&*invalid),
            Some(&format!("warning the answer is rejected: {problem}: {PROBLEMS}")),
            Some("reply 1"),
            Some(&format!("text {VALID}")),
            Some("reply 2"),
            Some("end the model answered"),
        ];
        let expected: Vec<&str> = expected.into_iter().flatten().collect();
        assert_eq!(events, expected, "{}", setup.name());
    }
}
