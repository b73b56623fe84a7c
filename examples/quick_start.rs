//! The first program of the README: a conversation with a Chat Completions server, through reqwest.
#![allow(clippy::unused_async, reason = "most tools wait for something")]

use std::{env, error::Error};
use tool_runtime::conversation::Request;
use tool_runtime::session::RunEnd;
use tool_runtime::wire::{ChatCompletions, Wire};
use tool_runtime::{AssistantMessage, Registry, Session, tool};

/// Look up the weather of a city.
#[tool]
async fn get_weather(
    /// City name, for example "Beijing".
    city: &str,
    /// How many days ahead; 0 is today.
    #[arg(default = 0)]
    days: u8,
) -> Result<String, std::io::Error> {
    Ok(format!("{city} in {days} days: sunny"))
}

async fn complete(request: Request) -> Result<AssistantMessage, Box<dyn Error>> {
    let var = |name: &str| env::var(name).map_err(|error| format!("{name}: {error}"));
    let mut body = serde_json::to_value(&request)?; // `messages` and `tools`
    body["model"] = var("OPENAI_MODEL")?.into();
    let post = reqwest::Client::new().post(var("OPENAI_BASE_URL")? + "/chat/completions");
    let response = post.bearer_auth(var("OPENAI_API_KEY")?).json(&body).send().await?;
    Ok(ChatCompletions::new().read_reply(&response.text().await?)?) // or the error message of the server
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let registry = Registry::collect()?; // every #[tool] function of the program
    let mut session = Session::new().user("What is the weather in Beijing?");
    match session.run(&registry).complete(complete).await? {
        RunEnd::Answered => println!("{}", session.final_text()),
        end => println!("no answer: {end}"),
    }
    Ok(())
}
