//! async-openai, with its feature `byot` (bring your own types), since its types lose the reasoning of replies.

use async_openai::{Client, config::OpenAIConfig};
use clients::{Error, QUESTION, get_weather, http_client, var};
use tool_runtime::wire::ChatCompletions;
use tool_runtime::{AssistantMessage, Registry, Session, conversation::Request, tools};

async fn complete(client: &Client<OpenAIConfig>, request: Request) -> Result<AssistantMessage, Error> {
    let body =
        request.wire(ChatCompletions::new().keep_reasoning(true)).body()?.with("model", var("OPENAI_MODEL")?);
    Ok(client.chat().create_byot(body).await?)
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let config =
        OpenAIConfig::new().with_api_base(var("OPENAI_BASE_URL")?).with_api_key(var("OPENAI_API_KEY")?);
    let client = Client::build(http_client()?, config);
    let registry = Registry::new(tools![get_weather])?;
    let mut session = Session::new().user(QUESTION);
    let end = session.run(&registry).complete(|request| complete(&client, request)).await?;
    println!("{end}: {}", session.final_text());
    Ok(())
}
