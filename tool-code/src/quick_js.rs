//! JavaScript, in the engine QuickJS.

mod description;
mod error_text;
mod machine;
mod threads;

use crate::engine::{Declaration, Engine, EngineFuture, Host, Program, ProgramEnd};
use crate::limits::{Limits, MAX_STACK};
use machine::Machine;
use std::sync::Weak;
use std::thread;
use threads::{Thread, count_stray, stop};
use tokio::sync::oneshot;

/// In bytes: the stack of the program, and that of the engine around it.
const THREAD_STACK: usize = MAX_STACK + (7 << 20);

/// The threads whose programs were stopped and have not noticed it, beyond which no program starts: a function of the engine may take
/// long, and does not look at the time.
const MAX_STRAY_THREADS: usize = 4;

/// JavaScript in this process. Each program has a thread, an engine and a memory of its own.
///
/// The engine is written in C. It limits the memory, the time and the stack of a program, and the hostile tests have no program that
/// exceeds them; but an error in the engine is an error of this process. If the model reads texts of strangers, use a
/// [`Worker`](crate::Worker).
#[derive(Clone, Copy, Debug, Default)]
pub struct QuickJs;

impl Engine for QuickJs {
    fn run(&self, program: Program, host: Host) -> EngineFuture {
        Box::pin(async move {
            if count_stray() >= MAX_STRAY_THREADS {
                return ProgramEnd::failed("the program cannot start now: earlier programs do not stop", "");
            }
            match spawn_program(program, host) {
                // Dropped with the future, so that the program stops.
                Ok((thread, end)) => {
                    let _thread = StopOnDrop(thread);
                    end.await.unwrap_or_else(|_| engine_failed())
                }
                Err(end) => end,
            }
        })
    }

    fn instructions(&self, limits: &Limits) -> String {
        description::instructions(limits)
    }

    fn declaration(&self, tool: &Declaration<'_>) -> String {
        description::declaration(tool)
    }

    fn search_instructions(&self) -> String {
        description::SEARCH.to_owned()
    }
}

struct StopOnDrop(Weak<Thread>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        stop(&self.0);
    }
}

/// Runs a program on a thread of its own, until it ends or is stopped.
///
/// # Errors
///
/// The end of a program for which there is no thread.
pub(crate) fn spawn_program(
    program: Program,
    host: Host,
) -> Result<(Weak<Thread>, oneshot::Receiver<ProgramEnd>), ProgramEnd> {
    let (sender, end) = oneshot::channel();
    let (thread, running) = Thread::new();
    let run = move || {
        // Nobody receives the end of a program that was stopped.
        let _ = sender.send(Machine::run(&program, host, &thread));
    };
    let builder = thread::Builder::new().name("tool-program".to_owned()).stack_size(THREAD_STACK);
    match builder.spawn(run) {
        Ok(_) => Ok((running, end)),
        Err(error) => Err(ProgramEnd::failed(format!("the program cannot start now: {error}"), "")),
    }
}

/// The end of a program whose thread has ended without one.
pub(crate) fn engine_failed() -> ProgramEnd {
    ProgramEnd::failed("the engine has failed", "")
}
