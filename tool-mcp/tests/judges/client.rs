//! The client that is tested with servers of other projects: lists the tools of a server, and sends the calls that it reads.
//!
//! `judged_client COMMAND ..` or `judged_client URL` reads a JSON array of `{"name": .., "arguments": {..}}`, `{"uri": ..}` and
//! `{"prompt": .., "arguments": {..}}` from standard input, and prints a JSON object per line: the tools, the resources and prompts,
//! the content of resources and prompts, log messages, events of calls, and one result per call.

use serde_json::{Value, json};
use std::error::Error;
use tokio::process::Command;
use tool_runtime::dispatch::CallStatus;
use tool_runtime::{RunContext, ToolCall};
use tool_runtime_mcp::{Client, ClientError, LogLevel, LogMessage};

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
    let on_log =
        |message: LogMessage| println!("{}", json!({"log": {"level": message.level, "data": message.data}}));
    let client = builder.prefix("s_").resource_tools(true).on_log(LogLevel::Debug, on_log).connect().await?;
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
    let resources = client.resources().await?;
    let templates = client.resource_templates().await?;
    let prompts = client.prompts().await?;
    println!("{}", json!({"resources": resources, "templates": templates, "prompts": prompts}));
    let requests: Vec<Value> = serde_json::from_reader(std::io::stdin())?;
    let (calls, others): (Vec<Value>, Vec<Value>) =
        requests.into_iter().partition(|request| request.get("name").is_some());
    for request in &others {
        println!("{}", read(&client, request).await);
    }
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

/// The content of a resource or a prompt.
async fn read(client: &Client, request: &Value) -> Value {
    let error = |error: ClientError| json!({"read": request, "error": error.to_string()});
    if let Some(uri) = request["uri"].as_str() {
        return client
            .read_resource(uri)
            .await
            .map_or_else(error, |parts| json!({"read": uri, "parts": parts}));
    }
    let name = request["prompt"].as_str().unwrap_or_default();
    let arguments = request["arguments"].as_object();
    let arguments: Vec<(&str, &str)> = arguments
        .into_iter()
        .flatten()
        .map(|(name, value)| (&**name, value.as_str().unwrap_or_default()))
        .collect();
    let messages = client.prompt(name, &arguments).await;
    messages.map_or_else(error, |messages| json!({"read": name, "messages": messages}))
}

fn hints(registry: &tool_runtime::Registry, name: &str) -> Value {
    let annotations = registry.tool(name).map(|tool| tool.annotations).unwrap_or_default();
    json!([annotations.read_only, annotations.destructive, annotations.idempotent, annotations.open_world])
}
