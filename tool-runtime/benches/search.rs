//! The time to build an index of tools and of a query, by the number of tools.
//!
//! `cargo bench -p tool-runtime --features search --bench search`

#![allow(clippy::cast_precision_loss, reason = "the numbers are small")]

mod medians;

use serde_json::json;
use std::error::Error;
use std::hint::black_box;
use tool_runtime::ToolSchema;
use tool_runtime::search::{KeywordIndex, signature};

/// The maximum time of a query among 10,000 tools, in milliseconds.
const BUDGET: f64 = 1.0;
/// The number of tools that a query returns.
const LIMIT: usize = 10;

const VERBS: [&str; 10] =
    ["get", "list", "create", "delete", "update", "search", "send", "convert", "archive", "export"];
const NOUNS: [&str; 20] = [
    "weather",
    "issue",
    "file",
    "invoice",
    "customer",
    "calendar",
    "message",
    "repository",
    "flight",
    "hotel",
    "payment",
    "report",
    "ticket",
    "branch",
    "contact",
    "playlist",
    "sensor",
    "recipe",
    "course",
    "order",
];

/// A tool with three parameters. Every tool contains some words of the queries, and each word is in many tools.
fn tool(number: usize) -> Result<ToolSchema, serde_json::Error> {
    let verb = VERBS[number % VERBS.len()];
    let noun = NOUNS[number / VERBS.len() % NOUNS.len()];
    let parameters = json!({
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "City name, for example \"Beijing\"."},
            "days": {"type": "integer", "description": format!("How many days ahead the {noun} is; 0 is today.")},
            "format": {"type": "string", "enum": ["short", "detailed"]},
        },
        "required": ["city", "days"],
    });
    let description = format!("Use it to {verb} any {noun} of the account with the number {number}.");
    let function = json!({
        "name": format!("{verb}_{noun}_{number}"),
        "description": description,
        "parameters": parameters,
    });
    serde_json::from_value(json!({"type": "function", "function": function}))
}

fn main() -> Result<(), Box<dyn Error>> {
    let long = "Please find the invoice of my last flight to the city, convert it to a short report, send a message to \
                the customer, and create a ticket in the calendar for the account, how many days ahead it is today.";
    let most =
        "city name example many days ahead today account number format short detailed use any ".repeat(10);
    println!("medians of {} runs", medians::RUNS);
    println!(
        "{:>7}{:>14}{:>16}{:>20}{:>20}{:>20}{:>14}",
        "tools",
        "build",
        "build, a tool",
        "query, 3 words",
        "query, 35 words",
        "words of all tools",
        "signature"
    );
    let mut verdict = "";
    for size in [10, 1_000, 10_000] {
        let tools: Vec<ToolSchema> = (0..size).map(tool).collect::<Result<_, _>>()?;
        let index = KeywordIndex::new(&tools);
        let rank = |query: &str| assert!(index.rank(black_box(query), LIMIT).len() <= LIMIT);
        // Separately, since a large index removes everything else from the caches.
        let [build] = medians::measure([&mut || drop(black_box(KeywordIndex::new(&tools)))]);
        let [short, sentence, all, one] = medians::measure([
            &mut || rank("get weather city"),
            &mut || rank(long),
            &mut || rank(&most),
            &mut || drop(black_box(signature(&tools[0]))),
        ]);
        println!(
            "{size:7}{:>11.2} ms{:>13.1} µs{:>17.1} µs{:>17.1} µs{:>17.1} µs{:>11.1} µs",
            build / 1e6,
            build / 1e3 / size as f64,
            short / 1e3,
            sentence / 1e3,
            all / 1e3,
            one / 1e3
        );
        if all / 1e6 > BUDGET {
            verdict = ", over";
        }
    }
    println!("a query takes at most {BUDGET} ms{verdict}");
    Ok(())
}
