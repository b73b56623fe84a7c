//! Anthropic's Messages API, through reqwest.

use clients::{Error, QUESTION, get_weather, http_client, var};
use tool_runtime::wire::{Anthropic, Wire};
use tool_runtime::{AssistantMessage, Registry, Session, conversation::Request, tools};

async fn complete(client: &reqwest::Client, request: Request) -> Result<AssistantMessage, Error> {
    let body = request
        .wire(Anthropic::new())
        .body()?
        .with("model", var("ANTHROPIC_MODEL")?)
        .with("max_tokens", 4096);
    let post = client.post(var("ANTHROPIC_BASE_URL")? + "/v1/messages");
    let post = post.header("x-api-key", var("ANTHROPIC_API_KEY")?).header("anthropic-version", "2023-06-01");
    Ok(Anthropic::new().read_reply(&post.json(&body).send().await?.text().await?)?)
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
