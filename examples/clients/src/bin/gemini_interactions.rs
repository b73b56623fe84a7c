//! Gemini's Interactions API, through reqwest.

use clients::{Error, QUESTION, get_weather, http_client, var};
use tool_runtime::wire::{GeminiInteractions, Wire};
use tool_runtime::{AssistantMessage, Registry, Session, conversation::Request, tools};

async fn complete(client: &reqwest::Client, request: Request) -> Result<AssistantMessage, Error> {
    let body = request.wire(GeminiInteractions::new()).body()?.with("model", var("GEMINI_MODEL")?);
    let post = client.post(var("GEMINI_BASE_URL")? + "/v1beta/interactions");
    let post = post.header("x-goog-api-key", var("GEMINI_API_KEY")?).header("api-revision", "2026-05-20");
    Ok(GeminiInteractions::new().read_reply(&post.json(&body).send().await?.text().await?)?)
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
