//! A session as a virtual object of the engine, which runs one handler of it at a time.
//!
//! All handlers are short, except for `step`: a message, a decision or the end of a call is an input, which the next step applies. So
//! no invocation waits for a person or for a tool, and only a step changes the session. The commands of a handler depend on the stored
//! state alone, so that a program with other tools repeats them.

use super::Agent;
use super::calls::{SessionCall, retries};
use super::named::{handlers, named};
use super::status::{Input, MAX_WAITING_BYTES, Status};
use super::step::{self, Stepped};
use crate::protocol::{CONFLICT, Decision, NOT_FOUND, Report, TOO_LARGE, UserMessage, json_bytes};
use restate_sdk::context::RequestTarget;
use restate_sdk::endpoint::{HandlerOptions, ServiceOptions};
use restate_sdk::prelude::*;
use restate_sdk::service::ServiceDefinition;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tool_runtime::Session;
use tool_runtime::dispatch::CallEnd;

const STATUS: &str = "status";
const SESSION: &str = "session";
const INPUTS: &str = "inputs";

/// The end of a call leads to a step in the same invocation if the session and its inputs have fewer bytes, so that the engine does not
/// hold too many large values of one invocation.
const MAX_BYTES_AT_ONCE: usize = 1024 * 1024;

/// The end of a call that has run on a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Finished {
    pub(super) id: String,
    pub(super) end: CallEnd,
}

pub(super) struct SessionObject(Agent);

impl SessionObject {
    pub(super) fn new(agent: Agent) -> Self {
        SessionObject(agent)
    }

    /// The service with its limits.
    pub(super) fn into_definition(self) -> ServiceDefinition {
        let limits = self.0.limits;
        let private = HandlerOptions::new().ingress_private(true);
        let options = retries(ServiceOptions::new())
            .idempotency_retention(limits.idempotency_retention)
            .journal_retention(limits.journal_retention)
            .handler("step", private.clone().abort_timeout(limits.longest_request))
            .handler("finish", private.clone().abort_timeout(limits.longest_request))
            .handler("hand_out", private.clone())
            .handler("watch", private);
        let name = self.0.name.clone();
        named(self, name.as_ref()).options(options)
    }
}

handlers!(
    SessionObject,
    [cancel, resume, remove, get, wait, step, hand_out],
    [message, decide, watch, finish]
);

#[restate_sdk::object(name = "Sessions", client_visibility = "pub(super)")]
impl SessionObject {
    /// Adds a message of the user. While calls run, it waits for their ends.
    #[handler]
    async fn message(&self, ctx: ObjectContext<'_>, Json(message): Json<UserMessage>) -> HandlerResult<()> {
        let mut status = self.status(&ctx).await?;
        self.check_size(&status, &message)?;
        self.add(&ctx, Input::Message(message)).await?;
        if !status.has_calls() {
            self.queue_step(&ctx, &mut status);
        }
        ctx.set(STATUS, Json(status));
        Ok(())
    }

    /// Decides about a call that waits. A second decision is a conflict.
    #[handler]
    async fn decide(&self, ctx: ObjectContext<'_>, Json(decision): Json<Decision>) -> HandlerResult<()> {
        let mut status = self.status(&ctx).await?;
        if status.report.is_none() && !status.is_step_queued {
            return Err(no_session().into());
        }
        self.check_size(&status, &decision)?;
        status.decide(&decision).map_err(|reason| TerminalError::new_with_code(CONFLICT, reason))?;
        self.add(&ctx, Input::Decision(decision)).await?;
        self.queue_step(&ctx, &mut status);
        ctx.set(STATUS, Json(status));
        Ok(())
    }

    /// Cancels the calls and the session. A request that has been sent ends first.
    #[handler]
    async fn cancel(&self, ctx: ObjectContext<'_>) -> HandlerResult<()> {
        let mut status = self.status(&ctx).await?;
        let (input, running) = status.cancel();
        for invocation in running {
            ctx.invocation_handle(invocation).cancel();
        }
        self.add(&ctx, input).await?;
        self.queue_step(&ctx, &mut status);
        ctx.set(STATUS, Json(status));
        Ok(())
    }

    /// Runs the session again, without a change: after a failure, a limit or a cancellation.
    #[handler]
    async fn resume(&self, ctx: ObjectContext<'_>) -> HandlerResult<()> {
        let mut status = self.status(&ctx).await?;
        if status.report.is_none() && !status.is_step_queued {
            return Err(no_session().into());
        }
        self.queue_step(&ctx, &mut status);
        ctx.set(STATUS, Json(status));
        Ok(())
    }

    /// Removes the session.
    #[handler]
    async fn remove(&self, ctx: ObjectContext<'_>) -> HandlerResult<()> {
        let status = self.status(&ctx).await?;
        if status.is_step_queued || status.has_calls() {
            return Err(TerminalError::new_with_code(CONFLICT, "the session runs: cancel it first").into());
        }
        ctx.clear_all();
        Ok(())
    }

    /// The session after its last step.
    #[handler]
    async fn get(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<Option<Session>>> {
        Ok(Json(ctx.get::<Json<Session>>(SESSION).await?.map(Json::into_inner)))
    }

    /// Waits until the session has ended, or needs a person or another system.
    #[handler]
    async fn wait(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<Report>> {
        let (awakeable, report) = ctx.awakeable::<Json<Report>>();
        let target = RequestTarget::object(self.0.object(), ctx.key(), "watch");
        ctx.request::<_, ()>(target, awakeable).send();
        Ok(report.await?)
    }

    /// Registers who waits.
    #[handler]
    async fn watch(&self, ctx: ObjectContext<'_>, awakeable: String) -> HandlerResult<()> {
        let mut status = self.status(&ctx).await?;
        if let Some(report) = status.settled() {
            ctx.resolve_awakeable(&awakeable, Json(report.clone()));
        } else if status.is_step_queued || status.has_calls() {
            status.waiters.push(awakeable);
            ctx.set(STATUS, Json(status));
        } else {
            ctx.reject_awakeable(&awakeable, no_session());
        }
        Ok(())
    }

    /// Applies the inputs, and runs the session until its next reply.
    #[handler]
    async fn step(&self, ctx: ObjectContext<'_>) -> HandlerResult<()> {
        let status = self.status(&ctx).await?;
        if status.is_step_queued {
            self.run_step(&ctx, status).await?;
        }
        Ok(())
    }

    /// Sends the calls of the last step to workers.
    #[handler]
    async fn hand_out(&self, ctx: ObjectContext<'_>) -> HandlerResult<()> {
        let mut status = self.status(&ctx).await?;
        let sent: Vec<_> = std::mem::take(&mut status.unsent)
            .into_iter()
            .map(|call| {
                let (object, session) = (self.0.object().to_owned(), ctx.key().to_owned());
                let (id, target) =
                    (call.id.clone(), RequestTarget::service(self.0.service(&call.tool), "run_for_session"));
                (id, ctx.request::<_, ()>(target, Json(SessionCall { call, object, session })).send())
            })
            .collect();
        for (id, invocation) in sent {
            status.running.insert(id, invocation.await?.invocation_id().to_owned());
        }
        ctx.set(STATUS, Json(status));
        Ok(())
    }

    /// Takes the end of a call.
    #[handler]
    async fn finish(&self, ctx: ObjectContext<'_>, Json(finished): Json<Finished>) -> HandlerResult<()> {
        let Finished { id, end } = finished;
        let mut status = self.status(&ctx).await?;
        if !status.end(&id) {
            return Ok(());
        }
        let bytes = self.add(&ctx, Input::End { id, end }).await?;
        if !status.has_calls() && !status.is_step_queued && status.session_bytes + bytes < MAX_BYTES_AT_ONCE {
            return Ok(self.run_step(&ctx, status).await?);
        }
        if !status.has_calls() || bytes > MAX_WAITING_BYTES {
            self.queue_step(&ctx, &mut status);
        }
        ctx.set(STATUS, Json(status));
        Ok(())
    }
}

fn no_session() -> TerminalError {
    TerminalError::new_with_code(NOT_FOUND, "there is no such session")
}

impl SessionObject {
    /// Rejects an input that would make the session too large.
    fn check_size(&self, status: &Status, input: &impl Serialize) -> Result<(), TerminalError> {
        let (bytes, max_bytes) = (status.session_bytes + json_bytes(input), self.0.limits.max_session_bytes);
        if bytes <= max_bytes {
            return Ok(());
        }
        Err(TerminalError::new_with_code(TOO_LARGE, step::session_too_large(bytes, max_bytes)))
    }

    async fn status(&self, ctx: &ObjectContext<'_>) -> Result<Status, TerminalError> {
        Ok(ctx.get::<Json<Status>>(STATUS).await?.map_or_else(Status::default, Json::into_inner))
    }

    async fn inputs(&self, ctx: &ObjectContext<'_>) -> Result<Vec<Input>, TerminalError> {
        Ok(ctx.get::<Json<Vec<Input>>>(INPUTS).await?.map_or_else(Vec::new, Json::into_inner))
    }

    /// Applies the inputs, runs the session until its next reply, and informs those who wait.
    async fn run_step(&self, ctx: &ObjectContext<'_>, mut status: Status) -> Result<(), TerminalError> {
        let session = ctx.get::<Json<Session>>(SESSION).await?.map(Json::into_inner);
        let inputs = self.inputs(ctx).await?;
        let (agent, id) = (self.0.clone(), ctx.key().to_owned());
        let step = ctx.run(move || async move { Ok(Json(step::run(&agent, &id, session, inputs).await?)) });
        match step.name("step").retry_policy(self.request_retries()).await {
            Ok(Json(Stepped { session, session_bytes, report, inputs, continues })) => {
                status.session_bytes = session_bytes;
                status.stepped(report, session.handed_out(), continues);
                ctx.set(SESSION, Json(session));
                ctx.set(INPUTS, Json(inputs));
                if !status.unsent.is_empty() {
                    // Another invocation, so that a cancellation that waits for this step comes first.
                    self.send(ctx, "hand_out");
                }
                if status.is_step_queued {
                    self.send(ctx, "step");
                }
            }
            Err(error) => status.failed(error.message().to_owned()),
        }
        if let Some(report) = status.settled().cloned() {
            for awakeable in std::mem::take(&mut status.waiters) {
                ctx.resolve_awakeable(&awakeable, Json(report.clone()));
            }
        }
        ctx.set(STATUS, Json(status));
        Ok(())
    }

    /// Adds an input, and returns the bytes of all.
    async fn add(&self, ctx: &ObjectContext<'_>, input: Input) -> Result<usize, TerminalError> {
        let mut inputs = self.inputs(ctx).await?;
        inputs.push(input);
        let bytes = serde_json::to_vec(&inputs).map_err(TerminalError::from_error)?.len();
        ctx.set(INPUTS, Json(inputs));
        Ok(bytes)
    }

    /// Lets a step follow.
    fn queue_step(&self, ctx: &ObjectContext<'_>, status: &mut Status) {
        if !status.is_step_queued {
            status.is_step_queued = true;
            self.send(ctx, "step");
        }
    }

    /// Sends a request to another handler of this session.
    fn send(&self, ctx: &ObjectContext<'_>, handler: &str) {
        ctx.request::<_, ()>(RequestTarget::object(self.0.object(), ctx.key(), handler), ()).send();
    }

    fn request_retries(&self) -> RunRetryPolicy {
        RunRetryPolicy::new()
            .initial_delay(Duration::from_millis(500))
            .exponentiation_factor(2.0)
            .max_delay(Duration::from_secs(30))
            .max_duration(self.0.limits.retry_requests_for)
    }
}
