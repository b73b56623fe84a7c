//! The client against a server that checks each request by the rules of its provider, and that fails on command.

mod broken_streams;
mod environment;
mod quick_start;
mod retries;
mod secrets;
mod sessions;
mod settings;
mod setup;
/// The formats of the providers, which the tests of sessions have as well.
#[path = "../../../tests/sessions"]
mod shared {
    pub(crate) mod formats;
    #[allow(dead_code, reason = "the tests of sessions plan further replies")]
    pub(crate) mod planned_reply;
}
#[cfg(feature = "bedrock")]
mod signatures;
mod streams;
mod stub;
mod waits;
mod weather;
mod wires;

use shared::{formats, planned_reply};
