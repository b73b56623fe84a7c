//! The tool and the session of the tests.

use crate::stub::{Scripted, Server};
use crate::waits::Waits;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tool_runtime::session::{RunEnd, RunError};
use tool_runtime::{Registry, Session, tool, tools};
use tool_runtime_client::{Model, ModelError, RunModel};

#[derive(Clone, Default)]
pub(crate) struct Runs(Arc<AtomicUsize>);

impl Runs {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Look up the weather of a city.
#[tool(read_only)]
fn get_weather(city: &str, #[state] runs: &Runs) -> String {
    runs.0.fetch_add(1, Ordering::SeqCst);
    format!("{city}: sunny")
}

/// The registry, and the number of runs of its tool.
pub(crate) fn registry() -> (Registry, Runs) {
    let runs = Runs::default();
    let registry = Registry::builder().tools(tools![get_weather]).state(runs.clone()).build();
    (registry.expect("one tool"), runs)
}

pub(crate) fn question() -> Session {
    Session::new().user("What is the weather in Beijing?")
}

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
