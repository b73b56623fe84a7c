//! Code without a library, which is the minimum for any library.
//!
//! It is a `match` on the name, a derived struct for the arguments, and `join_all`. It does not catch panics, validate
//! against a schema, or read the clock.

use super::Dispatch;
use super::message::Message;
use super::trip::{self, Trip};
use futures_util::future::join_all;
use serde::Deserialize;
use tool_runtime::ToolCall;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Forecast {
    city: String,
    days: u8,
    detail: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanTrip {
    trip: Trip,
}

#[allow(clippy::unused_async, reason = "most tools are async")]
async fn forecast(Forecast { city, days, detail }: Forecast) -> String {
    trip::forecast(&city, days, detail)
}

#[allow(clippy::unused_async, reason = "most tools are async")]
async fn plan_trip(PlanTrip { trip }: PlanTrip) -> serde_json::Result<String> {
    serde_json::to_string(&trip.plan())
}

pub(super) struct ByHand;

impl ByHand {
    async fn result(&self, call: &ToolCall) -> crate::Result<String> {
        match &*call.name {
            "forecast" => Ok(forecast(serde_json::from_str(&call.arguments)?).await),
            "plan_trip" => Ok(plan_trip(serde_json::from_str(&call.arguments)?).await?),
            other => Err(format!("there is no tool `{other}`").into()),
        }
    }

    async fn message<'a>(&self, call: &'a ToolCall) -> Message<'a> {
        let content = self.result(call).await.unwrap_or_else(|error| format!("Error: {error}"));
        Message::new(&call.id, content)
    }
}

impl Dispatch for ByHand {
    async fn dispatch_one(&self, call: &ToolCall) -> crate::Result<String> {
        Ok(serde_json::to_string(&self.message(call).await)?)
    }

    async fn dispatch_all(&self, calls: &[ToolCall]) -> crate::Result<String> {
        let messages = join_all(calls.iter().map(|call| self.message(call))).await;
        Ok(serde_json::to_string(&messages)?)
    }
}
