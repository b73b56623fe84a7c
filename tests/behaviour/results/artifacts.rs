//! Artifacts of results.

use crate::message_text;
use serde_json::Value;
use tool_runtime::message::Message;
use tool_runtime::{DynamicTool, Registry, ToolCall, ToolMessage, ToolOutput, tool, tools};

/// An artifact that is not `Clone`.
#[derive(Debug, PartialEq)]
struct Chart(u32);

/// Draws a chart.
#[tool]
async fn draw(size: u32) -> Result<ToolOutput, String> {
    match size {
        0 => Err("nothing to draw".to_owned()),
        size => Ok(ToolOutput::from(format!("a chart of {size}")).with_artifact(Chart(size))),
    }
}

/// Draws on a thread.
#[tool(blocking)]
fn draw_on_a_thread(size: u32) -> ToolOutput {
    ToolOutput::from("drawn").with_artifact(Chart(size))
}

async fn drawn(tool: &str) -> ToolMessage {
    let registry = Registry::new(tools![draw, draw_on_a_thread]).expect("a registry");
    registry.dispatch(&[ToolCall::new("1", tool, r#"{"size":3}"#)]).await.remove(0)
}

#[tokio::test]
async fn an_artifact_is_part_of_the_message_and_is_not_serialized() {
    let message = drawn("draw").await;
    assert_eq!(
        serde_json::to_string(&message).expect("it serializes"),
        r#"{"role":"tool","tool_call_id":"1","content":"a chart of 3"}"#
    );
    assert_eq!(message.artifact::<String>(), None, "it has another type");
    assert_eq!(message.artifact(), Some(&Chart(3)));
    assert_eq!(drawn("draw_on_a_thread").await.artifact(), Some(&Chart(3)));
    assert_eq!(ToolMessage::new("1", "created").artifact::<Chart>(), None);
}

#[tokio::test]
async fn an_artifact_stays_in_a_message_that_moves_to_a_history_on_another_thread() {
    let answer = drawn("draw").await;
    let history = vec![Message::user("draw"), Message::from(answer.clone())];
    let history = std::thread::spawn(move || history).join().expect("it ends");
    let Message::Tool(kept) = &history[1] else { panic!("it is a tool message") };
    let [kept, shared] = [kept, &answer].map(|message| message.artifact::<Chart>().expect("it is there"));
    assert_eq!(*kept, Chart(3));
    assert!(std::ptr::eq(kept, shared), "clones share one artifact");
}

#[tokio::test]
async fn an_output_can_be_an_error_or_have_no_artifact() {
    assert_eq!(message_text(tools![draw], "draw", r#"{"size":0}"#).await, "Error: nothing to draw");
    let output = draw(3).await.expect("it draws");
    assert_eq!((output.text(), output.artifact()), ("a chart of 3", Some(&Chart(3))));
    assert_eq!(ToolOutput::new().with_json([1, 2]).text(), "[1,2]");
    assert!(!format!("{output:?}").contains("Chart"), "the type of an artifact need not implement `Debug`");
}

#[tokio::test]
async fn a_dynamic_tool_can_return_an_output_or_a_value() {
    let draws = |_, _| async { Ok::<_, String>(ToolOutput::from("drawn").with_artifact(7_u8)) };
    let value = |_, _| async { Ok::<_, String>(serde_json::json!({"a": 1})) };
    let nothing = |_, _| async { Ok::<_, String>(()) };
    let registry = Registry::builder()
        .dynamic(DynamicTool::with_context("draws", "", Value::Null, draws))
        .dynamic(DynamicTool::with_context("nothing", "", Value::Null, nothing))
        .dynamic(DynamicTool::with_context("value", "", Value::Null, value))
        .build()
        .expect("a registry");
    let calls = ["draws", "value", "nothing"].map(|tool| ToolCall::new("1", tool, ""));
    let messages = registry.dispatch(&calls).await;
    assert_eq!(
        [messages[0].content.as_str(), messages[1].content.as_str(), messages[2].content.as_str()],
        ["drawn", r#"{"a":1}"#, "ok"]
    );
    assert_eq!(messages[0].artifact(), Some(&7_u8));
}
