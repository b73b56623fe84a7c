//! Give async functions to language models as tools.
//!
//! Put [`#[tool]`](macro@tool) on a function: its signature and doc comment become a Tool Schema and a
//! dispatcher. A [`Registry`] collects the tools; [`Registry::schemas`] goes into the request, and
//! [`Registry::dispatch`] turns the `tool_calls` of the reply into exactly one paired message of role `tool`
//! per call, whatever the model sent and whatever the tools did.
#![doc = ""]
#![doc = include_str!("../../README.md")]

mod arguments;
mod dispatch;
mod messages;
mod nearest;
mod outcome;
mod output;
mod registry;
mod schema;
mod tool;
mod tool_choice;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use arguments::ArgumentFault;
pub use messages::{AssistantMessage, Content, Echo, Message, Prompt, ToolCall, ToolMessage};
pub use outcome::{CallError, Outcome};
pub use registry::{BuildError, BuildFault, Registry, RegistryBuilder};
pub use schema::ToolSchema;
pub use tool::ToolList;
pub use tool_choice::ToolChoice;
pub use tool_macros::tool;

pub use {schemars, serde, serde_json};
