//! A tool that runs an inner session, with two tools and the model of the program. The program prints the events of both
//! runs; those of the inner one are indented.
//!
//! `cargo run --example subagent` runs on a scripted model; `examples/src/model.rs` lists the
//! environment variables that select a server and its wire.

use examples::model::Model;
use examples::scripted;
use examples::transcript::print_line;
use serde_json::Value;
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use tool_runtime::session::RunEnd;
use tool_runtime::{CallContext, Registry, Session, tool, tools};

const PAGES: [(&str, &str); 3] = [
    ("holidays", "Everybody has 28 days of holidays a year. Unused days expire in March."),
    ("travel", "Trains are booked by the office. Flights need an approval."),
    ("illness", "Report an illness before nine o'clock."),
];

/// Find the pages of the handbook that contain a word.
#[tool(read_only)]
fn find_pages(word: &str) -> Vec<&'static str> {
    let word = word.to_lowercase();
    PAGES.iter().filter(|(_, text)| text.to_lowercase().contains(&word)).map(|(name, _)| *name).collect()
}

/// Read a page of the handbook.
#[tool(read_only)]
fn read_page(name: &str) -> Result<&'static str, String> {
    let page = PAGES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    page.ok_or_else(|| format!("there is no page {name}; call `find_pages` first"))
}

/// Research a question in the handbook.
#[tool(read_only, timeout = "120s")]
async fn research(
    question: &str,
    #[state] model: &Model,
    #[context] call: &CallContext,
) -> Result<String, Box<dyn Error + Send + Sync>> {
    let registry = Registry::new(tools![find_pages, read_page])?.with(&call.child_run_context());
    let mut session = Session::new().system("Answer from the handbook, in one sentence.").user(question);
    let run = session.run(&registry).max_replies(8).on_event(|event| call.emit(event));
    match run.complete(|request| model.complete(request)).await? {
        RunEnd::Answered => Ok(session.final_text().to_owned()),
        end => Err(format!("the research has no answer: {end}").into()),
    }
}

/// Prints an event, and below it the event of an inner run that it contains.
fn show(depth: usize, event: &Value) {
    let text = |field: &str| event[field].as_str().unwrap_or_default();
    let line = match (text("type"), text("status")) {
        ("text", _) => format!("text: {}", text("text")),
        ("call_complete", _) => format!("{} calls {} {}", text("id"), text("tool"), text("arguments")),
        ("call", "emitted") => return show(depth + 1, &event["data"]),
        ("call", "finished") => format!("{} finished: {}", text("id"), event["result"]),
        ("run_ended", _) => format!("the run has ended: {}", text("end")),
        _ => return,
    };
    print_line(format_args!("{:indent$}{line}", "", indent = 4 * depth));
}

async fn converse() -> Result<Session, Box<dyn Error>> {
    let model = Arc::new(Model::from_env(scripted::subagent::script())?);
    print_line(format_args!("Model: {model}"));
    let registry = Registry::builder().tools(tools![research]).state(Arc::clone(&model)).build()?;
    let mut session = Session::new().user("How many days of holidays do I have, and when do they expire?");
    let run = session.run(&registry).max_replies(8);
    let run = run.on_event(|event| show(0, &serde_json::to_value(event).unwrap_or_default()));
    match run.complete(|request| model.complete(request)).await? {
        RunEnd::Answered => Ok(session),
        end => Err(format!("there is no answer: {end}; ask a simpler question").into()),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match converse().await {
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
