//! A dispatcher written by hand: a `match` on the name, a derived struct for the arguments, and `join_all`. It
//! returns error messages. It catches no panics, validates against no schema, and has no limits.

use super::samples::{Customer, Item, get_forecast, get_price, get_weather, place_order, write_file};
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use tool_runtime::ToolCall;

/// A tool message.
pub(crate) struct Message {
    pub(crate) tool_call_id: String,
    pub(crate) content: String,
}

pub(crate) async fn dispatch(calls: &[ToolCall]) -> Vec<Message> {
    join_all(calls.iter().map(message)).await
}

pub(crate) async fn message(call: &ToolCall) -> Message {
    let content = content(call).await.unwrap_or_else(|error| format!("Error: {error}"));
    Message { tool_call_id: call.id.clone(), content }
}

async fn content(call: &ToolCall) -> Result<String, String> {
    match &*call.name {
        "get_weather" => {
            let Place { city, days, detail } = read(call)?;
            Ok(get_weather(&city, days, detail).await)
        }
        "get_forecast" => {
            let Place { city, days, detail } = read(call)?;
            write(&get_forecast(&city, days, detail).await)
        }
        "place_order" => {
            let Order { customer, items, note } = read(call)?;
            write(&place_order(customer, items, note).await)
        }
        "write_file" => {
            let File { path, content } = read(call)?;
            Ok(write_file(&path, &content).await)
        }
        "get_price" => {
            let Product { product } = read(call)?;
            get_price(&product).await.map(|price| price.to_string())
        }
        other => Err(format!("there is no tool `{other}`")),
    }
}

fn read<'a, T: Deserialize<'a>>(call: &'a ToolCall) -> Result<T, String> {
    serde_json::from_str(&call.arguments).map_err(|error| error.to_string())
}

fn write(result: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(result).map_err(|error| error.to_string())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place<'a> {
    #[serde(borrow)]
    city: Cow<'a, str>,
    days: u8,
    detail: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    customer: Customer,
    items: Vec<Item>,
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<'a> {
    #[serde(borrow)]
    path: Cow<'a, str>,
    #[serde(borrow)]
    content: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Product<'a> {
    #[serde(borrow)]
    product: Cow<'a, str>,
}
