//! <https://docs.rs/rig-core/0.44.0>
//!
//! The registry of rig is in rig-agent, together with its runtime, and does more for each call. This module measures a
//! map of tools in rig-core's object-safe form, which is the minimum for its users.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "all libraries have the same parameters, and the macro requires functions that return a `Result`"
)]

use super::Dispatch;
use super::message::Message;
use super::trip::{self, Plan, Trip};
use futures_util::future::join_all;
use rig_core::rig_tool;
use rig_core::tool::{ErasedTool, ToolContext, ToolExecutionError, ToolResult};
use std::borrow::Cow;
use std::collections::HashMap;
use tool_runtime::ToolCall;

/// The weather of the coming days.
#[rig_tool]
fn forecast(
    /// The city.
    city: String,
    /// How many days ahead.
    days: u8,
    /// Whether to add details.
    detail: bool,
) -> Result<String, ToolExecutionError> {
    Ok(trip::forecast(&city, days, detail))
}

/// Plans a trip.
#[rig_tool]
fn plan_trip(
    /// Where to.
    trip: Trip,
) -> Result<Plan, ToolExecutionError> {
    Ok(trip.plan())
}

pub(super) struct Rig {
    tools: HashMap<String, Box<dyn ErasedTool>>,
}

impl Rig {
    pub(super) fn new() -> Self {
        let tools: [Box<dyn ErasedTool>; 2] = [Box::new(Forecast), Box::new(PlanTrip)];
        Rig { tools: tools.into_iter().map(|tool| (tool.name(), tool)).collect() }
    }

    async fn result(&self, call: &ToolCall) -> ToolResult {
        match self.tools.get(&call.name) {
            Some(tool) => tool.execute(call.arguments.clone(), &mut ToolContext::new()).await,
            None => ToolResult::failed(ToolExecutionError::not_found("there is no such tool")),
        }
    }
}

/// The content as rig's client for OpenAI writes it: text unchanged, anything else as JSON.
fn content(result: &ToolResult) -> Cow<'_, str> {
    let output = result.output();
    output.as_text().map_or_else(|| output.render().into(), Cow::Borrowed)
}

impl Dispatch for Rig {
    async fn dispatch_one(&self, call: &ToolCall) -> crate::Result<String> {
        let result = self.result(call).await;
        Ok(serde_json::to_string(&Message::new(&call.id, content(&result)))?)
    }

    async fn dispatch_all(&self, calls: &[ToolCall]) -> crate::Result<String> {
        let results = join_all(calls.iter().map(|call| self.result(call))).await;
        let messages: Vec<Message<'_>> = calls
            .iter()
            .zip(&results)
            .map(|(call, result)| Message::new(&call.id, content(result)))
            .collect();
        Ok(serde_json::to_string(&messages)?)
    }
}
