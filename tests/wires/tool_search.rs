//! Searches for tools in the forms of providers: the tools of a request, searches, their results, and calls of the tools that
//! they find.

mod anthropic;
mod responses;

use crate::weather_tools::{delete, get_weather};
use crate::{dropped, json, list};
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::message::{Message, Part};
use tool_runtime::wire::{Body, RequestParts, Responses, Wire};
use tool_runtime::{Conversation, Registry, RegistryBuilder, ToolOutput, ToolSchema, tool, tools};
use tool_runtime_testing::check_request;

/// Find tools.
#[tool(read_only)]
fn search_tools(query: &str) -> Result<ToolOutput, String> {
    let found = |names: &[&str]| {
        let text = ToolOutput::new().with_text(format!("signatures for {query}"));
        names.iter().fold(text, |output, name| output.with_part(Part::tool_reference(*name)))
    };
    match query {
        "weather" => Ok(found(&["get_weather", "get_tides"])),
        "tides" => Ok(found(&["get_tides"])),
        "all" => Ok(found(&["delete", "get_weather", "delete", "now"])),
        "" => Err("the query is empty".to_owned()),
        _ => Ok("no tool matches".into()),
    }
}

/// Call a tool.
#[tool]
fn call_tool(name: &str, arguments: &str) -> String {
    format!("{name}({arguments})")
}

/// The time of day.
#[tool]
fn now() -> String {
    "12:00".to_owned()
}

/// The tools of a registry with a search. `get_tides` no longer exists.
pub(crate) struct Tools {
    all: Registry,
    pinned: Vec<ToolSchema>,
    deferred: Vec<ToolSchema>,
}

pub(crate) fn tools() -> Tools {
    tools_of(|builder| builder)
}

/// The tools of a registry with other settings.
pub(crate) fn tools_of(set: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Tools {
    let all = Registry::builder().tools(tools![now, search_tools, call_tool, get_weather, delete]);
    let all = set(all.lenient_arguments(true)).build().expect("five tools");
    let schemas = |names: &[&str]| {
        let schema = |name: &&str| all.schemas().iter().find(|schema| schema.name() == *name).cloned();
        names.iter().filter_map(schema).collect()
    };
    let (pinned, deferred) =
        (schemas(&["now", "search_tools", "call_tool"]), schemas(&["get_weather", "delete"]));
    Tools { all, pinned, deferred }
}

impl Tools {
    pub(crate) fn parts<'a>(&'a self, messages: &'a [Message]) -> RequestParts<'a> {
        RequestParts::new(messages).tools(&self.pinned).deferred_tools(&self.deferred)
    }

    pub(crate) fn body(&self, wire: &dyn Wire, messages: &[Message]) -> Body {
        let body = wire.write(&self.parts(messages)).expect("it is written");
        assert_eq!(check_request(wire, &json(&body)), Ok(()), "{wire:?}: {}", json(&body));
        body
    }

    pub(crate) fn write(&self, wire: &dyn Wire, messages: &[Message]) -> Value {
        json(&self.body(wire, messages))
    }

    /// The conversation after a reply with these items or blocks, whose calls run.
    pub(crate) async fn run(&self, chat: Conversation, wire: &dyn Wire, items: Value) -> Conversation {
        let body = match wire.name() {
            "anthropic" => {
                json!({ "type": "message", "model": "m", "content": items, "stop_reason": "tool_use" })
            }
            _ => json!({ "id": "resp_1", "model": "m", "status": "completed", "output": items }),
        };
        let reply = wire.read_reply(&body.to_string()).expect("it is read");
        match chat.receive(reply) {
            Received::ToolCalls(pending) => pending.dispatch(&self.all).await,
            Received::Answer(chat) => chat,
        }
    }
}

pub(crate) fn names(tools: &Value) -> Vec<&str> {
    list(tools).iter().map(|tool| tool["name"].as_str().unwrap_or_default()).collect()
}

fn use_of(id: &str, name: &str, input: &Value) -> Value {
    json!({ "type": "tool_use", "id": id, "name": name, "input": input })
}

fn search(id: &str, query: &str) -> Value {
    json!({ "type": "tool_search_call", "id": format!("tsc_{id}"), "call_id": id, "execution": "client",
        "status": "completed", "arguments": { "query": query } })
}

/// The call of a tool that a search found.
fn found_call(id: &str, name: &str, arguments: &str) -> Value {
    json!({ "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name, "namespace": name,
        "arguments": arguments, "status": "completed" })
}
