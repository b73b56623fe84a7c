//! The [Model Context Protocol](https://modelcontextprotocol.io) for [`tool_runtime`], in both directions.
//!
//! - [`serve`] makes the tools of a [`Registry`](tool_runtime::Registry) an MCP server: over standard input and output, or as a
//!   `tower` service over streamable HTTP.
//! - [`Client`] makes the tools of an MCP server tools of a registry: from a child process, or over streamable HTTP.
//!
//! As in `tool_runtime`, each call has exactly one result, in both directions: even if the tool panics, the server is
//! killed, or its response is invalid.
//!
//! ```no_run
//! use tool_runtime::{Registry, tool};
//! # #[cfg(feature = "server")]
//! use tool_runtime_mcp::serve;
//!
//! /// Look up the weather of a city.
//! #[tool(read_only)]
//! async fn get_weather(city: &str) -> String {
//!     format!("{city}: sunny")
//! }
//!
//! # #[cfg(feature = "server")]
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     Ok(serve(Registry::collect()?).name("weather", "1.0.0").stdio().await?)
//! }
//! # #[cfg(not(feature = "server"))]
//! # fn main() {}
//! ```
//!
//! Two examples: `serve` is a server with every kind of result, and `bridge` joins the tools of several servers.
//!
//! | Task | Documentation |
//! | --- | --- |
//! | a server for a desktop application or an editor | [`Server::stdio`] |
//! | a server in an `axum` application | [`Server::http_service`] |
//! | a server that requires tokens of an authorisation server | [`Server::bearer_tokens`] |
//! | state of a user, tools of a user | [`Server::context_per_request`], [`Server::try_context_per_request`] |
//! | approval of calls by a rule of the server | [`RegistryBuilder::before_call`](tool_runtime::RegistryBuilder::before_call) |
//! | a tool that asks the user of its client | [`CallContext::ask`](tool_runtime::CallContext::ask) |
//! | other tools while the server runs | [`Server::handle`] |
//! | resources and prompts of a server | [`Server::resource`], [`Server::resource_template`], [`Server::prompt`], [`Server::completion`] |
//! | updates of resources, log messages of a server | [`ServerHandle::resource_updated`], [`LogLevel`] |
//! | the tools of a server in a registry | [`Client::registry`], [`Registry::merge`](tool_runtime::Registry::merge) |
//! | approval, time limit or annotations of a remote tool | [`ClientBuilder::tool`] |
//! | a token that changes | [`ClientBuilder::bearer_token`] |
//! | sign-in of a person or a program at a server | [`ClientBuilder::oauth`], [`OAuth`] |
//! | other headers | [`Client::http_with`] |
//! | a server whose tools change | [`Client::changed`] |
//! | questions of a server to the user | [`RunContext::on_question`](tool_runtime::RunContext::on_question), [`Session::awaiting_input`](tool_runtime::Session::awaiting_input), [`Client`](Client#questions) |
//! | a call that may take long while it makes progress | [`ClientBuilder::progress_extends_timeout`] |
//! | resources of a server, for the program or the model | [`Client::read_resource`], [`Client::resource_contents`], [`ClientBuilder::resource_tools`] |
//! | prompts of a server | [`Client::prompts`], [`Client::prompt`] |
//! | log messages of a server | [`ClientBuilder::on_log`] |
//!
//! # Features
//!
//! No feature is enabled by default. The number of crates is that of `cargo tree`, including those of `tool-runtime` with its
//! default features, which this crate neither needs nor enables: the program decides on them.
//!
//! | Feature | Content | Crates |
//! | --- | --- | --- |
//! | `server` | [`serve`] over standard input and output, and other transports of [`rmcp`]. | 72 |
//! | `http-server` | [`Server::http_service`]. Includes `server`. | 82 |
//! | `client` | [`Client`] of child processes, and over other transports of [`rmcp`]. | 74 |
//! | `http-client` | [`Client::http`] with TLS. Includes `client`. | 134 |
//! | `oauth` | [`ClientBuilder::oauth`]. Includes `http-client`. | 144 |
//! | `oauth-jwt` | [`OAuth::private_key_jwt`]. Includes `oauth`. | 158 |
//!
//! [`rmcp`], the official SDK, implements the protocol. Its transports and settings are part of the API of this crate.
//! It supports the versions from 2024-11-05 to 2026-07-28. This crate supports tools, their
//! questions (elicitation with a form), resources, prompts, completion (on servers), log messages, tasks (on clients) and
//! authorisation, but not sampling, roots and elicitation with a URL.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::disallowed_methods)]
#![cfg_attr(not(all(feature = "http-server", feature = "oauth-jwt")), allow(rustdoc::broken_intra_doc_links))]

#[cfg(feature = "client")]
mod client;
#[cfg(any(feature = "client", feature = "server"))]
mod closable_transport;
#[cfg(any(feature = "client", feature = "server"))]
mod error_prefix;
#[cfg(any(feature = "client", feature = "server"))]
mod limited_transport;
#[cfg(any(feature = "client", feature = "server"))]
mod line_transport;
#[cfg(any(feature = "client", feature = "server"))]
mod log_level;
#[cfg(any(feature = "client", feature = "server"))]
mod message_size;
#[cfg(any(feature = "client", feature = "server"))]
mod repaired_reader;
#[cfg(feature = "server")]
mod server;
#[cfg(any(feature = "client", feature = "server"))]
mod surrogates;

#[cfg(feature = "oauth")]
pub use client::OAuth;
#[cfg(feature = "client")]
pub use client::{
    Client, ClientBuilder, ClientError, ConnectError, ListKind, LogMessage, RemoteError, RemoteTool,
};
#[cfg(any(feature = "client", feature = "server"))]
pub use log_level::LogLevel;
#[cfg(feature = "http-server")]
pub use server::{Access, Authorization, AuthorizationError, HttpService, MetadataService, TokenRejection};
#[cfg(feature = "server")]
pub use server::{
    Completion, CompletionRequest, McpRequest, PromptMessages, PromptRequest, ResourceBody, ResourceRequest,
    ServeError, Server, ServerHandle, UriTemplateError, serve,
};

// Its types occur in the API of this crate.
pub use rmcp;

/// The programs of the README, compiled as tests.
#[cfg(all(doctest, feature = "client", feature = "server"))]
#[doc = include_str!("../README.md")]
struct Readme;
