//! Sessions and tool calls on many machines.
#![warn(clippy::disallowed_methods)]

#[cfg(feature = "agent")]
mod agent;
mod admin;
mod engine;
mod protocol;
mod remote;
mod sessions;

#[cfg(feature = "agent")]
pub use agent::{Agent, Calls, InvalidNameError, PermanentError};
pub use admin::Admin;
pub use engine::{EngineError, PausedInvocation};
pub use protocol::{Report, SessionEnd};
pub use remote::{Remote, RemoteFuture, remote};
pub use sessions::{SessionRequest, Sessions};
#[cfg(feature = "agent")]
#[doc(no_inline)]
pub use restate_sdk::prelude::{Endpoint, HttpServer};
