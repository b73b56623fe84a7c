//! tool-runtime-client, the client of this project, with any provider: the variable `LLM_MODEL` selects it.

use clients::{Error, QUESTION, get_weather, http_client};
use tool_runtime::{Registry, Session, tools};
use tool_runtime_client::{Model, RunModel as _};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let model = Model::from_env()?.http_client(http_client()?).max_attempts(2);
    let registry = Registry::new(tools![get_weather])?;
    let mut session = Session::new().user(QUESTION);
    let end = session.run(&registry).model(&model).await?;
    println!("{end}: {}", session.final_text());
    Ok(())
}
