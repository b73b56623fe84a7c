//! The types of the parameters that are not scalars.

#![allow(dead_code, reason = "they are only described")]

use schemars::JsonSchema;
use serde::Deserialize;
use tools_rs::ToolSchema;

/// The unit of temperatures.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Unit {
    /// Degrees Celsius.
    Metric,
    /// Degrees Fahrenheit.
    Imperial,
}

#[derive(Deserialize, JsonSchema, ToolSchema)]
pub(super) struct Edit {
    /// Must occur once.
    old: String,
    new: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Priority {
    Low,
    Normal,
    High,
}

#[derive(Deserialize, JsonSchema, ToolSchema)]
pub(super) struct Attendee {
    name: Option<String>,
    mail: String,
    optional: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Repeat {
    Daily,
    Weekly {
        /// 0 is Monday.
        days: Vec<u8>,
    },
    Monthly {
        day: u8,
    },
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// Still to be done.
    Open,
    /// Done, or given up.
    Closed,
    /// Both.
    All,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Parameter {
    Number(f64),
    Text(String),
    Flag(bool),
}

#[derive(Deserialize, JsonSchema, ToolSchema)]
pub(super) struct Route {
    /// IATA code.
    from: String,
    /// IATA code.
    to: String,
    date: String,
}

#[derive(Deserialize, JsonSchema, ToolSchema)]
pub(super) struct Passenger {
    name: String,
    age: u8,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Class {
    Economy,
    Business,
}

#[derive(Deserialize, JsonSchema, ToolSchema)]
pub(super) struct Coordinates {
    latitude: f64,
    longitude: f64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Size {
    /// 256 by 256.
    Small,
    /// 1024 by 1024.
    Large,
}

#[derive(Deserialize, JsonSchema, ToolSchema)]
pub(super) struct Item {
    id: u64,
    count: u32,
}

#[derive(Deserialize, JsonSchema, ToolSchema)]
pub(super) struct Address {
    street: String,
    city: String,
    country: String,
}
