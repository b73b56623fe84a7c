//! async-openai with streamed replies, whose text is printed while it arrives.

use async_openai::types::stream::StreamResponse;
use async_openai::{Client, config::OpenAIConfig};
use clients::{Error, QUESTION, get_weather, http_client, var};
use tool_runtime::wire::ChatCompletions;
use tool_runtime::{Registry, Session, conversation::Request, session::Event, stream::Chunk, tools};

async fn stream(client: &Client<OpenAIConfig>, request: Request) -> Result<StreamResponse<Chunk>, Error> {
    let body =
        request.wire(ChatCompletions::new().keep_reasoning(true)).body()?.with("model", var("OPENAI_MODEL")?);
    Ok(client.chat().create_stream_byot(body.with("stream", true)).await?)
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let config =
        OpenAIConfig::new().with_api_base(var("OPENAI_BASE_URL")?).with_api_key(var("OPENAI_API_KEY")?);
    let client = Client::build(http_client()?, config);
    let registry = Registry::new(tools![get_weather])?;
    let mut session = Session::new().user(QUESTION);
    let show = |event: &Event| {
        if let Event::Text { text, .. } = event {
            print!("{text}");
        }
    };
    let end = session.run(&registry).on_event(show).stream(|request| stream(&client, request)).await?;
    println!(" ({end})");
    Ok(())
}
