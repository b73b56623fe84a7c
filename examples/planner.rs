//! Plan, execute, conclude: the first request forces a plan, the next one lets the model call all tools that it needs,
//! and the last one allows no calls.
//!
//! `cargo run --example planner` runs on a scripted model; `examples/src/model.rs` lists the
//! environment variables that select a server and its wire.

use examples::model::Model;
use examples::scripted;
use examples::transcript::{Transcript, print_line};
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;
use tool_runtime::session::RunEnd;
use tool_runtime::{Registry, Session, ToolChoice, tool, tools};

/// Write down the steps before executing them.
#[tool(read_only)]
fn plan(
    /// The steps, in short sentences.
    steps: &[String],
) -> String {
    format!("{} steps, go ahead", steps.len())
}

/// Find trains between two cities.
#[tool(read_only)]
async fn find_trains(from: &str, to: &str) -> String {
    tokio::time::sleep(Duration::from_millis(20)).await; // in place of a request to a service, as below
    format!("{from} 7:30 to {to} 9:45, {from} 12:00 to {to} 14:15")
}

/// Find hotels in a city.
#[tool(read_only)]
async fn find_hotels(city: &str, nights: u8) -> Result<String, String> {
    tokio::time::sleep(Duration::from_millis(20)).await;
    match nights {
        0 => Err("a stay is one night at least".to_owned()),
        _ => Ok(format!("a hotel in {city} for {nights} nights, 90 a night")),
    }
}

/// The weather of the next days.
#[tool(read_only)]
async fn get_forecast(city: &str) -> String {
    tokio::time::sleep(Duration::from_millis(20)).await;
    format!("{city} is dry until Sunday")
}

async fn travel() -> Result<Session, Box<dyn Error>> {
    let model = Model::from_env(scripted::planner::script())?;
    print_line(format_args!("Model: {model}"));
    let registry = Registry::new(tools![plan, find_trains, find_hotels, get_forecast])?;
    let mut transcript = Transcript::default();
    let mut choices = [registry.tool_choice("plan")?, ToolChoice::Auto].into_iter();
    let mut session = Session::new()
        .system(
            "Plan first. Then call all the tools that you need at once. Then conclude in three sentences.",
        )
        .user("Two nights in Kyoto, from Tokyo, please.");
    let run = session.run(&registry).max_replies(10).map_request(|request| {
        transcript.print(request.messages());
        request.tool_choice(choices.next().unwrap_or(ToolChoice::None))
    });
    let end = run.complete(|request| model.complete(request)).await?;
    transcript.print(session.messages());
    // A model may answer early, or ignore the tool choice.
    for warning in session.warnings() {
        eprintln!("Warning: {warning}");
    }
    match end {
        RunEnd::Answered => Ok(session),
        end => Err(format!("there is no conclusion: {end}; ask a simpler question").into()),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match travel().await {
        Ok(session) => {
            print_line(format_args!("\n{}", session.final_text()));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}
