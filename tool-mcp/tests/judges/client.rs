//! The client that is tested with servers of other projects: lists the tools of a server, and sends the calls that it reads.
//!
//! `judged_client COMMAND ..` or `judged_client URL` reads a JSON array of `{"name": .., "arguments": {..}}` from standard
//! input, and prints a JSON object per line: the tools, events of calls, and one result per call.

use serde_json::{Value, json};
use std::error::Error;
use tokio::process::Command;
use tool_runtime::dispatch::CallStatus;
use tool_runtime::{RunContext, ToolCall};
use tool_runtime_mcp::Client;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let first = arguments.first().ok_or("usage: judged_client COMMAND .., or judged_client URL")?.clone();
    let builder = if first.starts_with("http") {
        Client::http(first)
    } else {
        Client::child_process(move || {
            let mut command = Command::new(&first);
            command.args(&arguments[1..]);
            command
        })
    };
    let client = builder.prefix("s_").connect().await?;
    let context = RunContext::new().on_event(|event| {
        if let CallStatus::Progress { done, total, text, .. } = &event.status {
            println!(
                "{}",
                json!({"progress": {"tool": event.tool, "done": done, "total": total, "text": text}})
            );
        }
    });
    let registry = client.registry().await?;
    let tool = |name: &str| json!({"name": name, "title": registry.tool(name).and_then(|tool| tool.title), "hints": hints(&registry, name)});
    let skipped: Vec<String> = registry.skipped_tools().iter().map(ToString::to_string).collect();
    let tools: Vec<Value> = registry.names().into_iter().map(tool).collect();
    println!("{}", json!({"tools": tools, "skipped": skipped}));
    let calls: Vec<Value> = serde_json::from_reader(std::io::stdin())?;
    let call = |(index, call): (usize, &Value)| {
        let name = call["name"].as_str().unwrap_or_default();
        ToolCall::new(format!("call_{index}"), format!("s_{name}"), call["arguments"].to_string())
    };
    let calls: Vec<ToolCall> = calls.iter().enumerate().map(call).collect();
    for (call, message) in calls.iter().zip(registry.with(&context).dispatch(&calls).await) {
        let parts = message.content.parts().map(|parts| json!(parts));
        println!(
            "{}",
            json!({
                "tool": call.name, "id": message.tool_call_id, "text": message.text(), "parts": parts,
                "error": message.error_kind(), "json": message.content.is_json(),
            })
        );
    }
    client.close().await;
    Ok(())
}

fn hints(registry: &tool_runtime::Registry, name: &str) -> Value {
    let annotations = registry.tool(name).map(|tool| tool.annotations).unwrap_or_default();
    json!([annotations.read_only, annotations.destructive, annotations.idempotent, annotations.open_world])
}
