//! reqwest, with any server of Chat Completions: OpenAI, Azure, DeepSeek, vLLM, llama.cpp and others.

use clients::{Error, QUESTION, get_weather, http_client, var};
use tool_runtime::wire::ChatCompletions;
use tool_runtime::{AssistantMessage, Registry, Session, conversation::Request, tools};

async fn complete(client: &reqwest::Client, request: Request) -> Result<AssistantMessage, Error> {
    let body =
        request.wire(ChatCompletions::new().keep_reasoning(true)).body()?.with("model", var("OPENAI_MODEL")?);
    let post = client.post(var("OPENAI_BASE_URL")? + "/chat/completions").bearer_auth(var("OPENAI_API_KEY")?);
    Ok(post.json(&body).send().await?.error_for_status()?.json().await?)
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
