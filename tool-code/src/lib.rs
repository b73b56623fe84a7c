//! A tool for applications with [`tool_runtime`] that runs programs of the model (code mode): the model writes one JavaScript program
//! that calls tools in loops and conditions, and reads only what the program returns.
//!
//! ```
//! use tool_runtime::session::RunEnd;
//! use tool_runtime::{Registry, Session, tool, tools};
//! use tool_runtime_code::CodeTool;
//! # use tool_runtime::conversation::Request;
//! # use tool_runtime::{AssistantMessage, ToolCall};
//! # async fn complete(request: Request) -> Result<AssistantMessage, std::io::Error> {
//! #     let code = "const orders = await tools.list_orders({ customer: 7 });
//! #         return await Promise.all(orders.map(order => tools.refund({ order })))";
//! #     Ok(match request.messages().len() {
//! #         1 => AssistantMessage::from_tool_calls([ToolCall::new("call_1", "run_code", serde_json::json!({ "code": code }).to_string())]),
//! #         _ => AssistantMessage::from_text("Done."),
//! #     })
//! # }
//!
//! /// Lists the numbers of the orders of a customer.
//! #[tool(read_only, output_schema)]
//! fn list_orders(customer: u32) -> Vec<u32> {
//!     (0..2).map(|n| customer * 10 + n).collect()
//! }
//!
//! /// Refunds an order.
//! #[tool(destructive, requires_approval)]
//! fn refund(order: u32) -> String {
//!     format!("order {order} is refunded")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let code = CodeTool::new(Registry::new(tools![list_orders, refund])?);
//! let registry = Registry::builder().dynamic(code.tool()).build()?;
//!
//! let mut session = Session::new().user("Refund the orders of customer 7.");
//! // The model calls `run_code` with a program, in place of each tool:
//! //     const orders = await tools.list_orders({ customer: 7 });
//! //     return await Promise.all(orders.map(order => tools.refund({ order })))
//! assert_eq!(session.run(&registry).complete(complete).await?, RunEnd::NeedsApproval);
//! for call in session.awaiting_approval() {
//!     println!("{call}"); // refund {"order":70}
//!     session.approve(&call.id)?;
//! }
//! // Days later, in another process that has loaded the session:
//! assert_eq!(session.run(&registry).complete(complete).await?, RunEnd::Answered);
//! assert_eq!(session.messages()[2].text(), r#"["order 70 is refunded","order 71 is refunded"]"#);
//! # Ok(())
//! # }
//! ```
//!
//! # Calls
//!
//! Each call inside a program is an [inner call](tool_runtime::CallContext::inner_call): it passes each step of a call of the model,
//! in the registry of the tools and in the run of the session. Its events have the id of the call of the program as `outer_call`. Calls
//! that the program does not await run as well, and the call of the program ends after them: if one of them fails after the program has
//! returned, the call of the program fails.
//!
//! - **JSON.** A result that is JSON is a value in the program. So is a text that is a JSON object or array, as MCP servers return. An
//!   integer beyond 2^53 - 1 is a text, since JavaScript would round it.
//! - **Whole results.** A program reads whole results. Middleware that shortens results for the model, such as `Spill` of
//!   `tool-runtime-compaction`, belongs to the registry of `run_code`, not to that of the tools.
//! - **Allowed tools.** [`RunContext::allowed_tools`](tool_runtime::RunContext::allowed_tools) applies to the calls of a program as well:
//!   list `run_code` and each tool that programs may call.
//! - **Order.** The calls of a program run concurrently if it does not wait for each, and their results return in the order of the
//!   calls, so a program makes the same calls each time it runs.
//!
//! # Programs that wait
//!
//! If a call needs an approval or a result from elsewhere, the program ends, and the run of the session with it. After the decision, the
//! program runs again from its beginning: calls that have ended return their recorded results, without another effect. Each call is
//! compared with that of the earlier run by its tool and its arguments; after the first difference, nothing new runs, and the model
//! reads why. The session stores these calls and their results.
//!
//! A program continues after a crash in the same way if the run has a journal (`tool-runtime-durable`): a destructive call that was
//! interrupted is not repeated, and throws an error of the kind `interrupted`. Without a journal, a
//! [claimed](tool_runtime::Session::claim) session does not know which calls had an effect, so the call of the program fails as
//! interrupted.
//!
//! If the program cannot continue, the error of `run_code` lists the calls that have begun: a person denies `run_code` itself, the user
//! sends another message, or the engine fails.
//!
//! In [`Registry::dispatch`](tool_runtime::Registry::dispatch), and in a worker of
//! [`run_handed_out`](tool_runtime::Registry::run_handed_out), nobody can decide later: a call that needs an approval throws an error.
//!
//! # Limits and engines
//!
//! [`Limits`] has the limits of a program. There is no clock, no randomness, no timer, no network, no file and no import, and local
//! times are those of UTC. [`QuickJs`] runs programs in this process, [`Worker`] in a process for each, and [`Engine`] is the trait for
//! other languages.
//!
//! A Tokio runtime is needed, with time enabled, and with I/O enabled for [`Worker`].
//!
//! # The description
//!
//! The description of the tool declares each tool with its documentation and the type of its result, if the tool has an output schema
//! (`#[tool(output_schema)]`): without it, models guess the fields of results. If the declarations are
//! [long](CodeTool::max_declared_bytes), the description has only the names, and a program finds the rest with
//! `await findTools("words")`.
//!
//! # Dependency
//!
//! An application depends on this package, in addition to `tool-runtime`:
//!
//! ```toml
//! [dependencies]
//! # In a project next to a checkout of the repository; after the first release: "0.1" in place of the path.
//! tool-runtime-code = { path = "../tool-runtime/tool-code" }
//! ```
//!
//! `rquickjs` compiles QuickJS-ng, so a C compiler is needed. The minimum version of Rust is 1.87.
#![warn(clippy::disallowed_methods)]

mod call_answer;
mod code_tool;
mod compute_clock;
mod declarations;
mod engine;
mod found_tools;
mod limits;
mod program_run;
mod quick_js;
mod report;
mod shortened;
mod worker;

pub use code_tool::CodeTool;
pub use engine::{
    CallAnswer, Declaration, Engine, EngineFuture, Host, Program, ProgramCall, ProgramEnd, ProgramTool,
};
pub use limits::Limits;
pub use quick_js::QuickJs;
pub use worker::{Worker, serve_worker};

/// The program of the README, compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
