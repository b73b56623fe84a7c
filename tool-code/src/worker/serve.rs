//! The process of a worker.

use super::message::{FromWorker, ToWorker, line};
use crate::engine::{Calls, Host};
use crate::quick_js::{engine_failed, spawn_program};
use std::io::{self, BufRead as _, Write as _};
use std::process::ExitCode;
use std::thread;

/// Runs the program that arrives at the standard input of this process, as a [`Worker`](crate::Worker) of another one. The standard
/// output is for messages: print nothing before.
#[must_use]
pub fn serve_worker() -> ExitCode {
    // On a thread of its own: in a main function with a Tokio runtime, `blocking_recv` would panic.
    let served = thread::spawn(serve).join();
    match served.unwrap_or_else(|_| Err(io::Error::other("its thread has panicked"))) {
        Ok(()) => ExitCode::SUCCESS,
        // The other process has ended, or did not start this one as a worker.
        Err(error) => {
            eprintln!("this program is a worker, which another process starts: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> io::Result<()> {
    let ToWorker::Run(program) = read()? else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the first message has no program"));
    };
    let (host, Calls { mut calls, answers }) = Host::new();
    let end = match spawn_program(program, host) {
        Ok((_, end)) => end,
        Err(end) => return write(&FromWorker::End(end)),
    };
    // `None` once the program has ended, which drops its side.
    while let Some(made) = calls.blocking_recv() {
        write(&FromWorker::Calls(made))?;
        let ToWorker::Answer(answer) = read()? else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a second program has arrived"));
        };
        // A program that has ended needs no result.
        let _ = answers.send(answer);
    }
    write(&FromWorker::End(end.blocking_recv().unwrap_or_else(|_| engine_failed())))
}

fn read() -> io::Result<ToWorker> {
    let mut message = String::new();
    io::stdin().lock().read_line(&mut message)?;
    Ok(serde_json::from_str(&message)?)
}

fn write(message: &FromWorker) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(&line(message)?)?;
    output.flush()
}
