//! The server and the client, with each other, with scripted peers, and with processes that are killed.

mod client;
mod hostile_servers;
#[cfg(all(unix, feature = "http-client"))]
mod http_client;
#[cfg(unix)]
mod killed_servers;
mod lost_connections;
mod malformed_responses;
mod peer;
#[cfg(unix)]
mod process;
mod recorded_definitions;
mod server;
