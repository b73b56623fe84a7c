//! x
#![cfg_attr(docsrs, feature(doc_cfg))]
#[cfg(feature = "client")]
mod client;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "client")]
pub use client::{Client, ClientBuilder, ClientError, ConnectError, RemoteError, RemoteTool};
#[cfg(feature = "http-server")]
pub use server::HttpService;
#[cfg(feature = "server")]
pub use server::{McpRequest, ServeError, Server, ServerHandle, serve};
pub use rmcp;
