//! This library.

use super::Dispatch;
use super::trip::{self, Plan, Trip};
use std::slice;
use tool_runtime::{Registry, ToolCall, tool, tools};

/// The weather of the coming days.
#[tool]
#[allow(
    clippy::needless_pass_by_value,
    reason = "all libraries have the same parameters; this one would also accept `&str`"
)]
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
#[tool]
fn plan_trip(
    /// Where to.
    trip: Trip,
) -> Plan {
    trip.plan()
}

pub(super) struct Ours {
    registry: Registry,
}

impl Ours {
    pub(super) fn new() -> crate::Result<Self> {
        Ok(Ours { registry: Registry::new(tools![forecast, plan_trip])? })
    }
}

impl Dispatch for Ours {
    async fn dispatch_one(&self, call: &ToolCall) -> crate::Result<String> {
        let messages = self.registry.dispatch(slice::from_ref(call)).await;
        let message = messages.first().ok_or("the call has no tool message")?;
        Ok(serde_json::to_string(message)?)
    }

    async fn dispatch_all(&self, calls: &[ToolCall]) -> crate::Result<String> {
        Ok(serde_json::to_string(&self.registry.dispatch(calls).await)?)
    }
}
