//! Ollama's own API, through reqwest. Ollama also has Chat Completions under `/v1`: see `reqwest.rs`.

use clients::{Error, QUESTION, get_weather, http_client, var};
use tool_runtime::wire::{Ollama, Wire};
use tool_runtime::{AssistantMessage, Registry, Session, conversation::Request, tools};

async fn complete(client: &reqwest::Client, request: Request) -> Result<AssistantMessage, Error> {
    let model = var("OLLAMA_MODEL")?;
    let body = request.wire(Ollama::new()).body()?.with("model", model).with("stream", false);
    let post = client.post(var("OLLAMA_BASE_URL")? + "/api/chat");
    Ok(Ollama::new().read_reply(&post.json(&body).send().await?.text().await?)?)
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
