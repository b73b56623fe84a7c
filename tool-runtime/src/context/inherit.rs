//! Contexts of inner calls, which inherit from the call that makes them.

use super::CallContext;
#[cfg(doc)]
use super::CallEvent;
use super::run::{Data, RunContext};
use std::sync::Arc;

impl RunContext {
    /// A context with the same state, budgets and user, for the calls that this call makes.
    pub(super) fn inner(&self, call: &CallContext) -> Self {
        RunContext(Arc::new(Data {
            states: self.0.states.clone(),
            cancellation: Some(call.cancellation.child_token()),
            run_id: call.key().map(|key| key.to_string().into()),
            outer_call: Some(call.id.as_str().into()),
            budgets: self.0.budgets.clone(),
            asker: self.0.asker.clone(),
            outer_pauses: self.0.outer_pauses.iter().chain([&call.pauses]).cloned().collect(),
            ..Data::default()
        }))
    }

    /// A context for the calls of [`inner_call`](CallContext::inner_call): that of the run to which this call belongs.
    pub(crate) fn for_inner_calls(call: &CallContext) -> Self {
        let run = &call.run.0;
        let inherited = call.child_run_context().inherit_listeners(call).inherit_middleware(call);
        let mut context = inherited.inherit_allowed_tools(call).inherit_call_counts(call);
        (context.data().run_log, context.data().max_inner_calls) =
            (run.run_log.clone(), run.max_inner_calls.clone());
        context
    }

    /// Adds the listeners of the run to which the call belongs: those of [`on_event`](RunContext::on_event), and that of
    /// [`Run::on_event`](crate::session::Run::on_event). They receive the events of the calls of this context,
    /// whose [`outer_call`](CallEvent::outer_call) is the id of the call. Such a call may begin before the listener of a session's run has
    /// received its start. Default: the context of [`child_run_context`](CallContext::child_run_context) has no listeners.
    ///
    /// ```
    /// use tool_runtime::{CallContext, Registry, Session, tool};
    /// # use tool_runtime::AssistantMessage;
    /// # use tool_runtime::conversation::Request;
    /// # async fn complete(_: Request) -> Result<AssistantMessage, std::io::Error> { Ok(AssistantMessage::from_text("..")) }
    ///
    /// /// The tools of the inner session.
    /// struct Library(Registry);
    ///
    /// /// Researches a topic. The calls of its session have the events, the middleware and the limits of calls of the run.
    /// #[tool]
    /// async fn research(topic: &str, #[state] library: &Library, #[context] call: &CallContext) -> Result<String, std::io::Error> {
    ///     let context = call.child_run_context().inherit_listeners(call).inherit_allowed_tools(call);
    ///     let registry = library.0.with(&context.inherit_middleware(call).inherit_call_counts(call));
    ///     let mut session = Session::new().user(topic);
    ///     session.run(&registry).complete(complete).await.map_err(std::io::Error::other)?;
    ///     Ok(session.final_text().to_owned())
    /// }
    /// ```
    #[must_use]
    pub fn inherit_listeners(mut self, call: &CallContext) -> Self {
        self.data().listeners.extend(call.run.0.listeners.iter().cloned());
        self
    }

    /// Sets the middleware to that of the run to which the call belongs
    /// ([`Run::around_call`](crate::session::Run::around_call),
    /// [`around_call_outermost`](crate::session::Run::around_call_outermost)). The [log](crate::session::Run::log) of the run does not
    /// receive the calls of this context, but those of [`inner_call`](CallContext::inner_call). Default: none.
    #[must_use]
    pub fn inherit_middleware(mut self, call: &CallContext) -> Self {
        self.data().middleware.clone_from(&call.run.0.middleware);
        self
    }

    /// Sets the [allowed tools](RunContext::allowed_tools) to those of the run to which the call belongs. Default: all.
    #[must_use]
    pub fn inherit_allowed_tools(mut self, call: &CallContext) -> Self {
        self.data().allowed_tools.clone_from(&call.run.0.allowed_tools);
        self
    }

    /// Counts the calls of [`max_calls`](crate::registry::Policy::max_calls) together with the run to which the call belongs. An
    /// inner [`Session`](crate::Session) still counts on its own. Default: the calls of the context count on their own.
    #[must_use]
    pub fn inherit_call_counts(self, call: &CallContext) -> Self {
        self.counting_in(&call.run.0.begun_calls)
    }
}
