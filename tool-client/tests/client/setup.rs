//! A server, and runs of a session with a model on it.

use crate::stub::{Scripted, Server};
use crate::waits::Waits;
use crate::weather::{Runs, registry};
use tool_runtime::session::{RunEnd, RunError};
use tool_runtime::{Registry, Session};
use tool_runtime_client::{Model, ModelError, RunModel};

/// A server, a model on it, and a registry with one tool.
pub(crate) struct Setup {
    pub(crate) server: Server,
    pub(crate) waits: Waits,
    pub(crate) model: Model,
    pub(crate) registry: Registry,
    pub(crate) runs: Runs,
}

impl Setup {
    pub(crate) async fn new(wire: &str, script: impl IntoIterator<Item = Scripted>) -> Self {
        let (server, waits, (registry, runs)) =
            (Server::start(wire, script).await, Waits::default(), registry());
        let model = server.model(&waits);
        Setup { server, waits, model, registry, runs }
    }

    pub(crate) async fn chat_completions(script: impl IntoIterator<Item = Scripted>) -> Self {
        Setup::new("chat_completions", script).await
    }

    /// Runs the session with the model.
    pub(crate) async fn run(
        &self,
        session: &mut Session,
        is_stream: bool,
    ) -> Result<RunEnd, RunError<ModelError>> {
        run_with(session.run(&self.registry), &self.model, is_stream).await
    }
}

/// A run with whole or streamed replies.
pub(crate) async fn run_with<R: RunModel>(
    run: R,
    model: &Model,
    is_stream: bool,
) -> Result<R::End, RunError<ModelError>> {
    if is_stream { run.stream_model(model).await } else { run.model(model).await }
}
