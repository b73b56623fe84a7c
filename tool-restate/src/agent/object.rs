//! A session as a virtual object of the engine, which runs one handler of it at a time.
//!
//! `step`, and `finish` after the last call, may send a request to the model, and `wait` waits until the session settles. All other
//! handlers are short: a message, a decision or the end of a call is an input, which the next step applies. So no invocation that
//! changes a session waits for a person or for a tool. The commands of a handler depend on the stored state alone, so that a program
//! with other tools repeats them.

use super::Agent;
use super::calls::{SessionCall, attempt_name, retries};
use super::input::{Input, MAX_BYTES_AT_ONCE};
use super::named::{handlers, named};
use super::status::{Status, UnsentCall};
use super::step::{Outcome, Step};
use crate::protocol::{CONFLICT, Decision, NOT_FOUND, Report, TOO_LARGE, TOO_MANY_REQUESTS, UserMessage};
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
            .enable_lazy_state(true)
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
        let mut status = read_status(&ctx).await?;
        check_size(&status, &message)?;
        add(&ctx, &mut status, Input::Message(message));
        if !status.has_calls() {
            status.end_waiting();
            self.queue_step(&ctx, &mut status);
        }
        ctx.set(STATUS, Json(status));
        Ok(())
    }

    /// Decides about a call that waits. A second decision is a conflict.
    #[handler]
    async fn decide(&self, ctx: ObjectContext<'_>, Json(decision): Json<Decision>) -> HandlerResult<()> {
        let mut status = read_status(&ctx).await?;
        check_exists(&status)?;
        check_size(&status, &decision)?;
        status.decide(&decision).map_err(|reason| TerminalError::new_with_code(CONFLICT, reason))?;
        add(&ctx, &mut status, Input::Decision(decision));
        self.queue_step(&ctx, &mut status);
        ctx.set(STATUS, Json(status));
        Ok(())
    }

    /// Cancels the calls and the session. A request that has been sent ends first.
    #[handler]
    async fn cancel(&self, ctx: ObjectContext<'_>) -> HandlerResult<()> {
        let mut status = read_status(&ctx).await?;
        check_exists(&status)?;
        if !status.is_active() {
            return Ok(());
        }
        let (input, running) = status.cancel();
        for invocation in running {
            ctx.invocation_handle(invocation).cancel();
        }
        add(&ctx, &mut status, input);
        // The queued step may be one that waits before it repeats a request.
        status.is_step_queued = true;
        self.send(&ctx, "step");
        ctx.set(STATUS, Json(status));
        Ok(())
    }

    /// Runs the session again, without a change: after a failure, a limit or a cancellation.
    #[handler]
    async fn resume(&self, ctx: ObjectContext<'_>) -> HandlerResult<()> {
        let mut status = read_status(&ctx).await?;
        check_exists(&status)?;
        add(&ctx, &mut status, Input::Resume);
        if !status.has_calls() {
            // An operator may have cancelled the queued step.
            status.is_step_queued = true;
            self.send(&ctx, "step");
        }
        ctx.set(STATUS, Json(status));
        Ok(())
    }

    /// Removes the session.
    #[handler]
    async fn remove(&self, ctx: ObjectContext<'_>) -> HandlerResult<()> {
        let status = read_status(&ctx).await?;
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
        let mut status = read_status(&ctx).await?;
        if let Some(report) = status.settled() {
            ctx.resolve_awakeable(&awakeable, Json(report.clone()));
        } else if status.exists() {
            if let Some(oldest) = status.add_waiter(awakeable) {
                let reason = "too many requests wait for this session: wait again";
                ctx.reject_awakeable(&oldest, TerminalError::new_with_code(TOO_MANY_REQUESTS, reason));
            }
            ctx.set(STATUS, Json(status));
        } else {
            ctx.reject_awakeable(&awakeable, no_session());
        }
        Ok(())
    }

    /// Applies the inputs, and runs the session until its next reply.
    #[handler]
    async fn step(&self, ctx: ObjectContext<'_>) -> HandlerResult<()> {
        let status = read_status(&ctx).await?;
        if status.is_step_queued {
            self.run_step(&ctx, status).await?;
        }
        Ok(())
    }

    /// Sends the calls of the last step to workers.
    #[handler]
    async fn hand_out(&self, ctx: ObjectContext<'_>) -> HandlerResult<()> {
        let mut status = read_status(&ctx).await?;
        let sent: Vec<_> = std::mem::take(&mut status.unsent)
            .into_iter()
            .map(|UnsentCall { call, service }| {
                let (object, session) = (self.0.object().to_owned(), ctx.key().to_owned());
                let (id, target) = (call.id.clone(), RequestTarget::service(service, "run_for_session"));
                (id, ctx.request::<_, ()>(target, Json(SessionCall { call, object, session })).send())
            })
            .collect();
        for (id, invocation) in sent {
            // An operator may cancel this invocation. The call is sent nevertheless.
            let invocation = invocation.await.map(|invocation| invocation.invocation_id().to_owned());
            status.running.insert(id, invocation.unwrap_or_default());
        }
        ctx.set(STATUS, Json(status));
        Ok(())
    }

    /// Takes the end of a call.
    #[handler]
    async fn finish(&self, ctx: ObjectContext<'_>, Json(finished): Json<Finished>) -> HandlerResult<()> {
        let Finished { id, end } = finished;
        let mut status = read_status(&ctx).await?;
        if !status.remove_running(&id) {
            return Ok(());
        }
        add(&ctx, &mut status, Input::End { id, end });
        let bytes = status.inputs.bytes();
        if !status.has_calls() && !status.is_step_queued && status.session_bytes + bytes < MAX_BYTES_AT_ONCE {
            return Ok(self.run_step(&ctx, status).await?);
        }
        if !status.has_calls() || bytes > MAX_BYTES_AT_ONCE {
            self.queue_step(&ctx, &mut status);
        }
        ctx.set(STATUS, Json(status));
        Ok(())
    }
}

async fn read_status(ctx: &ObjectContext<'_>) -> Result<Status, TerminalError> {
    Ok(ctx.get::<Json<Status>>(STATUS).await?.map_or_else(Status::default, Json::into_inner))
}

fn no_session() -> TerminalError {
    TerminalError::new_with_code(NOT_FOUND, "there is no such session")
}

fn check_exists(status: &Status) -> Result<(), TerminalError> {
    if status.exists() { Ok(()) } else { Err(no_session()) }
}

/// Rejects an input that would make the session too large.
fn check_size(status: &Status, input: &impl Serialize) -> Result<(), TerminalError> {
    status.check_size(input).map_err(|reason| TerminalError::new_with_code(TOO_LARGE, reason))
}

/// The name of an input in the state.
fn input_name(number: u64) -> String {
    format!("input-{number}")
}

/// Stores an input for the next step.
fn add(ctx: &ObjectContext<'_>, status: &mut Status, input: Input) {
    let number = status.inputs.add(&input);
    ctx.set(&input_name(number), Json(input));
}

/// Reads an input of the step.
async fn read_input(ctx: &ObjectContext<'_>, number: u64) -> Result<Option<Input>, TerminalError> {
    let name = input_name(number);
    Ok(ctx.get::<Json<Input>>(&name).await?.map(Json::into_inner))
}

impl SessionObject {
    /// Applies the inputs, runs the session until its next reply, and informs those who wait.
    async fn run_step(&self, ctx: &ObjectContext<'_>, mut status: Status) -> Result<(), TerminalError> {
        let pause = match self.record_step(ctx, &status).await {
            Ok(Outcome::Stepped(stepped)) => {
                for &number in &stepped.taken {
                    ctx.clear(&input_name(number));
                }
                ctx.set(SESSION, Json(status.take_result(*stepped)));
                if !status.unsent.is_empty() {
                    // Another invocation, so that a cancellation that waits for this step comes first.
                    self.send(ctx, "hand_out");
                }
                status.is_step_queued.then_some(Duration::ZERO)
            }
            Ok(Outcome::Failed(error)) => status.retry_after_error(error),
            Ok(Outcome::GivenUp) => status.retry_after_end_of_worker(),
            Err(error) => {
                // An operator has cancelled the invocation.
                status.fail(error.message().to_owned());
                None
            }
        };
        if let Some(pause) = pause {
            self.send_after(ctx, "step", pause);
        }
        if let Some(report) = status.settled().cloned() {
            for awakeable in std::mem::take(&mut status.waiters) {
                ctx.resolve_awakeable(&awakeable, Json(report.clone()));
            }
        }
        ctx.set(STATUS, Json(status));
        Ok(())
    }

    /// Reads the session and its inputs, runs the step, and records its outcome.
    async fn record_step(&self, ctx: &ObjectContext<'_>, status: &Status) -> Result<Outcome, TerminalError> {
        let session = ctx.get::<Json<Session>>(SESSION).await?.map(Json::into_inner);
        let selected = status.inputs.select(status.has_calls());
        let mut inputs = Vec::new();
        for &number in &selected.numbers {
            inputs.extend(read_input(ctx, number).await?.map(|input| (number, input)));
        }
        let attempt = attempt_name();
        let own = attempt.clone();
        // An attempt that waits for this record is the one that the engine knows. Otherwise a process that was frozen would send a
        // request that another one has sent meanwhile.
        let first = ctx.run(move || async move { Ok(own) }).name("begin").await?;
        let (agent, session_id) = (self.0.clone(), ctx.key().to_owned());
        let step = Step { session_id, session, inputs, selected };
        let outcome = ctx.run(move || async move {
            Ok(Json(if first == attempt { step.run(&agent).await } else { Outcome::GivenUp }))
        });
        Ok(outcome.name("step").await?.into_inner())
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
        self.send_after(ctx, handler, Duration::ZERO);
    }

    fn send_after(&self, ctx: &ObjectContext<'_>, handler: &str, pause: Duration) {
        let request = ctx.request::<_, ()>(RequestTarget::object(self.0.object(), ctx.key(), handler), ());
        if pause.is_zero() {
            request.send()
        } else {
            request.send_after(pause)
        };
    }
}
