//! Prints the events of a run while they happen. Tools that are `read_only` or `idempotent` run before the end of the
//! reply; tools with side effects run after it.
//!
//! `cargo run --example streaming` runs on a scripted model; `examples/src/model.rs` lists the
//! environment variables that select a server and its wire.

use examples::model::Model;
use examples::scripted;
use examples::transcript::print_line;
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tool_runtime::dispatch::{CallEvent, CallStatus};
use tool_runtime::session::{Event, RunEnd, RunError};
use tool_runtime::{Registry, Session, tool};

/// Look up the weather of a city.
#[tool(read_only)]
async fn get_weather(city: &str) -> Result<String, String> {
    tokio::time::sleep(Duration::from_millis(300)).await; // in place of a request to a weather service
    match city {
        "Beijing" => Ok("sunny in Beijing".to_owned()),
        "Shanghai" => Ok("light rain in Shanghai".to_owned()),
        "Reykjavik" => Ok("windy in Reykjavik".to_owned()),
        _ => Err(format!("no weather station in {city}; try Beijing, Shanghai or Reykjavik")),
    }
}

/// Remind the user of something.
#[tool]
fn remind(text: &str) -> String {
    format!("reminder set: {text}")
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

async fn converse() -> Result<Session, Box<dyn Error>> {
    let model = Model::from_env(scripted::streaming::script())?;
    print_line(format_args!("Model: {model}"));
    let registry = Registry::collect()?;
    let mut session = Session::new().user(
        "What is the weather in Beijing, Shanghai and Reykjavik? Remind me of an umbrella where it rains.",
    );
    let begun = Instant::now();
    let mut attempts = 0;
    let end = loop {
        attempts += 1;
        let run = session.run(&registry).on_event(|event| show(begun.elapsed(), event));
        match run.stream(|request| model.stream(request)).await {
            // The next run continues with the results of the calls that have begun, or repeats the request.
            Err(error @ RunError::Stream(_)) if attempts < 3 => eprintln!("Warning: {error}"),
            ended => break ended?,
        }
    };
    match end {
        RunEnd::Answered => Ok(session),
        end => Err(format!("there is no answer: {end}; ask a simpler question").into()),
    }
}

fn show(time: Duration, event: &Event) {
    let line = match event {
        Event::Text { text, .. } => format!("text       {text:?}"),
        Event::Reasoning { text, .. } => format!("reasoning  {text:?}"),
        Event::CallAnnounced { id, tool, .. } => format!("{id}  {tool}"),
        Event::CallArguments { id, text, .. } => format!("{id}  {text}"),
        Event::CallComplete { id, .. } => format!("{id}  is complete"),
        Event::Call(CallEvent { id, status: CallStatus::Started { .. }, .. }) => format!("{id}  started"),
        Event::Call(CallEvent { id, status: CallStatus::Finished { result, .. }, .. }) => {
            format!("{id}  finished: {}", result.text())
        }
        Event::ReplyFinished { .. } => "the reply has ended".to_owned(),
        Event::Warning { text, .. } => format!("warning: {text}"),
        _ => return,
    };
    print_line(format_args!("{:5.2} s  {line}", time.as_secs_f64()));
}
