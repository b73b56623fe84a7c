//! One program of the model in place of thirty calls: it reads customers, orders and invoices, and sends one mail, which a person
//! approves. `cargo run -p tool-runtime-code --example report`
//!
//! The model is scripted. With a real one, replace `model` by a client, for example that of `tool-runtime-client`.

mod shop;

use shop::{OVERDUE, Outbox};
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{AssistantMessage, Registry, Session, ToolCall};
use tool_runtime_code::CodeTool;
use tool_runtime_testing::ScriptedModel;

/// The second part of the program that the model writes.
const MAIL: &str = r#"
const text = overdue.map(({ name, euros }) => `${name}: ${euros} euros`).join("\n");
await tools.send_mail({ to: "accounts@example.com", text });
return { customers: overdue.length, euros: overdue.reduce((sum, { euros }) => sum + euros, 0) };
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let outbox = Outbox::default();
    let tools = shop::registry(&outbox)?;
    let registry = Registry::builder().dynamic(CodeTool::new(tools).tool()).build()?;
    let call = ToolCall::new(
        "call_1",
        "run_code",
        serde_json::json!({ "code": format!("{OVERDUE}{MAIL}") }).to_string(),
    );
    let model = ScriptedModel::new([
        AssistantMessage::from_tool_calls([call]),
        AssistantMessage::from_text(
            "Nine customers have overdue invoices. I have sent the list to the accountant.",
        ),
    ]);

    let question = "Which customers owe us money for more than 30 days? Today is 2026-11-27. Send the list to accounts@example.com.";
    let mut session = Session::new().system("You help the accountant of a shop.").user(question);
    let mut calls = 0;
    loop {
        let count = |event: &Event| {
            if let Event::Call(event) = event {
                let is_start = matches!(event.status, tool_runtime::dispatch::CallStatus::Started { .. });
                calls += usize::from(is_start && event.outer_call.is_some());
            }
        };
        match session.run(&registry).on_event(count).complete(|request| model.complete(request)).await? {
            RunEnd::NeedsApproval => {
                for waiting in session.awaiting_approval() {
                    println!("approved: {waiting}");
                    session.approve(&waiting.id)?;
                }
            }
            end => {
                println!("{end} after {} requests and {calls} calls of the program", model.requests().len());
                break;
            }
        }
    }
    println!("the model read: {}", session.messages()[3].text());
    println!("the model answered: {}", session.final_text());
    assert_eq!(outbox.mails().len(), 1);
    Ok(())
}
