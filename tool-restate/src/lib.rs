//! Sessions and tool calls of [`tool-runtime`](tool_runtime) on many machines, on [Restate](https://restate.dev).
//!
//! Servers are several processes, approvals take days, programs are deployed in the middle of a run, and some tools need other
//! machines. The engine stores sessions and the progress of calls, and repeats what a process has not finished on another one. This
//! package has the parts around it:
//!
//! - [`Agent`]: the handlers of sessions and calls, which any number of worker processes serve;
//! - [`Sessions`]: the client for web servers, which needs only HTTP;
//! - [`remote()`]: middleware for programs that keep their loop, whose calls run on workers ([`Calls`]);
//! - [`Admin`]: registers workers, and reports invocations that are paused.
//!
//! The worker:
//!
//! ```no_run
//! use tool_runtime::{Registry, Session, tool};
//! use tool_runtime_restate::{Agent, serve};
//! # use tool_runtime::AssistantMessage;
//! # use tool_runtime::conversation::Request;
//! # async fn complete(_: Request) -> std::io::Result<AssistantMessage> { Ok(AssistantMessage::from_text("Done.")) }
//!
//! /// Refunds an order.
//! #[tool(destructive, requires_approval)]
//! async fn refund(order: u32) -> String {
//!     format!("order {order} is refunded")
//! }
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let agent = Agent::new(Registry::collect()?, complete).first(|| Session::new().system("You run a shop."));
//! serve(agent.endpoint(), "0.0.0.0:9080".parse()?).await?;
//! # Ok(())
//! # }
//! ```
//!
//! The web server:
//!
//! ```no_run
//! use tool_runtime_restate::Sessions;
//!
//! # async fn handle() -> Result<(), tool_runtime_restate::EngineError> {
//! let sessions = Sessions::at("http://restate:8080");
//! sessions.message("s-7", "Refund order 7.").key("message-1").await?;
//! let report = sessions.wait("s-7").await?;
//! for call in report.awaiting_approval {
//!     sessions.approve("s-7", &call.id).await?; // days later, from anywhere
//! }
//! # Ok(())
//! # }
//! ```
//!
//! `cargo run -p tool-runtime-restate --example shop`, in a checkout of the repository, runs both with an engine of its own.
//!
//! # Which package
//!
//! | The program | Use |
//! | --- | --- |
//! | one process on one machine | `tool-runtime-durable`: a journal in a file, no server |
//! | keeps its loop and streams its replies; its calls run elsewhere | [`remote()`], with `journal_replies` of `tool-runtime-durable` |
//! | several processes, approvals that take days, deployments in the middle of a run | [`Agent`] and [`Sessions`] |
//!
//! # Promises
//!
//! A worker or the engine ends at some moment, or a worker is frozen and continues later. The result depends on the annotations of the
//! tool in the process that handed the call out:
//!
//! | The process ends | `read_only` or `idempotent` | any other tool |
//! | --- | --- | --- |
//! | before the reply is recorded | no call has begun; the model is asked again | no call has begun; the model is asked again |
//! | after the reply is recorded, before the call begins | the call runs | the call runs |
//! | after the call has begun, before its effect | the call runs again | it does not run again, and there is no effect; its result is the error below |
//! | after its effect, before its result is recorded | the call runs again: a second effect, unless the tool prevents it | it does not run again; its result is the error below |
//! | after its result is recorded | the recorded result | the recorded result |
//!
//! The error is `` Error: `charge` was interrupted. It may have taken effect: check whether it did. `` So the effect of a call whose tool
//! is neither `read_only` nor `idempotent` occurs at most once, and that of an `idempotent` tool at least once; with
//! [`CallContext::idempotency_key`](tool_runtime::CallContext::idempotency_key), which is the same in each process, exactly once. Each call
//! has one result, and the model is not asked again for a recorded reply. If a worker is frozen while it sends a request, and continues later,
//! the engine drops its reply.
//!
//! - **Requests of web servers.** A message, a decision or a result with its [key](SessionRequest::key) counts once, however often it is
//!   sent, while the engine [remembers keys](Agent::idempotency_retention). A second decision about one call is
//!   [`EngineError::Conflict`] at any time, also without a key.
//! - **Order.** A message that arrives while calls run waits for their ends, and decisions that arrive meanwhile come before it; calls that
//!   still wait for a person are skipped then. Otherwise, messages and decisions keep their order.
//! - **Time.** No invocation waits for a person: a decision may come after years, in another version of the program.
//! - **Deployments.** A session continues with the tools of the new program. A call that was handed out runs in the new program, and fails
//!   if its tool is missing there.
//! - **Events** arrive at least once: see [`Agent::on_event`].
//! - **Cancellation** stops calls that have not begun. A tool that runs is not stopped, and its result is dropped.
//! - A call whose tool makes [inner calls](tool_runtime::CallContext::inner_call) is one call here: an inner call that needs an approval
//!   fails.
//!
//! # Limits
//!
//! | Value | Limit | Beyond the limit |
//! | --- | --- | --- |
//! | a session, as JSON | 10 MiB ([`Agent::max_session_bytes`]) | a result is an error for the model, a message is rejected, a reply or the first message ends the session with [`SessionEnd::Failed`] |
//! | a result, as JSON | 10 MiB ([`Calls::max_result_bytes`]) | an error for the model |
//! | a request of [`Sessions`] or [`remote()`] | 10 MiB | [`EngineError::TooLarge`], before it is sent |
//! | a call | the longest time limit of the tools, and 24 hours if one has none ([`Calls::longest_call`]), and 10 minutes | a `read_only` or `idempotent` call runs again, any other call is interrupted |
//! | a request to the model | one hour ([`Agent::longest_request`]) | it is sent again |
//! | a request to the model that fails, and a panic of the program | 10 minutes of attempts ([`Agent::retry_requests_for`]) | [`SessionEnd::Failed`]; [`Sessions::resume`] tries again |
//! | attempts of a step whose worker ends | 1,000, which take some hours | [`SessionEnd::Failed`]; [`Sessions::resume`] tries again |
//! | attempts of any other invocation whose worker ends | 10,000, which take about a day | the invocation is paused: [`EngineError::Paused`], [`Admin::paused`] |
//! | keys of requests | 7 days ([`Agent::idempotency_retention`]) | a message that arrives again is a second message |
//! | results of calls of [`remote()`] | 7 days ([`Calls::idempotency_retention`]) | a call that is sent again runs again |
//! | requests of [`Sessions::wait`] for one session at once | 1,000 | the oldest ends with the status 429 |
//!
//! # Deployment
//!
//! 1. Run the engine, with a `RESTATE_NODE_NAME` that does not change: its data is in a folder of this name. `compose.yaml` of this package
//!    starts it with three workers; the [documentation of Restate](https://docs.restate.dev) describes clusters and backups.
//! 2. Start the worker processes at one address, such as that of a service of Kubernetes. Only the engine needs to reach it. Set the
//!    [key](restate_sdk::endpoint::Builder::identity_key) of the engine with [`Agent::bind`] if others can.
//! 3. Register the address once, and after each deployment at the same address: [`Admin::register`], or
//!    `restate deployments register --force`.
//! 4. Give the web servers the address of the ingress (port 8080). The ingress and the administration (port 9070) have no access
//!    control: let only these servers reach them.
//!
//! To stop a session, [cancel](Sessions::cancel) it. To stop a call by hand, cancel its invocation of `run_for_session` in the engine.
//! Do not cancel other invocations there, and kill none: a step or the end of a call is lost, and its session then waits until it is
//! cancelled.
//!
//! Calls and sessions of several agents on one engine need [names](Agent::name), and tools on other machines a service of their own
//! ([`Agent::run_on`]).
//!
//! The engine has the arguments and the results of all calls. It is licensed under the Business Source License 1.1, and its SDK under MIT.
//! The minimum Rust version is 1.90, that of the SDK.
#![warn(clippy::disallowed_methods)]

mod admin;
#[cfg(feature = "agent")]
mod agent;
mod engine;
mod engine_error;
mod protocol;
mod remote;
mod sessions;

pub use admin::Admin;
#[cfg(feature = "agent")]
pub use agent::{Agent, Calls, InvalidNameError, PermanentError, serve};
pub use engine_error::{EngineError, PausedInvocation};
pub use protocol::{Report, SessionEnd};
pub use remote::{Remote, RemoteFuture, remote};
/// The SDK, for endpoints with other services.
#[cfg(feature = "agent")]
#[doc(no_inline)]
pub use restate_sdk;
#[cfg(feature = "agent")]
#[doc(no_inline)]
pub use restate_sdk::prelude::Endpoint;
pub use sessions::{SessionRequest, Sessions};

/// The programs of the README, compiled as tests.
#[cfg(all(doctest, feature = "agent"))]
#[doc = include_str!("../README.md")]
struct Readme;
