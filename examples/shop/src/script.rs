//! The scripted model, which replies by the text of the user, so that the shop runs without a server of a model.

use serde_json::{Value, json};
use std::time::Duration;
use tool_runtime::conversation::Request;
use tool_runtime::message::{Message, ToolMessage};
use tool_runtime::{AssistantMessage, ToolCall};
use tool_runtime_testing::{ScriptedModel, ScriptedReply};

/// The time between two chunks, like a model with about 30 tokens per second.
const CHUNK_DELAY: Duration = Duration::from_millis(30);

const HELP: &str = "I am a scripted model, so I understand only a few requests: ask for products (\"Find headphones \
    under 100 euros\"), for open orders or for the sales report, order a product for a customer, write a note on an \
    order, or cancel an order. With a real model, you can ask anything about the shop.";

pub(crate) fn model() -> ScriptedModel {
    let reply = |request: &Request| reply(&Exchange::newest(request.messages()));
    ScriptedModel::repeat(ScriptedReply::from_fn(reply).with_chunk_delay(CHUNK_DELAY))
}

/// The newest message of the user, and the results since then.
struct Exchange<'a> {
    text: String,
    results: Vec<&'a ToolMessage>,
}

impl<'a> Exchange<'a> {
    fn newest(messages: &'a [Message]) -> Self {
        let mut exchange = Exchange { text: String::new(), results: Vec::new() };
        for message in messages {
            match message {
                Message::User(input) => {
                    exchange = Exchange { text: input.text().to_lowercase(), results: Vec::new() };
                }
                Message::Tool(result) => exchange.results.push(result),
                _ => {}
            }
        }
        exchange
    }

    fn has(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text.contains(word))
    }

    fn number(&self) -> Option<u32> {
        self.text.split(|c: char| !c.is_ascii_digit()).find_map(|digits| digits.parse().ok())
    }

    /// The newest result: the name of its tool, and its value or the text of its error.
    fn last(&self) -> Option<(&str, Result<Value, &str>)> {
        let result = self.results.last()?;
        let value = if result.is_error() {
            Err(result.text().trim_start_matches("Error: "))
        } else {
            Ok(serde_json::from_str(result.text()).unwrap_or_default())
        };
        Some((result.tool().unwrap_or_default(), value))
    }
}

fn reply(exchange: &Exchange<'_>) -> AssistantMessage {
    match exchange.last() {
        None => first(exchange),
        Some((tool, Ok(value))) => next(exchange, tool, &value),
        Some(("list_orders", Err(_))) if exchange.results.len() == 1 => {
            call("The status has another name, so I try again.", "list_orders", &json!({ "status": "open" }))
        }
        // A restart of the server has interrupted it.
        Some(("sales_report", Err(_))) if exchange.results.len() == 1 => report(),
        Some((_, Err(error))) => answer(format!("That did not work: {error}")),
    }
}

fn first(exchange: &Exchange<'_>) -> AssistantMessage {
    let newest_open = json!({ "status": "open", "page_size": 3 });
    if exchange.has(&["report", "revenue", "sales"]) {
        return report();
    }
    if exchange.has(&["cancel", "note"]) {
        return match exchange.number() {
            Some(order) => change(exchange, &json!(order)),
            None => call("I look for the newest open order.", "list_orders", &newest_open),
        };
    }
    if exchange.has(&["place", "buy", "order two"]) {
        let search = json!({ "text": "pebble", "category": "mice" });
        return call("I look for the product.", "search_products", &search);
    }
    if exchange.has(&["order"]) {
        // No such status: the error of the tool lists the right ones.
        return call("I look at the orders.", "list_orders", &json!({ "status": "pending" }));
    }
    let categories = [
        ("keyboards", ["keyboard", "keys"]),
        ("mice", ["mouse", "mice"]),
        ("monitors", ["monitor", "screen"]),
        ("headphones", ["headphone", "earbud"]),
        ("cables", ["cable", "usb"]),
    ];
    let category = categories.iter().find(|(_, words)| exchange.has(words)).map(|(category, _)| *category);
    if category.is_none() && !exchange.has(&["product"]) {
        return answer(HELP);
    }
    let search = json!({ "category": category, "max_price": exchange.number() });
    call("I look through the products.", "search_products", &search)
}

fn next(exchange: &Exchange<'_>, tool: &str, value: &Value) -> AssistantMessage {
    let items = value["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    match (tool, items) {
        ("list_orders", [newest, ..]) if exchange.has(&["cancel", "note"]) => change(exchange, &newest["id"]),
        ("search_products", [product, ..]) if exchange.has(&["place", "buy", "order two"]) => {
            let order = json!({
                "customer": { "name": "Ada Meyer", "email": "ada.meyer@example.com" },
                "address": { "street": "Am Hang 3", "postcode": "50667", "city": "Cologne" },
                "lines": [{ "product": product["id"], "quantity": 2 }],
            });
            call("It is in stock, so I place the order.", "place_order", &order)
        }
        ("list_orders" | "search_products", []) => answer("There is nothing like that in the shop."),
        ("list_orders", orders) => {
            let lines = orders.iter().map(|order| {
                let [customer, date] = [&order["customer"], &order["placed_on"]].map(text);
                format!(
                    "\n- order {} of {customer}, {date}, {:.2} euros",
                    order["id"],
                    number(&order["total_eur"])
                )
            });
            answer(format!(
                "{} orders are open. The newest ones:{}",
                value["total"],
                lines.collect::<String>()
            ))
        }
        ("search_products", products) => {
            let lines = products.iter().map(|product| {
                let (name, price) = (text(&product["name"]), number(&product["price_eur"]));
                format!("\n- {name}, {price:.2} euros, {} in stock", product["stock"])
            });
            answer(format!("I found {} products:{}", value["total"], lines.collect::<String>()))
        }
        ("place_order", _) => answer(format!(
            "Order {} is placed: {} of {} for {} in {}. It can be cancelled until it is sent.",
            value["id"],
            value["lines"][0]["quantity"],
            text(&value["lines"][0]["name"]),
            text(&value["customer"]["name"]),
            text(&value["address"]["city"]),
        )),
        ("cancel_order", _) => {
            answer(format!("Order {} is cancelled, and its products are in stock again.", value["id"]))
        }
        ("add_note", _) => answer("The note is on the order, where the other clerks see it."),
        ("sales_report", _) => {
            let months = value.as_array().map(Vec::as_slice).unwrap_or_default();
            let total: f64 = months.iter().map(|month| number(&month["revenue_eur"])).sum();
            let best =
                months.iter().max_by(|a, b| number(&a["revenue_eur"]).total_cmp(&number(&b["revenue_eur"])));
            let best = best.map(|month| text(&month["month"])).unwrap_or_default();
            answer(format!(
                "The revenue of {} months is {total:.2} euros. The best month was {best}.",
                months.len()
            ))
        }
        _ => answer("Done."),
    }
}

/// A change of one order.
fn change(exchange: &Exchange<'_>, order: &Value) -> AssistantMessage {
    if exchange.has(&["cancel"]) {
        let intro = format!("Order {order} can be cancelled if you approve it.");
        return call(&intro, "cancel_order", &json!({ "order": order }));
    }
    let note = "The customer is away next week; deliver it after that.";
    call("I write the note.", "add_note", &json!({ "order": order, "text": note }))
}

fn report() -> AssistantMessage {
    call("I compute the report, which takes a few seconds.", "sales_report", &json!({ "months": 12 }))
}

fn answer(text: impl Into<String>) -> AssistantMessage {
    AssistantMessage::from_text(text.into())
}

fn call(text: &str, tool: &str, arguments: &Value) -> AssistantMessage {
    // The session makes the ids unique.
    let mut reply =
        AssistantMessage::from_tool_calls(vec![ToolCall::new("call", tool, arguments.to_string())]);
    reply.content = Some(text.into());
    reply
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}
