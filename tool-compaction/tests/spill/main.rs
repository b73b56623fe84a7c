//! Long results in a store, as a model and a program see them.

mod json_results;
mod read_result;
mod short_results;
mod stores;

use serde_json::{Value, json};
use tool_runtime::dispatch::{ToolFailure, ToolResult};
use tool_runtime::message::Part;
use tool_runtime::{DynamicTool, Registry, RegistryBuilder, RunContext, ToolCall, ToolMessage, ToolOutput};
use tool_runtime::{tool, tools};
use tool_runtime_compaction::{Spill, SpillResults as _};

/// Returns its argument.
#[tool(read_only)]
fn echo(text: String) -> String {
    text
}

/// Fails with its argument.
#[tool(read_only)]
fn fail(text: String) -> Result<(), String> {
    Err(text)
}

/// A registry whose tools return their argument.
fn registry(spill: &Spill) -> Registry {
    build(Registry::builder().tools(tools![echo, fail]).spill(spill.clone()))
}

fn build(builder: RegistryBuilder) -> Registry {
    builder.build().expect("the tools have valid definitions")
}

/// The result of one call in a session.
async fn call(registry: &Registry, session: &str, tool: &str, arguments: Value) -> ToolMessage {
    let registry = registry.with(&RunContext::new().run_id(session));
    let call = ToolCall::new("call_1", tool, arguments.to_string());
    registry.dispatch(&[call]).await.remove(0)
}

async fn echoed(registry: &Registry, session: &str, text: &str) -> String {
    call(registry, session, "echo", json!({ "text": text })).await.text().to_owned()
}

async fn read(registry: &Registry, session: &str, arguments: Value) -> String {
    call(registry, session, "read_result", arguments).await.text().to_owned()
}

/// Numbered lines: `line 1`, `line 2` and so on.
fn numbered(lines: usize) -> String {
    let lines: Vec<String> = (1..=lines).map(|line| format!("line {line}\n")).collect();
    lines.concat()
}

/// The handle in the notice of a shortened text.
fn handle(text: &str) -> &str {
    let (_, after) = text.split_once("read_result with handle \"").expect("the text has a notice");
    after.split_once('"').expect("the handle ends").0
}

/// A tool that returns this result.
fn returning(result: ToolOutput) -> Registry {
    let tool = DynamicTool::new("draw", "Draws.", json!({"type": "object"}), move |_| {
        let result = result.clone();
        async move { Ok::<_, String>(result) }
    });
    build(Registry::builder().dynamic(tool).spill(Spill::memory().above(2_000)))
}

#[tokio::test]
async fn texts_of_parts_are_shortened_and_images_stay() {
    let output = ToolOutput::new()
        .with_text(numbered(400))
        .with_image("image/png", [1, 2, 3])
        .with_text("a short caption")
        .with_artifact(7_u32);
    let message = call(&returning(output), "s", "draw", json!({})).await;
    assert!(message.text().len() <= 2_000, "{}", message.text().len());
    let Some([Part::Text { text, .. }, Part::Image { .. }, Part::Text { text: caption, .. }]) =
        message.content.parts()
    else {
        panic!("{:?}", message.content)
    };
    assert_eq!(handle(text), "1");
    assert_eq!(caption, "a short caption");
    assert_eq!(message.artifact::<u32>(), Some(&7));
}

#[tokio::test]
async fn several_long_parts_have_a_handle_each() {
    let output = ToolOutput::new().with_text(numbered(400)).with_text(numbered(500));
    let registry = returning(output);
    let message = call(&registry, "s", "draw", json!({})).await;
    assert!(message.text().len() <= 2_000);
    let parts = message.content.parts().expect("the parts stay");
    let handles: Vec<String> =
        parts.iter().map(|part| handle(&format!("{part:?}").replace('\\', "")).to_owned()).collect();
    assert_eq!(handles, ["1", "2"]);
    assert!(
        read(&registry, "s", json!({"handle": "2", "from_line": 500})).await.starts_with("500: line 500\n")
    );
}

#[tokio::test]
async fn many_parts_become_one_text() {
    let parts: Vec<Part> = (0..300).map(|part| Part::text(format!("part {part} of many parts"))).collect();
    let message = call(&returning(ToolOutput::from(parts)), "s", "draw", json!({})).await;
    assert!(message.text().len() <= 2_000);
    assert!(message.text().starts_with("part 0 of many parts\npart 1 of many parts\n"), "{}", message.text());
    assert!(message.text().ends_with("part 299 of many parts"));
    assert_eq!(handle(message.text()), "1");
}

#[tokio::test]
async fn results_that_come_later_do_not_change() {
    let result = returning(ToolOutput::pending("a ticket").with_text(numbered(1_000)));
    let result = result.call("draw", json!({})).await;
    assert_eq!(result.error_kind(), Some("needs_result"));
}

#[tokio::test]
async fn middleware_inside_receives_the_whole_result() {
    let builder = Registry::builder().tools(tools![echo]).spill(Spill::memory().above(2_000)).around_call(
        |call| async move {
            let result = call.run().await;
            let bytes = result.text().len();
            result.map_text(|text| format!("{bytes} bytes\n{text}"))
        },
    );
    let text = echoed(&build(builder), "s", &numbered(1_000)).await;
    assert!(text.starts_with("8893 bytes\nline 1\n"), "{text}");
}

#[tokio::test]
async fn error_messages_are_shortened() {
    let registry = registry(&Spill::memory().above(2_000));
    let message = call(&registry, "s", "fail", json!({"text": numbered(1_000)})).await;
    assert!(message.is_error());
    assert!(message.text().starts_with("Error: line 1\n"));
    assert!(message.text().len() <= 2_000);
    let rest = read(&registry, "s", json!({"handle": handle(message.text()), "from_line": 1_000})).await;
    assert_eq!(rest, "1000: line 1000\n[the result ends here, with line 1,000]");
}

#[tokio::test]
async fn the_kind_of_an_error_stays() {
    let builder =
        Registry::builder().tools(tools![echo]).spill(Spill::memory().above(2_000)).around_call(|_| async {
            ToolResult::from(ToolFailure::new("x".repeat(5_000)).with_kind("circuit_open"))
        });
    let message = call(&build(builder), "s", "echo", json!({"text": ""})).await;
    assert_eq!(message.error_kind(), Some("circuit_open"));
    assert!(message.text().len() <= 2_000);
}

#[test]
fn read_result_changes_nothing() {
    let registry = registry(&Spill::memory());
    let tool = registry.tool("read_result").expect("the registry has the tool");
    assert!(tool.annotations.is_read_only());
}
