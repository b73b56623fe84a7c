//! Amazon's Converse API, through reqwest, with an API key of Bedrock.

use clients::{Error, QUESTION, get_weather, http_client, var};
use tool_runtime::wire::{Bedrock, Wire};
use tool_runtime::{AssistantMessage, Registry, Session, conversation::Request, tools};

async fn complete(client: &reqwest::Client, request: Request) -> Result<AssistantMessage, Error> {
    let body = request.wire(Bedrock::new()).body()?;
    let path = format!("/model/{}/converse", var("BEDROCK_MODEL")?);
    let post = client.post(var("BEDROCK_BASE_URL")? + &path).bearer_auth(var("BEDROCK_API_KEY")?);
    Ok(Bedrock::new().read_reply(&post.json(&body).send().await?.text().await?)?)
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
