//! The server and the client, with each other, with scripted peers, and with processes that are killed.

mod client;
mod hostile_servers;
mod killed_servers;
mod lost_connections;
mod peer;
mod recorded_definitions;
mod server;
