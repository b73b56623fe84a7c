//! Several calls in one reply, and an answer, on the model of the environment: see `Model::from_env`.
//!
//! `LLM_MODEL=anthropic/claude-haiku-4-5 cargo run -p tool-runtime-client --example client_weather`

use std::process::ExitCode;
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{Registry, Session, tool};
use tool_runtime_client::{Model, RunModel as _};

/// Look up the weather of a city.
#[tool(read_only)]
fn get_weather(
    /// City name in English, for example "Beijing".
    city: &str,
    /// How many days ahead; 0 is today.
    #[arg(default = 0)]
    days: u8,
) -> String {
    format!("{city} in {days} days: sunny, 25 degrees")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match converse().await {
        Ok(answer) => {
            println!("{answer}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn converse() -> Result<String, Box<dyn std::error::Error>> {
    let (model, registry) = (Model::from_env()?, Registry::collect()?);
    let mut session =
        Session::new().user("What is the weather in Beijing and Shanghai today, and in Reykjavik tomorrow?");
    let run = session.run(&registry).on_event(|event| {
        if let Event::RequestRetried { error, delay_ms, .. } = event {
            eprintln!("Warning: {error}; the next attempt is in {delay_ms} ms");
        }
    });
    match run.model(&model).await? {
        RunEnd::Answered => Ok(session.final_text().to_owned()),
        end => Err(format!("there is no answer: {end}; ask a simpler question").into()),
    }
}
