//! Tools, and calls of them.

use super::by_hand::{self, Message};
use futures_util::FutureExt as _;
use serde::{Deserialize, Serialize};
use tool_runtime::registry::ToolList;
use tool_runtime::schemars::JsonSchema;
use tool_runtime::{BuildError, Registry, ToolCall, ToolMessage, tool, tools};

/// Looks up the weather.
#[tool]
pub(crate) async fn get_weather(city: &str, days: u8, detail: bool) -> String {
    format!("{city}: {days} days of sun{}", if detail { ", 25 degrees, no wind" } else { "" })
}

/// Looks up the weather; returns JSON.
#[tool]
pub(crate) async fn get_forecast(city: &str, days: u8, detail: bool) -> Forecast<'_> {
    Forecast { city, days, sunny: detail, degrees: 25.5 }
}

#[derive(Serialize)]
pub(crate) struct Forecast<'a> {
    city: &'a str,
    days: u8,
    sunny: bool,
    degrees: f64,
}

/// Places an order.
#[tool]
pub(crate) async fn place_order(customer: Customer, items: Vec<Item>, note: Option<String>) -> Receipt {
    let total = items.iter().map(|item| f64::from(item.quantity) * item.price).sum();
    Receipt { customer: customer.name, total, items: items.len(), note }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Customer {
    name: String,
    #[expect(dead_code, reason = "only decoded")]
    email: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Item {
    #[expect(dead_code, reason = "only decoded")]
    sku: String,
    quantity: u32,
    price: f64,
}

#[derive(Serialize)]
pub(crate) struct Receipt {
    customer: String,
    total: f64,
    items: usize,
    note: Option<String>,
}

/// Writes a file.
#[tool]
pub(crate) async fn write_file(path: &str, content: &str) -> String {
    format!("{} bytes written to {path}", content.len())
}

/// Always fails.
#[tool]
pub(crate) async fn get_price(product: &str) -> Result<f64, String> {
    Err(format!("the price of {product} is unknown"))
}

const TOOLS: ToolList = tools![get_weather, get_forecast, place_order, write_file, get_price];

pub(crate) fn registry() -> Result<Registry, BuildError> {
    Registry::new(TOOLS)
}

/// The same tools, with middleware that only runs the call.
#[allow(dead_code, reason = "not all benchmarks use it")]
pub(crate) fn registry_with_middleware() -> Result<Registry, BuildError> {
    Registry::builder().tools(TOOLS).around_call(|call| async move { call.run().await }).build()
}

/// One kind of call.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) name: &'static str,
    pub(crate) fails: bool,
    tool: &'static str,
    arguments: fn() -> String,
}

pub(crate) const SCALARS: Sample =
    Sample { name: "scalars, text result", tool: "get_weather", arguments: scalars, fails: false };
pub(crate) const SCALARS_AND_JSON: Sample =
    Sample { name: "scalars, JSON result", tool: "get_forecast", arguments: scalars, fails: false };
pub(crate) const NESTED: Sample =
    Sample { name: "nested, JSON result", tool: "place_order", arguments: nested, fails: false };
pub(crate) const LARGE: Sample =
    Sample { name: "64 kB of text", tool: "write_file", arguments: large, fails: false };
pub(crate) const ERROR: Sample =
    Sample { name: "an error", tool: "get_price", arguments: product, fails: true };
#[allow(dead_code, reason = "only the benchmark of instructions uses it")]
pub(crate) const WRONG_ARGUMENT: Sample =
    Sample { name: "a wrong argument", tool: "get_weather", arguments: wrong_days, fails: true };
pub(crate) const UNKNOWN_TOOL: Sample =
    Sample { name: "an unknown tool", tool: "get_wether", arguments: scalars, fails: true };

pub(crate) const ALL: [Sample; 6] = [SCALARS, SCALARS_AND_JSON, NESTED, LARGE, ERROR, UNKNOWN_TOOL];

impl Sample {
    pub(crate) fn calls(self, number: usize) -> Vec<ToolCall> {
        // Ids have the length of OpenAI's.
        (0..number).map(|n| ToolCall::new(format!("call_{n:024}"), self.tool, (self.arguments)())).collect()
    }
}

fn scalars() -> String {
    r#"{"city":"Beijing","days":3,"detail":true}"#.to_owned()
}

fn wrong_days() -> String {
    r#"{"city":"Beijing","days":"tomorrow","detail":true}"#.to_owned()
}

fn product() -> String {
    r#"{"product":"bread"}"#.to_owned()
}

fn nested() -> String {
    r#"{"customer":{"name":"Ada Lovelace","email":"ada@example.org"},"items":[
        {"sku":"A-1","quantity":2,"price":9.5},{"sku":"B-7","quantity":1,"price":120.0},
        {"sku":"C-3","quantity":12,"price":0.25}],"note":"ring twice"}"#
        .to_owned()
}

fn large() -> String {
    let content = "fn main() { println!(\\\"hello\\\"); }\\n".repeat(1_800);
    format!(r#"{{"path":"src/main.rs","content":"{content}"}}"#)
}

/// Whether the dispatchers return equal results, apart from the text of errors.
pub(crate) fn has_equal_results(registry: &Registry, sample: Sample, calls: &[ToolCall]) -> bool {
    let by_hand = by_hand::dispatch(calls).now_or_never().unwrap_or_default();
    let ours = registry.dispatch(calls).now_or_never().unwrap_or_default();
    let is_equal = |by_hand: &Message, ours: &ToolMessage| {
        let is_failure =
            by_hand.content.starts_with("Error: ") && ours.content.as_str().starts_with("Error: ");
        ours.tool_call_id == by_hand.tool_call_id
            && (if sample.fails { is_failure } else { ours.content == *by_hand.content })
    };
    by_hand.len() == ours.len() && by_hand.iter().zip(&ours).all(|(by_hand, ours)| is_equal(by_hand, ours))
}
