//! The Gemini API, through reqwest.

use clients::{Error, QUESTION, get_weather, http_client, var};
use tool_runtime::wire::{Gemini, Wire};
use tool_runtime::{AssistantMessage, Registry, Session, conversation::Request, tools};

async fn complete(client: &reqwest::Client, request: Request) -> Result<AssistantMessage, Error> {
    let body = request.wire(Gemini::new()).body()?;
    let path = format!("/v1beta/models/{}:generateContent", var("GEMINI_MODEL")?);
    let post = client.post(var("GEMINI_BASE_URL")? + &path).header("x-goog-api-key", var("GEMINI_API_KEY")?);
    Ok(Gemini::new().read_reply(&post.json(&body).send().await?.text().await?)?)
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let client = http_client()?;
    let registry = Registry::new(tools![get_weather])?;
    let mut session = Session::new().user(QUESTION);
    let end = session.run(&registry).complete(|request| complete(&client, request)).await?;
    println!("{end}: {}", session.final_text());
    Ok(())
}
