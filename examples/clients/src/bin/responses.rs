//! OpenAI's Responses API, through reqwest.

use clients::{Error, QUESTION, get_weather, http_client, var};
use tool_runtime::wire::{Responses, Wire};
use tool_runtime::{AssistantMessage, Registry, Session, conversation::Request, tools};

async fn complete(client: &reqwest::Client, request: Request) -> Result<AssistantMessage, Error> {
    let body = request.wire(Responses::new()).body()?.with("model", var("OPENAI_MODEL")?);
    let post = client.post(var("OPENAI_BASE_URL")? + "/responses").bearer_auth(var("OPENAI_API_KEY")?);
    Ok(Responses::new().read_reply(&post.json(&body).send().await?.text().await?)?)
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
