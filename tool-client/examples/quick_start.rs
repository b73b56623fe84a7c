//! The first program of the README: a conversation with the model of the environment.
#![allow(clippy::unused_async, reason = "most tools wait for something")]

use tool_runtime::{Registry, Session, session::RunEnd, tool};
use tool_runtime_client::{Model, RunModel as _};

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

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (model, registry) = (Model::from_env()?, Registry::collect()?); // every #[tool] function of the program
    let mut session = Session::new().user("What is the weather in Beijing?");
    match session.run(&registry).model(&model).await? {
        RunEnd::Answered => println!("{}", session.final_text()),
        end => println!("no answer: {end}"),
    }
    Ok(())
}
