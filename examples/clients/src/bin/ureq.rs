//! ureq, a client that blocks the thread, with any server of Chat Completions.

use clients::{Error, QUESTION, get_weather, timeout, var};
use tool_runtime::wire::ChatCompletions;
use tool_runtime::{AssistantMessage, Registry, Session, conversation::Request, tools};

fn complete(agent: &ureq::Agent, request: Request) -> Result<AssistantMessage, Error> {
    let body =
        request.wire(ChatCompletions::new().keep_reasoning(true)).body()?.with("model", var("OPENAI_MODEL")?);
    let post = agent.post(var("OPENAI_BASE_URL")? + "/chat/completions");
    let post = post.header("authorization", format!("Bearer {}", var("OPENAI_API_KEY")?));
    Ok(post.send_json(&body)?.body_mut().read_json()?)
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let agent = ureq::Agent::config_builder().timeout_global(Some(timeout())).build().into();
    let registry = Registry::new(tools![get_weather])?;
    let mut session = Session::new().user(QUESTION);
    // It may block this thread, since the program has no other tasks; otherwise, use `tokio::task::spawn_blocking`.
    let end = session.run(&registry).complete(async |request| complete(&agent, request)).await?;
    println!("{end}: {}", session.final_text());
    Ok(())
}
