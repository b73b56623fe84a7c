//! A streamed reply, printed while it arrives, on the model of the environment: see `Model::from_env`.
//!
//! `LLM_MODEL=ollama/qwen3 cargo run -p tool-runtime-client --example client_streaming`

use std::io::Write as _;
use std::process::ExitCode;
use tool_runtime::dispatch::{CallEvent, CallStatus};
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{Registry, Session, tool};
use tool_runtime_client::{Model, RunModel as _};

/// Look up the weather of a city.
#[tool(read_only)]
fn get_weather(
    /// City name in English, for example "Beijing".
    city: &str,
) -> String {
    format!("{city}: sunny, 25 degrees")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match converse().await {
        Ok(RunEnd::Answered) => ExitCode::SUCCESS,
        Ok(end) => {
            eprintln!("Error: there is no answer: {end}; ask a simpler question");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn converse() -> Result<RunEnd, Box<dyn std::error::Error>> {
    let (model, registry) = (Model::from_env()?, Registry::collect()?);
    let mut session = Session::new().user("What is the weather in Beijing, Shanghai and Reykjavik?");
    let end = session.run(&registry).on_event(show).stream_model(&model).await?;
    println!();
    Ok(end)
}

fn show(event: &Event) {
    match event {
        Event::Text { text, .. } => {
            print!("{text}");
            // An error means that nobody reads the output any more.
            let _ = std::io::stdout().flush();
        }
        Event::Call(CallEvent { tool, status: CallStatus::Finished { result, .. }, .. }) => {
            println!("[{tool}: {}]", result.text());
        }
        Event::RequestRetried { error, .. } => eprintln!("Warning: {error}"),
        _ => {}
    }
}
