//! Code mode for programs with [`tool_runtime`].
#![warn(clippy::disallowed_methods)]

mod code_tool;
mod declarations;
mod engine;
mod exact_numbers;
mod found_tools;
mod limits;
mod program_run;
mod quick_js;
mod report;
mod worker;

pub use code_tool::CodeTool;
pub use engine::{CallAnswer, Declaration, Engine, EngineFuture, Host, Program, ProgramCall, ProgramEnd};
pub use limits::Limits;
pub use quick_js::QuickJs;
pub use worker::{Worker, serve_worker};
