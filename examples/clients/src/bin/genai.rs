//! genai, which selects the address and the key. `extra_body` replaces the messages and tools that it would write, and its
//! raw body is read, since its own types lose parts of replies.

use clients::{Error, QUESTION, get_weather, http_client, var};
use genai::chat::{ChatOptions, ChatRequest};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget, adapter::AdapterKind};
use tool_runtime::wire::ChatCompletions;
use tool_runtime::{AssistantMessage, Registry, Session, conversation::Request, tools};

async fn complete(client: &Client, request: Request) -> Result<AssistantMessage, Error> {
    let target = ServiceTarget {
        endpoint: Endpoint::from_owned(var("OPENAI_BASE_URL")? + "/"),
        auth: AuthData::from_env("OPENAI_API_KEY"),
        model: ModelIden::new(AdapterKind::OpenAI, var("OPENAI_MODEL")?),
    };
    let body = serde_json::to_value(request.wire(ChatCompletions::new().keep_reasoning(true)).body()?)?;
    let options = ChatOptions::default().with_extra_body(body).with_capture_raw_body(true);
    let response = client.exec_chat(target, ChatRequest::default(), Some(&options)).await?;
    Ok(serde_json::from_value(response.captured_raw_body.unwrap_or_default())?)
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let client = Client::builder().with_reqwest(http_client()?).build()?;
    let registry = Registry::new(tools![get_weather])?;
    let mut session = Session::new().user(QUESTION);
    let end = session.run(&registry).complete(|request| complete(&client, request)).await?;
    println!("{end}: {}", session.final_text());
    Ok(())
}
