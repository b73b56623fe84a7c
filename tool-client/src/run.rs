//! Runs of a session with a model.

use crate::{Model, ModelError};
use std::sync::Arc;
use tool_runtime::conversation::Request;
use tool_runtime::session::{Answer, Event, Run, RunError};

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
/// that a compaction can repeat a request that is too long. A wire that [`Run::map_request`] sets is not used. All other settings of the
/// run stay: typed answers, events, limits, a journal. The futures are `Send` if the listener and the hooks of the run are.
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
    /// after its first content is a [`RunError::Stream`], whose source is the [`ModelError`].
    fn stream_model(self, model: &Model) -> impl Future<Output = Result<Self::End, RunError<ModelError>>>;
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
