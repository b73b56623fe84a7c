//! reqwest with streamed replies, whose text is printed while it arrives. `eventsource-stream` parses the server-sent events.

use clients::{Error, QUESTION, get_weather, http_client, var};
use eventsource_stream::Eventsource as _;
use futures_util::{StreamExt as _, stream::BoxStream};
use tool_runtime::wire::ChatCompletions;
use tool_runtime::{Registry, Session, conversation::Request, session::Event, stream::Chunk, tools};

async fn stream(client: &reqwest::Client, request: Request) -> Result<BoxStream<'static, Chunk>, Error> {
    let body =
        request.wire(ChatCompletions::new().keep_reasoning(true)).body()?.with("model", var("OPENAI_MODEL")?);
    let post = client.post(var("OPENAI_BASE_URL")? + "/chat/completions").bearer_auth(var("OPENAI_API_KEY")?);
    let response = post.json(&body.with("stream", true)).send().await?.error_for_status()?;
    let events = response.bytes_stream().eventsource();
    Ok(events.map(|event| event.map(|event| event.data).into()).boxed())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let client = http_client()?;
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
