//! openai-oxide, with the JSON of requests and replies, since its own types lose the reasoning of replies.

use clients::{Error, QUESTION, get_weather, install_tls, timeout, var};
use openai_oxide::{ClientConfig, OpenAI};
use tool_runtime::wire::ChatCompletions;
use tool_runtime::{AssistantMessage, Registry, Session, conversation::Request, tools};

async fn complete(client: &OpenAI, request: Request) -> Result<AssistantMessage, Error> {
    let body =
        request.wire(ChatCompletions::new().keep_reasoning(true)).body()?.with("model", var("OPENAI_MODEL")?);
    Ok(serde_json::from_value(client.chat().completions().create_raw(&body).await?)?)
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    install_tls();
    let config = ClientConfig::new(var("OPENAI_API_KEY")?).base_url(var("OPENAI_BASE_URL")?);
    let client = OpenAI::with_config(config.timeout_secs(timeout().as_secs()));
    let registry = Registry::new(tools![get_weather])?;
    let mut session = Session::new().user(QUESTION);
    let end = session.run(&registry).complete(|request| complete(&client, request)).await?;
    println!("{end}: {}", session.final_text());
    Ok(())
}
