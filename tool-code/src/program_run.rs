//! One run of a program: its calls start when it makes them, and their results return in the order of the calls.

use crate::call_answer::call_answer;
use crate::compute_clock::ComputeClock;
use crate::engine::{CallAnswer, Calls, Engine, Host, Program, ProgramCall, ProgramEnd};
use crate::found_tools::{FIND_TOOLS, FoundTools};
use crate::limits::Limits;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use std::collections::BTreeMap;
use std::time::Duration;
use tool_runtime::conversation::InnerCallError;
use tool_runtime::dispatch::ToolResult;
use tool_runtime::{CallContext, Registry};

/// A call of a program.
#[derive(Debug)]
pub(crate) struct MadeCall {
    pub(crate) call: ProgramCall,
    pub(crate) is_read_only: bool,
    pub(crate) state: CallState,
}

#[derive(Debug)]
pub(crate) enum CallState {
    /// It has no result.
    Open,
    Succeeded,
    /// The kind and the message of its error.
    Failed(String),
    /// Its tool did not run.
    Rejected(String),
}

/// A program and its surroundings.
pub(crate) struct ProgramRun<'a> {
    pub(crate) program: Program,
    pub(crate) engine: &'a dyn Engine,
    pub(crate) registry: &'a Registry,
    pub(crate) found_tools: &'a FoundTools,
    pub(crate) call: &'a CallContext,
}

/// How a run ends.
#[derive(Debug)]
pub(crate) enum Outcome {
    Ended(ProgramEnd),
    /// A call waits, or differs from that of an earlier run.
    Stopped(InnerCallError),
}

/// The time after which an engine is stopped that exceeds the time of its program: some of its functions do not look at it.
const GRACE: Duration = Duration::from_millis(200);

/// The kinds of errors of calls whose tool did not run.
const NOT_RUN: [&str; 10] = [
    "unknown_tool",
    "not_json",
    "not_an_object",
    "invalid_arguments",
    "needs_approval",
    "denied",
    "not_allowed",
    "call_limit",
    "too_many_calls",
    "unavailable",
];

/// A call that has ended.
type Ended = (usize, Result<ToolResult, InnerCallError>);

impl ProgramRun<'_> {
    /// Runs a program, and returns its calls as well. The calls that run end before it does.
    pub(crate) async fn run(self) -> (Outcome, Vec<MadeCall>) {
        let limits = self.program.limits.clone();
        let (host, Calls { mut calls, answers }) = Host::new();
        let mut engine = self.engine.run(self.program.clone(), host);
        let mut calls_of_program =
            CallsOfProgram { max_result: limits.max_result(), ..CallsOfProgram::default() };
        let mut clock = ComputeClock::new(limits.time() + GRACE);
        let end = loop {
            if let Some(answer) = calls_of_program.next_answer() {
                clock.start();
                // An engine that has stopped needs no answer.
                let _ = answers.send(answer);
            }
            if let Some(error) = calls_of_program.stopped_at() {
                break Outcome::Stopped(error);
            }
            tokio::select! {
                biased;
                end = &mut engine => break Outcome::Ended(end),
                Some(ended) = calls_of_program.running.next() => calls_of_program.end(ended),
                Some(new) = calls.recv() => {
                    clock.stop();
                    calls_of_program.engine_waits = true;
                    for call in new {
                        self.start(call, &limits, &mut calls_of_program);
                    }
                    if let Some(error) = calls_of_program.engine_error(&limits) {
                        break Outcome::Ended(ProgramEnd::failed(error, ""));
                    }
                }
                () = clock.is_late(), if !calls_of_program.engine_waits => {
                    break Outcome::Ended(ProgramEnd::failed(limits.too_late(), ""));
                }
            }
        };
        // It does not run any more.
        drop(engine);
        while let Some(ended) = calls_of_program.running.next().await {
            calls_of_program.end(ended);
        }
        (calls_of_program.stopped.map_or(end, Outcome::Stopped), calls_of_program.made)
    }

    /// Starts a call of the program.
    fn start(&self, call: ProgramCall, limits: &Limits, calls: &mut CallsOfProgram) {
        let (number, max_calls) = (calls.made.len(), limits.calls);
        let mut state = CallState::Open;
        if number >= max_calls {
            let message = format!("not run: a program may make at most {max_calls} calls");
            state = CallState::Rejected(message.clone());
            calls.answers.insert(number, CallAnswer::Failed { kind: "too_many_calls".to_owned(), message });
        } else if call.tool == FIND_TOOLS {
            state = CallState::Succeeded;
            calls.answers.insert(number, self.found_tools.find(&call.arguments));
        } else {
            let ended = self.call.inner_call(self.registry, &call.tool, &call.arguments);
            calls.running.push(Box::pin(async move { (number, ended.await) }));
        }
        let tool = self.registry.tool(&call.tool);
        let is_read_only =
            call.tool == FIND_TOOLS || tool.is_some_and(|tool| tool.annotations.is_read_only());
        calls.made.push(MadeCall { call, is_read_only, state });
    }
}

/// The calls of one run, by their numbers.
#[derive(Default)]
struct CallsOfProgram {
    /// In bytes.
    max_result: usize,
    made: Vec<MadeCall>,
    running: FuturesUnordered<BoxFuture<'static, Ended>>,
    /// The answers that the engine has not received.
    answers: BTreeMap<usize, CallAnswer>,
    /// The number of answers that the engine has received.
    answered: usize,
    engine_waits: bool,
    /// The reason why a call has no result.
    stopped: Option<InnerCallError>,
}

impl CallsOfProgram {
    /// The answer for which the engine waits: always that of the first call without one.
    fn next_answer(&mut self) -> Option<CallAnswer> {
        let answer = if self.engine_waits { self.answers.remove(&self.answered) } else { None }?;
        (self.answered, self.engine_waits) = (self.answered + 1, false);
        Some(answer)
    }

    /// The reason why the engine waits for a call that has no result.
    fn stopped_at(&self) -> Option<InnerCallError> {
        self.stopped.clone().filter(|_| self.engine_waits && self.running.is_empty())
    }

    /// The reason why the engine does not continue.
    fn engine_error(&self, limits: &Limits) -> Option<String> {
        if self.answered == self.made.len() {
            return Some("the engine waits, and no call is open".to_owned());
        }
        let is_last = self.made.len() > limits.last_call();
        is_last.then(|| format!("the program made more than {} calls", limits.last_call()))
    }

    fn end(&mut self, (number, result): Ended) {
        match result {
            Ok(result) => {
                self.made[number].state = CallState::from_result(&result);
                self.answers.insert(number, call_answer(&result, self.max_result));
            }
            Err(error) => {
                self.made[number].state = CallState::Rejected(error.to_string());
                self.stopped.get_or_insert(error);
            }
        }
    }
}

impl CallState {
    fn from_result(result: &ToolResult) -> Self {
        match result.failure() {
            Some(failure) => {
                let text = format!("{}: {}", failure.kind(), failure.message());
                if NOT_RUN.contains(&failure.kind()) {
                    CallState::Rejected(text)
                } else {
                    CallState::Failed(text)
                }
            }
            None => CallState::Succeeded,
        }
    }
}
