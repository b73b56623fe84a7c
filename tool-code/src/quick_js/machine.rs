//! One program in its engine.

use super::error_text::describe_exception;
use super::threads::Thread;
use crate::engine::{CallAnswer, Host, Program, ProgramCall, ProgramEnd};
use crate::limits::Limits;
use crate::shortened::first_bytes;
use rquickjs::context::intrinsic;
use rquickjs::promise::PromiseState;
use rquickjs::{CatchResultExt as _, Context, Ctx, Error, Function, Object, Promise, Runtime, Value};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PRELUDE: &str = include_str!("prelude.js");

/// The memory that is left when the engine cannot create an error any more.
const RESERVE: usize = 64 << 10;

/// No text of the engine is longer.
const MAX_LENGTH: usize = 1 << 30;

/// The state of one program.
pub(super) struct Machine<'a> {
    program: &'a Program,
    host: Host,
    clock: Clock,
    printed: Printed,
}

/// The time in which the program computes.
#[derive(Clone)]
struct Clock {
    deadline: Rc<Cell<Instant>>,
    thread: Arc<Thread>,
}

impl Clock {
    fn is_late(&self) -> bool {
        Instant::now() > self.deadline.get()
    }

    /// Leaves out the time in which the program waits.
    fn extend(&self, waited: Duration) {
        self.deadline.set(self.deadline.get() + waited);
    }
}

/// The text that a program prints, up to its limit.
#[derive(Clone, Default)]
struct Printed(Rc<RefCell<String>>);

impl Printed {
    fn push_line(&self, line: &str, limit: usize) {
        let mut printed = self.0.borrow_mut();
        // One byte more, so that the report knows that the text was longer.
        let room = limit.saturating_add(1).saturating_sub(printed.len());
        let beginning = first_bytes(line, room);
        printed.push_str(beginning);
        if beginning.len() == line.len() && room > line.len() {
            printed.push('\n');
        }
    }
}

/// The functions of the prelude.
struct Prelude<'js> {
    run: Function<'js>,
    take_calls: Function<'js>,
    answer: Function<'js>,
    finish: Function<'js>,
}

/// Why a program has no value.
enum Stopped {
    OutOfMemory,
    /// The text of its error.
    Failed(String),
    /// The host has stopped it.
    ByHost,
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Stopped::Failed(error.to_string())
    }
}

impl<'a> Machine<'a> {
    /// Runs a program to its end.
    pub(super) fn run(program: &'a Program, host: Host, thread: &Arc<Thread>) -> ProgramEnd {
        let deadline = Rc::new(Cell::new(Instant::now() + program.limits.time()));
        let clock = Clock { deadline, thread: Arc::clone(thread) };
        let mut machine = Machine { program, host, clock, printed: Printed::default() };
        let value = match machine.evaluate() {
            Ok(value) => Ok(value),
            Err(Stopped::Failed(error)) => Err(error),
            Err(Stopped::OutOfMemory) => Err(format!(
                "the program needs more than {} MiB of memory",
                program.limits.max_memory() >> 20
            )),
            Err(Stopped::ByHost) => Err("the program was stopped".to_owned()),
        };
        ProgramEnd { value, printed: machine.printed.0.take() }
    }

    fn evaluate(&mut self) -> Result<Option<String>, Stopped> {
        let Limits { code, .. } = self.program.limits;
        let memory = self.program.limits.max_memory();
        if self.program.code.len() > code {
            let length = self.program.code.len();
            return Err(Stopped::Failed(format!(
                "the program has {length} bytes, and at most {code} are allowed"
            )));
        }
        let runtime = Runtime::new()?;
        runtime.set_memory_limit(memory);
        runtime.set_max_stack_size(self.program.limits.max_stack());
        let clock = self.clock.clone();
        let is_interrupted = move || clock.thread.is_stopped() || clock.is_late();
        runtime.set_interrupt_handler(Some(Box::new(is_interrupted)));
        // Without typed arrays, which are not needed for JSON and have had memory errors, and without weak references, which show
        // when memory is collected.
        let context = Context::builder()
            .with::<intrinsic::Eval>()
            .with::<intrinsic::RegExpCompiler>()
            .with::<intrinsic::RegExp>()
            .with::<intrinsic::Json>()
            .with::<intrinsic::MapSet>()
            .with::<intrinsic::Promise>()
            .with::<intrinsic::Date>()
            .with::<intrinsic::Proxy>()
            .build(&runtime)?;
        let ended = context.with(|ctx| self.evaluate_in(&ctx));
        let used = usize::try_from(runtime.memory_usage().malloc_size).unwrap_or_default();
        match ended {
            Err(Stopped::Failed(_)) if self.clock.is_late() => Err(self.too_late()),
            Err(Stopped::Failed(_)) if used + RESERVE > memory => Err(Stopped::OutOfMemory),
            ended => ended,
        }
    }

    fn too_late(&self) -> Stopped {
        Stopped::Failed(self.program.limits.too_late())
    }

    fn evaluate_in(&mut self, ctx: &Ctx<'_>) -> Result<Option<String>, Stopped> {
        let prelude = self.start(ctx)?;
        let promise: Promise<'_> = prelude.run.call(()).catch(ctx).map_err(|error| self.failed(&error))?;
        let (mut answered, mut open) = (0_usize, 0_usize);
        // The failure of a call after the program has returned: the program cannot catch it.
        let mut late_failure = None;
        loop {
            self.run_jobs(ctx)?;
            let calls: Vec<ProgramCall> = self.take_calls(ctx, &prelude)?;
            open += calls.len();
            if open == 0 {
                return match promise.state() {
                    PromiseState::Pending => Err(Stopped::Failed(
                        "the program waits for a promise that nothing resolves: await only calls of tools"
                            .to_owned(),
                    )),
                    PromiseState::Rejected => Err(self.rejected(ctx, &promise)),
                    PromiseState::Resolved => match late_failure {
                        Some(failure) => Err(Stopped::Failed(failure)),
                        None => self.finish(ctx, &prelude, &promise),
                    },
                };
            }
            let started = Instant::now();
            let answer = self.host.blocking_next_answer(calls).ok_or(Stopped::ByHost)?;
            self.clock.extend(started.elapsed());
            open -= 1;
            let failure = match &answer {
                CallAnswer::Failed { message, .. } if promise.state() != PromiseState::Pending => {
                    Some(message.clone())
                }
                _ => None,
            };
            let call = self.answer(ctx, &prelude, answered, answer)?;
            if let Some(message) = failure {
                late_failure.get_or_insert_with(|| {
                    format!("a call that the program did not await has failed: {call}: {message}")
                });
            }
            answered += 1;
        }
    }

    /// The engine with its global objects, before the program.
    fn start<'js>(&self, ctx: &Ctx<'js>) -> Result<Prelude<'js>, Stopped> {
        let (printed, limit) = (self.printed.clone(), self.program.limits.output);
        let write = Function::new(ctx.clone(), move |line: String| printed.push_line(&line, limit))?;
        let prelude: Function<'js> = ctx.eval(PRELUDE).catch(ctx).map_err(|error| self.failed(&error))?;
        let Program { code, tools, limits } = self.program;
        let max_arguments = u32::try_from(limits.max_arguments()).unwrap_or(u32::MAX);
        let max_output = u32::try_from(limits.output.min(MAX_LENGTH)).unwrap_or(u32::MAX);
        let tools = serde_json::to_string(tools).map_err(|error| Stopped::Failed(error.to_string()))?;
        let functions = prelude.call((write, tools, &**code, max_arguments, max_output));
        let functions: Object<'js> = functions.catch(ctx).map_err(|error| self.failed(&error))?;
        // The time of the program begins now.
        self.clock.deadline.set(Instant::now() + self.program.limits.time());
        Ok(Prelude {
            run: functions.get("run")?,
            take_calls: functions.get("takeCalls")?,
            answer: functions.get("answer")?,
            finish: functions.get("finish")?,
        })
    }

    /// Runs the jobs of promises.
    fn run_jobs(&self, ctx: &Ctx<'_>) -> Result<(), Stopped> {
        while ctx.execute_pending_job() {
            if self.clock.is_late() {
                return Err(self.too_late());
            }
        }
        if self.clock.thread.is_stopped() { Err(Stopped::ByHost) } else { Ok(()) }
    }

    fn take_calls(&self, ctx: &Ctx<'_>, prelude: &Prelude<'_>) -> Result<Vec<ProgramCall>, Stopped> {
        let calls: String = prelude.take_calls.call(()).catch(ctx).map_err(|error| self.failed(&error))?;
        serde_json::from_str(&calls).map_err(|error| Stopped::Failed(error.to_string()))
    }

    /// Passes an answer to the program. Returns its call for an error: `remind({"order":9})`.
    fn answer(
        &self,
        ctx: &Ctx<'_>,
        prelude: &Prelude<'_>,
        number: usize,
        answer: CallAnswer,
    ) -> Result<String, Stopped> {
        let (kind, value, error_kind) = match answer {
            CallAnswer::Json(json) => ("json", json, String::new()),
            CallAnswer::Text(text) => ("text", text, String::new()),
            CallAnswer::Failed { kind, message } => ("failed", message, kind),
        };
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        prelude.answer.call((number, kind, value, error_kind)).catch(ctx).map_err(|error| self.failed(&error))
    }

    fn finish<'js>(
        &self,
        ctx: &Ctx<'js>,
        prelude: &Prelude<'js>,
        promise: &Promise<'js>,
    ) -> Result<Option<String>, Stopped> {
        let Some(value) = promise.result::<Value<'js>>() else { return Ok(None) };
        let value = value.catch(ctx).map_err(|error| self.failed(&error))?;
        prelude.finish.call((value,)).catch(ctx).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &rquickjs::CaughtError<'_>) -> Stopped {
        if self.clock.is_late() {
            return self.too_late();
        }
        describe_exception(error, self.program).map_or(Stopped::OutOfMemory, Stopped::Failed)
    }

    /// The error of a program that has thrown it.
    fn rejected(&self, ctx: &Ctx<'_>, promise: &Promise<'_>) -> Stopped {
        match promise.result::<Value<'_>>().map(|result| result.catch(ctx)) {
            Some(Err(error)) => self.failed(&error),
            // A rejected promise has an error.
            _ => Stopped::Failed("the program has failed".to_owned()),
        }
    }
}
