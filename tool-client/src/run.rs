//! Runs of a session with a model.

use crate::{Model, ModelError};
use std::sync::Arc;
use tool_runtime::conversation::Request;
use tool_runtime::session::{Answer, Event, Run, RunError};
use tool_runtime::stream::StreamError;
use tool_runtime::wire::ErrorKind;

/// Runs a session with a [`Model`].
///
/// ```no_run
/// use tool_runtime::session::RunEnd;
/// use tool_runtime::{Registry, Session};
/// use tool_runtime_client::{Model, RunModel as _};
///
/// # async fn answer() -> Result<(), Box<dyn std::error::Error>> {
/// let (model, registry) = (Model::from_env()?, Registry::collect()?);
/// let mut session = Session::new().user("What is the weather in Beijing?");
/// match session.run(&registry).max_replies(10).model(&model).await? {
///     RunEnd::Answered => println!("{}", session.final_text()),
///     end => println!("no answer: {end}"),
/// }
/// # Ok(())
/// # }
/// ```
///
/// Both methods set the wire of the run ([`Run::wire`]) to that of the model, and classify its errors ([`Run::classify_error`]), so
/// that a compaction can repeat a request that is too long. A wire that [`Run::map_request`] sets is not used. All other settings
/// of the run stay: typed answers, events, limits, a journal. The futures are `Send` if the listener and the hooks of the run are.
pub trait RunModel {
    /// How the run ends: [`RunEnd`](tool_runtime::session::RunEnd), or [`TypedEnd`](tool_runtime::session::TypedEnd).
    type End;

    /// Runs the session, with whole replies: see [`Run::complete`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Model::complete`] as [`RunError::Client`], and those of [`Run::complete`].
    fn model(self, model: &Model) -> impl Future<Output = Result<Self::End, RunError<ModelError>>>;

    /// Runs the session, with streamed replies: see [`Run::stream`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Model::stream`] as [`RunError::Client`], and those of [`Run::stream`]: a reply that is interrupted
    /// after its first content is a [`RunError::Stream`].
    fn stream_model(self, model: &Model) -> impl Future<Output = Result<Self::End, RunError<ModelError>>>;
}

/// The kind of the error of a run, also of a reply that was interrupted: [`ErrorKind::Other`] if it is not an error of the server.
///
/// ```no_run
/// use tool_runtime::{Registry, Session};
/// use tool_runtime_client::{ErrorKind, Model, RunModel as _, error_kind};
///
/// # async fn answer(model: &Model, registry: &Registry, session: &mut Session) {
/// if let Err(error) = session.run(registry).stream_model(model).await {
///     match error_kind(&error) {
///         ErrorKind::Authentication => eprintln!("check the key: {error}"),
///         ErrorKind::ContextTooLong => eprintln!("start a new chat: {error}"),
///         ErrorKind::RateLimit { .. } | ErrorKind::Overloaded => eprintln!("try again later: {error}"),
///         _ => eprintln!("{error}"),
///     }
/// }
/// # }
/// ```
#[must_use]
pub fn error_kind(error: &RunError<ModelError>) -> ErrorKind {
    match error {
        RunError::Client(error) => error.kind(),
        RunError::Stream(StreamError::Transport { source, .. }) => {
            source.downcast_ref().map_or(ErrorKind::Other, ModelError::kind)
        }
        RunError::Stream(error) => error.error_kind().unwrap_or(ErrorKind::Other),
        _ => ErrorKind::Other,
    }
}

impl<O: FnMut(&Event), P: FnMut(Request) -> Request, A: Answer> RunModel for Run<'_, O, P, A> {
    type End = A::End;

    fn model(self, model: &Model) -> impl Future<Output = Result<A::End, RunError<ModelError>>> {
        let run = self.wire(Arc::clone(model.wire())).classify_error(ModelError::kind);
        run.complete(|request| model.complete(request))
    }

    fn stream_model(self, model: &Model) -> impl Future<Output = Result<A::End, RunError<ModelError>>> {
        let run = self.wire(Arc::clone(model.wire())).classify_error(ModelError::kind);
        run.stream(|request| model.stream(request))
    }
}
