//! The server and the client, with each other, with scripted peers, and with processes that are killed.

#[cfg(feature = "http-client")]
mod authorization;
mod changes;
mod client;
#[cfg(unix)]
mod declared_order;
mod hostile;
mod hostile_bodies;
mod hostile_clients;
mod hostile_servers;
mod http;
#[cfg(all(unix, feature = "http-client"))]
mod http_client;
#[cfg(unix)]
mod killed_servers;
mod limits_of_answers;
mod lost_connections;
mod malformed_responses;
mod meta;
#[cfg(feature = "oauth")]
mod oauth;
mod peer;
#[cfg(unix)]
mod process;
mod prompts;
mod questions;
mod recorded_definitions;
mod resources;
mod server;
mod server_tokens;
mod tasks;
