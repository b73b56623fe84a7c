//! The basic case: a question about three cities, three calls in one reply, three paired results, and an answer.
//!
//! `cargo run --example weather` runs on a scripted model; `examples/src/model.rs` lists the
//! environment variables that select a server and its wire.

use examples::model::Model;
use examples::scripted;
use examples::transcript::{Transcript, print_line};
use serde::Serialize;
use std::process::ExitCode;
use std::time::Duration;
use tool_runtime::session::RunEnd;
use tool_runtime::{Registry, Session, tool};

#[derive(Serialize)]
struct Weather {
    city: String,
    celsius: i32,
    sky: &'static str,
}

/// Look up the weather of a city.
#[tool]
async fn get_weather(
    /// City name in English, for example "Beijing".
    city: &str,
    /// How many days ahead; 0 is today.
    #[arg(default = 0)]
    days: u8,
) -> Result<Weather, String> {
    tokio::time::sleep(Duration::from_millis(20)).await; // in place of a request to a weather service
    let (celsius, sky) = match city {
        "Beijing" => (25, "sunny"),
        "Shanghai" => (28, "light rain"),
        "Reykjavik" => (9, "windy"),
        _ => return Err(format!("no weather station in {city}; try Beijing, Shanghai or Reykjavik")),
    };
    Ok(Weather { city: city.to_owned(), celsius: celsius - i32::from(days), sky })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match converse().await {
        Ok(session) => {
            print_line("\nThe conversation as JSON:");
            print_line(serde_json::to_string_pretty(session.messages()).unwrap_or_default());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn converse() -> Result<Session, Box<dyn std::error::Error>> {
    let model = Model::from_env(scripted::weather::script())?;
    print_line(format_args!("Model: {model}"));
    let registry = Registry::collect()?;
    let mut transcript = Transcript::default();
    let mut session = Session::new()
        .system("You answer in one short sentence per city.")
        .user("What is the weather in Beijing and Shanghai today, and in Reykjavik tomorrow?");
    let run = session.run(&registry).complete(|request| {
        transcript.print(request.messages());
        model.complete(request)
    });
    let end = run.await?;
    transcript.print(session.messages());
    for warning in session.warnings() {
        eprintln!("Warning: {warning}");
    }
    match end {
        RunEnd::Answered => Ok(session),
        end => Err(format!("there is no answer: {end}; ask a simpler question").into()),
    }
}
