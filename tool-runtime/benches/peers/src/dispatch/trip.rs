//! The functions of the tools, which are equal for all libraries and do as little as possible.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_rs::ToolSchema;

pub(super) fn forecast(city: &str, days: u8, detail: bool) -> String {
    format!("{city} in {days} days: sunny (detail: {detail})")
}

#[derive(Deserialize, JsonSchema, ToolSchema)]
pub(super) struct Trip {
    stops: Vec<Stop>,
    budget: Option<u32>,
}

#[derive(Deserialize, JsonSchema, ToolSchema)]
struct Stop {
    city: String,
    nights: u8,
}

/// The fields are sorted by name, since some libraries convert a result to a `serde_json::Value`, which may sort them.
#[derive(Serialize)]
pub(super) struct Plan {
    budget_per_night: Option<u32>,
    cities: Vec<String>,
    nights: u32,
}

impl Trip {
    pub(super) fn plan(self) -> Plan {
        let nights = self.stops.iter().map(|stop| u32::from(stop.nights)).sum();
        Plan {
            budget_per_night: self.budget.and_then(|budget| budget.checked_div(nights)),
            cities: self.stops.into_iter().map(|stop| stop.city).collect(),
            nights,
        }
    }
}
