//! A registry of ten tools, and its lock.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tool_runtime::{DynamicTool, Registry, tool, tools};
use tool_runtime_lock::tools_lock;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Order {
    /// Who gets the order.
    customer: Customer,
    lines: Vec<Line>,
    note: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Customer {
    name: String,
    city: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Line {
    article: String,
    quantity: u8,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Open,
    Paid,
    Sent,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Payment {
    Card { number: String },
    Invoice { days: Option<u8> },
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Category {
    title: String,
    children: Vec<Category>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Report {
    total: u32,
    state: ReportState,
    remark: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ReportState {
    Draft,
    Final,
}

/// Find orders.
#[tool(read_only)]
fn find_orders(
    /// A part of the name.
    query: &str,
    status: Option<Status>,
    #[arg(default = 20, schema(minimum = 1, maximum = 100))] limit: u32,
) {
}

/// Place an order.
#[tool(idempotent, destructive = false)]
fn place_order(order: Order, payment: Payment) {}

/// Cancel an order.
#[tool(destructive, requires_approval)]
fn cancel_order(id: u32, reason: Option<&str>) {}

/// Set labels of an order.
#[tool]
fn set_labels(id: u32, labels: BTreeMap<String, String>) {}

/// Add a category with its children.
#[tool(title = "Add category")]
fn add_category(category: Category) {}

/// Write a report.
///
/// Reads all orders of a month.
/// Takes a minute.
#[tool(output_schema)]
fn write_report(#[arg(schema(minLength = 7, maxLength = 7))] month: &str) -> Report {
    Report { total: 0, state: ReportState::Draft, remark: Some(month.to_owned()) }
}

/// The time of day.
#[tool(open_world = false)]
fn now() {}

fn dynamic(name: &str, description: &str, parameters: Value) -> DynamicTool {
    DynamicTool::new(name, description, parameters, |_| async { Ok::<_, String>(()) })
}

pub(super) fn registry() -> Registry {
    let place = json!({
        "type": "object",
        "properties": { "from": { "$ref": "#/$defs/place" }, "to": { "$ref": "#/$defs/place" } },
        "required": ["from", "to"],
        "$defs": { "place": {
            "type": "object",
            "properties": { "street": { "type": "string" }, "zip": { "type": "string", "pattern": "^[0-9]{5}$" } },
            "required": ["street"],
        } },
    });
    let notify = json!({
        "type": "object",
        "properties": {
            "channel": { "anyOf": [
                { "type": "object", "properties": { "mail": { "type": "string" } }, "required": ["mail"], "additionalProperties": false },
                { "type": "object", "properties": { "phone": { "type": "string" } }, "required": ["phone"], "additionalProperties": false },
            ] },
            "times": { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 3, "uniqueItems": true },
        },
    });
    let price = json!({
        "type": "object",
        "properties": {
            "amount": { "type": "number", "exclusiveMinimum": 0, "multipleOf": 5 },
            "size": { "type": "array", "prefixItems": [{ "type": "integer" }, { "type": "integer" }], "maxItems": 2 },
            "extra": { "not": { "type": "string" } },
        },
        "additionalProperties": true,
    });
    Registry::builder()
        .tools(tools![find_orders, place_order, cancel_order, set_labels, add_category, write_report, now])
        .dynamic(dynamic("ship", "Ship a parcel.", place))
        .dynamic(dynamic("notify", "Notify a customer.", notify))
        .dynamic(dynamic("price", "Compute a price.", price))
        .build()
        .expect("the tools have different names")
}

/// The lock file of a registry.
pub(super) fn lock_of(registry: &Registry) -> Value {
    serde_json::from_str(&tools_lock(registry)).expect("it is JSON")
}
