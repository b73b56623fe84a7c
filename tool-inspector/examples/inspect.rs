//! A page for the tools of a travel agency, with a live run of a scripted model:
//!
//! `cargo run -p tool-runtime-inspector --example inspect`, then open the address that it prints.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::error::Error;
use std::time::Duration;
use tool_runtime::conversation::InnerCallError;
use tool_runtime::dispatch::UserAnswer;
use tool_runtime::message::Usage;
use tool_runtime::{AssistantMessage, CallContext, Registry, Session, ToolCall, tool};
use tool_runtime_inspector::{Inspector, LiveRuns};
use tool_runtime_testing::ScriptedModel;

/// A class of seats.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Class {
    #[default]
    Economy,
    Business,
}

/// A person who travels.
#[derive(Debug, Deserialize, JsonSchema)]
struct Traveller {
    /// The name as in the passport.
    name: String,
    /// In years.
    #[schemars(range(max = 120))]
    age: u8,
    /// For example "vegetarian".
    meal: Option<String>,
}

/// Finds trains between two cities.
#[tool(read_only, title = "Train search")]
fn find_trains(
    /// City name, for example "Vienna".
    from: &str,
    to: &str,
    /// How many changes at most.
    #[arg(default = 2)]
    max_changes: u8,
    class: Option<Class>,
) -> Result<String, String> {
    if from == to {
        return Err(format!("{from} is both the start and the destination"));
    }
    let class = class.unwrap_or_default();
    Ok(format!("3 trains from {from} to {to}, at most {max_changes} changes, {class:?}: 08:10, 10:10, 12:10"))
}

/// Books seats. A person approves each booking.
#[tool(destructive, requires_approval)]
fn book_seats(
    /// The time of departure, for example "08:10".
    train: &str,
    travellers: &[Traveller],
    /// Notes for the conductor, by seat.
    #[arg(default)]
    notes: BTreeMap<String, String>,
) -> String {
    let names: Vec<String> =
        travellers.iter().map(|one| format!("{} ({}, {:?})", one.name, one.age, one.meal)).collect();
    let notes: Vec<String> = notes.into_iter().map(|(seat, note)| format!("; seat {seat}: {note}")).collect();
    format!("booked {} at {train}{}", names.join(" and "), notes.concat())
}

/// Compares the prices of a month, day by day.
#[tool(read_only)]
async fn compare_prices(
    #[context] call: &CallContext,
    /// Number of days.
    #[arg(schema(minimum = 1, maximum = 31))]
    days: u64,
) -> String {
    for day in 1..=days {
        tokio::time::sleep(Duration::from_millis(150)).await;
        call.progress(day, Some(days), format!("day {day}"));
    }
    format!("the cheapest of {days} days is day {}", days.div_ceil(2))
}

/// Reserves a table in the restaurant car. Asks the user for the time.
#[tool]
async fn reserve_table(#[context] call: &CallContext) -> Result<String, InnerCallError> {
    let schema = json!({
        "type": "object",
        "properties": {
            "time": {"type": "string", "enum": ["12:00", "13:00"], "description": "When to eat."},
            "people": {"type": "integer", "minimum": 1, "default": 2},
        },
        "required": ["time"],
    });
    Ok(match call.ask("When do you want to eat?", schema).await? {
        UserAnswer::Accepted(answer) => format!("reserved: {answer}"),
        UserAnswer::Declined | UserAnswer::Cancelled => "the user does not want a table".to_owned(),
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let registry = Registry::collect()?;
    let runs = LiveRuns::new();
    tokio::spawn(run_session(registry.clone(), runs.clone()));
    println!("Open http://127.0.0.1:4000 and press Ctrl-C to stop.");
    let inspector = Inspector::new(&registry).title("Travel agency").live_runs(&runs);
    Ok(inspector.serve("127.0.0.1:4000").await?)
}

/// A session that ends with an approval. The model corrects a wrong argument.
async fn run_session(registry: Registry, runs: LiveRuns) {
    let call = |id: &str, name: &str, arguments: &str| ToolCall::new(id, name, arguments);
    let usage = |input, output| Usage::new(input, output);
    let model = ScriptedModel::new([
        AssistantMessage::from_tool_calls([
            call("1", "find_trains", r#"{"from":"Vienna","to":"Graz","class":"first"}"#),
            call("2", "compare_prices", r#"{"days":10}"#),
        ])
        .with_usage(usage(912, 48)),
        AssistantMessage::from_tool_calls([call(
            "3",
            "find_trains",
            r#"{"from":"Vienna","to":"Graz","class":"business"}"#,
        )])
        .with_usage(usage(1_102, 22)),
        AssistantMessage::from_tool_calls([call(
            "4",
            "book_seats",
            r#"{"train":"08:10","travellers":[{"name":"Ada","age":36,"meal":null}]}"#,
        )])
        .with_usage(usage(1_190, 31)),
    ]);
    let mut session = Session::new().user("Book a cheap train from Vienna to Graz for Ada (36).");
    let recorder = runs.start("A booking");
    let run = session.run(&registry).on_event(|event| recorder.record(event));
    if let Err(error) = run.complete(|request| model.complete(request)).await {
        eprintln!("the run failed: {error}");
    }
}
