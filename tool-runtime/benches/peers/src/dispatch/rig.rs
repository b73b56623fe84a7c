//! <https://docs.rs/rig/0.46.0>
//!
//! `ToolSet` runs a tool by its name. The agent, which is not measured, does more for each call.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "all libraries have the same parameters, and the macro requires functions that return a `Result`"
)]

use super::Dispatch;
use super::message::Message;
use super::trip::{self, Plan, Trip};
use futures_util::future::join_all;
use rig::rig_tool;
use rig::tool::{ToolContext, ToolExecutionError, ToolResult, ToolSet};
use std::borrow::Cow;
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
    tools: ToolSet,
}

impl Rig {
    pub(super) fn new() -> Self {
        let mut tools = ToolSet::default();
        tools.add_tool(Forecast);
        tools.add_tool(PlanTrip);
        Rig { tools }
    }

    async fn result(&self, call: &ToolCall) -> ToolResult {
        self.tools.execute(&call.name, call.arguments.as_str(), &mut ToolContext::new()).await
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
