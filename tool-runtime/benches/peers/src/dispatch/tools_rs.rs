//! <https://docs.rs/tools-rs/0.3.3>

#![allow(clippy::unused_async, reason = "the macro requires `async` functions")]

use super::Dispatch;
use super::message::Message;
use super::trip::{self, Plan, Trip};
use futures_util::future::join_all;
use serde_json::Value;
use tool_runtime::ToolCall;
use tools_rs::{FunctionCall, ToolCollection, tool};

// The macro does not support descriptions of parameters.

/// The weather of the coming days.
#[tool]
async fn forecast(city: String, days: u8, detail: bool) -> String {
    trip::forecast(&city, days, detail)
}

/// Plans a trip.
#[tool]
async fn plan_trip(trip: Trip) -> Plan {
    trip.plan()
}

pub(super) struct ToolsRs {
    tools: ToolCollection,
}

impl ToolsRs {
    pub(super) fn new() -> crate::Result<Self> {
        Ok(ToolsRs { tools: ToolCollection::collect_tools()? })
    }

    async fn content(&self, call: &ToolCall) -> String {
        match self.result(call).await {
            // A text result is a JSON string here. The model gets it without quotes.
            Ok(Value::String(text)) => text,
            Ok(other) => other.to_string(),
            Err(error) => format!("Error: {error}"),
        }
    }

    async fn result(&self, call: &ToolCall) -> crate::Result<Value> {
        // tools-rs takes arguments as a `Value`. Its ids are UUIDs, so the id of the call is kept here.
        let arguments = serde_json::from_str(&call.arguments)?;
        let call = FunctionCall { id: None, name: call.name.clone(), arguments };
        Ok(self.tools.call(call).await?.result)
    }
}

impl Dispatch for ToolsRs {
    async fn dispatch_one(&self, call: &ToolCall) -> crate::Result<String> {
        Ok(serde_json::to_string(&Message::new(&call.id, self.content(call).await))?)
    }

    async fn dispatch_all(&self, calls: &[ToolCall]) -> crate::Result<String> {
        let contents = join_all(calls.iter().map(|call| self.content(call))).await;
        let messages: Vec<Message<'_>> =
            calls.iter().zip(contents).map(|(call, content)| Message::new(&call.id, content)).collect();
        Ok(serde_json::to_string(&messages)?)
    }
}
