//! Engines, which run programs.

use crate::found_tools::FIND_TOOLS;
use crate::limits::Limits;
use serde::{Deserialize, Serialize};
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Runs programs of a language. [`QuickJs`](crate::QuickJs) is one for JavaScript.
///
/// An engine does not know the registry. It passes the calls of the program to the [`Host`], which returns one answer at a time, in
/// the order of the calls. A program must make the same calls each time it runs with the same results, since a program that has
/// waited for a person runs again. So an engine has no clock and no randomness, and delivers results in the order of the calls.
///
/// An engine for programs whose lines are the numbers of orders to pack:
///
/// ```
/// use tool_runtime_code::{Declaration, Engine, EngineFuture, Host, Limits, Program, ProgramCall, ProgramEnd};
///
/// struct Lines;
///
/// impl Engine for Lines {
///     fn run(&self, program: Program, mut host: Host) -> EngineFuture {
///         Box::pin(async move {
///             let mut printed = String::new();
///             for order in program.code.lines() {
///                 let call = ProgramCall::new("pack", format!(r#"{{"order":{order}}}"#));
///                 let Some(answer) = host.next_answer(vec![call]).await else { break };
///                 printed.push_str(&format!("{answer:?}\n"));
///             }
///             ProgramEnd::returned(None, printed)
///         })
///     }
///
///     fn instructions(&self, _: &Limits) -> String {
///         "Each line is the number of an order.".to_owned()
///     }
///
///     fn declaration(&self, tool: &Declaration<'_>) -> String {
///         format!("{}: {}", tool.name, tool.documentation)
///     }
///
///     fn search_instructions(&self) -> String {
///         "There is no search.".to_owned()
///     }
/// }
/// ```
pub trait Engine: Send + Sync + 'static {
    /// Runs a program to its end. When the future is dropped, the program must stop.
    fn run(&self, program: Program, host: Host) -> EngineFuture;

    /// The description of the language for the model, which begins the description of the tool: how a program is written, and what it
    /// does not have.
    fn instructions(&self, limits: &Limits) -> String;

    /// The declaration of a tool for the model: its documentation, and how a program calls it.
    fn declaration(&self, tool: &Declaration<'_>) -> String;

    /// How a program searches the tools, for a description that does not declare them. A search is a
    /// [`ProgramCall::search`], and its answer is the text of the declarations.
    fn search_instructions(&self) -> String;
}

impl<E: Engine + ?Sized> Engine for Arc<E> {
    fn run(&self, program: Program, host: Host) -> EngineFuture {
        (**self).run(program, host)
    }

    fn instructions(&self, limits: &Limits) -> String {
        (**self).instructions(limits)
    }

    fn declaration(&self, tool: &Declaration<'_>) -> String {
        (**self).declaration(tool)
    }

    fn search_instructions(&self) -> String {
        (**self).search_instructions()
    }
}

/// The future of an [`Engine`].
pub type EngineFuture = Pin<Box<dyn Future<Output = ProgramEnd> + Send>>;

/// A program that the model has written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Program {
    /// Its text.
    pub code: String,
    /// The tools that it may call.
    pub tools: Vec<ProgramTool>,
    /// Its limits.
    pub limits: Limits,
}

impl Program {
    /// A program.
    #[must_use]
    pub fn new(code: impl Into<String>, tools: Vec<ProgramTool>, limits: Limits) -> Self {
        Program { code: code.into(), tools, limits }
    }
}

/// A tool that a program may call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProgramTool {
    /// Its name.
    pub name: String,
    /// The names of its parameters, in the order of its schema: an engine may read arguments without names by it.
    pub parameters: Vec<String>,
}

impl ProgramTool {
    /// A tool.
    #[must_use]
    pub fn new(name: impl Into<String>, parameters: Vec<String>) -> Self {
        ProgramTool { name: name.into(), parameters }
    }
}

/// The signature of a tool, from which an engine writes its declaration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Declaration<'a> {
    /// The name of the tool.
    pub name: &'a str,
    /// Its documentation, in one line; may be empty.
    pub documentation: &'a str,
    /// The type of its arguments: `{city: string, days?: integer = 0}`; empty if it has none.
    pub arguments: &'a str,
    /// The type of its result; `None` if it is not known.
    pub result: Option<&'a str>,
}

/// A call that a program has made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProgramCall {
    /// The name of the tool.
    pub tool: String,
    /// The text of one JSON object.
    pub arguments: String,
}

impl ProgramCall {
    /// A call.
    #[must_use]
    pub fn new(tool: impl Into<String>, arguments: impl Into<String>) -> Self {
        ProgramCall { tool: tool.into(), arguments: arguments.into() }
    }

    /// A search of the tools whose definitions have these words.
    #[must_use]
    pub fn search(words: impl Into<String>) -> Self {
        ProgramCall::new(FIND_TOOLS, serde_json::json!({ "query": words.into() }).to_string())
    }
}

/// The result of a call, for the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum CallAnswer {
    /// The text of a JSON value.
    Json(String),
    /// Any other text.
    Text(String),
    /// The call has failed.
    #[non_exhaustive]
    Failed {
        /// The kind of the error, such as `timeout`.
        kind: String,
        /// The message.
        message: String,
    },
}

/// How a program ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProgramEnd {
    /// The JSON of its value, or `None` if it has none; or the text of its error.
    pub value: Result<Option<String>, String>,
    /// The text that it has printed.
    pub printed: String,
}

impl ProgramEnd {
    /// The end of a program with this value, as JSON.
    #[must_use]
    pub fn returned(value: Option<String>, printed: impl Into<String>) -> Self {
        ProgramEnd { value: Ok(value), printed: printed.into() }
    }

    /// The end of a program with an error.
    #[must_use]
    pub fn failed(error: impl Into<String>, printed: impl Into<String>) -> Self {
        ProgramEnd { value: Err(error.into()), printed: printed.into() }
    }
}

/// The calls of a program, on the side of its engine.
#[derive(Debug)]
pub struct Host {
    calls: mpsc::UnboundedSender<Vec<ProgramCall>>,
    answers: mpsc::UnboundedReceiver<CallAnswer>,
}

/// The calls of a program, on the side of the tools.
#[derive(Debug)]
pub(crate) struct Calls {
    pub(crate) calls: mpsc::UnboundedReceiver<Vec<ProgramCall>>,
    pub(crate) answers: mpsc::UnboundedSender<CallAnswer>,
}

impl Host {
    pub(crate) fn new() -> (Host, Calls) {
        let ((calls, received), (answers, sent)) = (mpsc::unbounded_channel(), mpsc::unbounded_channel());
        (Host { calls, answers: sent }, Calls { calls: received, answers })
    }

    /// Starts these calls, and waits for the next answer in the order of all calls. `calls` may be empty if an earlier call has no
    /// answer yet. `None` if the program must stop.
    pub async fn next_answer(&mut self, calls: Vec<ProgramCall>) -> Option<CallAnswer> {
        self.calls.send(calls).ok()?;
        self.answers.recv().await
    }

    /// Like [`next_answer`](Host::next_answer), for a thread of its own.
    pub fn blocking_next_answer(&mut self, calls: Vec<ProgramCall>) -> Option<CallAnswer> {
        self.calls.send(calls).ok()?;
        self.answers.blocking_recv()
    }
}
