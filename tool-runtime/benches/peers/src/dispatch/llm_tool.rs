//! <https://docs.rs/llm-tool/0.10.5>

use super::Dispatch;
use super::message::Message;
use super::trip::{self, Trip};
use llm_tool::{
    BatchExecutionMode, BatchToolCallStr, OutputSanitization, ToolContext, ToolError, ToolOutput,
    ToolRegistry, llm_tool,
};
use tool_runtime::ToolCall;

// By default, llm-tool searches every output for control tokens of models. No other library here does, so it is
// disabled in both places: <https://docs.rs/llm-tool/0.10.5/llm_tool/#secure-by-default>

/// The weather of the coming days.
#[llm_tool(sanitization = "none")]
fn forecast(
    /// The city.
    city: String,
    /// How many days ahead.
    days: u8,
    /// Whether to add details.
    detail: bool,
) -> String {
    trip::forecast(&city, days, detail)
}

/// Plans a trip.
#[llm_tool(sanitization = "none")]
fn plan_trip(
    /// Where to.
    trip: Trip,
) -> Result<ToolOutput, ToolError> {
    // If the tool returned a `Plan`, it would also be copied into the metadata of the output, which is not used here.
    ToolOutput::json(&trip.plan())
}

pub(super) struct LlmTool {
    registry: ToolRegistry,
    context: ToolContext,
}

impl LlmTool {
    pub(super) fn new() -> Self {
        let registry = ToolRegistry::new().with_tool(Forecast).with_tool(PlanTrip);
        LlmTool {
            registry: registry.with_output_floor(OutputSanitization::None),
            context: ToolContext::new(),
        }
    }
}

fn content(result: Result<ToolOutput, ToolError>) -> String {
    result.map_or_else(|error| format!("Error: {error}"), ToolOutput::into_content)
}

impl Dispatch for LlmTool {
    async fn dispatch_one(&self, call: &ToolCall) -> crate::Result<String> {
        let result = self.registry.dispatch_str(&call.name, &call.arguments, &self.context).await;
        Ok(serde_json::to_string(&Message::new(&call.id, content(result)))?)
    }

    async fn dispatch_all(&self, calls: &[ToolCall]) -> crate::Result<String> {
        let calls: Vec<BatchToolCallStr<'_>> = calls
            .iter()
            .map(|call| BatchToolCallStr { id: &call.id, name: &call.name, arguments_json: &call.arguments })
            .collect();
        // The mode that does not check whether a tool is destructive, since none is.
        let mode = BatchExecutionMode::ParallelAllowDestructive;
        let outcomes = self.registry.dispatch_batch_str(&calls, mode, &self.context).await;
        let messages: Vec<Message<'_>> = calls
            .iter()
            .zip(outcomes)
            .map(|(call, outcome)| Message::new(call.id, content(outcome.result)))
            .collect();
        Ok(serde_json::to_string(&messages)?)
    }
}
