//! Reports violations in a history of any wire, and repairs them.
//!
//! `cargo run --example lint -- history.json` reads the body of a request, or its array of messages, items, steps or contents;
//! without a file, or with `-`, it reads standard input. It detects the wire; `--wire NAME` chooses it, for example for a
//! history of plain text, which is read as Chat Completions otherwise.
//!
//! `--repair` writes the repaired history to standard output, and the report to standard error. The text around the array
//! and the messages that need no repair are unchanged. If the provider rejects even the repaired history, the wire writes all
//! messages anew. The exit code is 0 if the provider accepts the history, 1 if there are violations or it rejects the history,
//! and 2 if the input is not a history.

mod input;
mod report;
mod rewrite;

use input::{EXPECTED, History};
use report::Report;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Read as _, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use tool_runtime::history;
use tool_runtime_repair::{possible_violations, repair};

const USAGE: &str =
    "usage: lint [--repair] [--wire NAME] [FILE] (without FILE, or with -, standard input is read)";

#[derive(Default)]
struct Arguments {
    help: bool,
    repair: bool,
    wire: Option<String>,
    file: Option<PathBuf>,
}

impl Arguments {
    fn parse(mut given: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut arguments = Arguments::default();
        while let Some(argument) = given.next() {
            match &*argument.to_string_lossy() {
                "--repair" => arguments.repair = true,
                "--help" | "-h" => arguments.help = true,
                "--wire" => {
                    let name = given.next().ok_or_else(|| format!("--wire needs a name; {USAGE}"))?;
                    arguments.wire = Some(name.to_string_lossy().into_owned());
                }
                "-" => {}
                option if option.starts_with('-') => match option.strip_prefix("--wire=") {
                    Some(name) => arguments.wire = Some(name.to_owned()),
                    None => return Err(format!("unknown option {option}; {USAGE}")),
                },
                _ if arguments.file.is_some() => return Err(format!("one file at a time; {USAGE}")),
                _ => arguments.file = Some(argument.into()),
            }
        }
        Ok(arguments)
    }

    fn read(&self) -> Result<String, String> {
        let name = self.file.as_ref().map_or("standard input".into(), |file| file.display().to_string());
        let mut bytes = Vec::new();
        let read = match &self.file {
            Some(file) => std::fs::read(file).map(|content| bytes = content),
            None => io::stdin().read_to_end(&mut bytes).map(drop),
        };
        read.map_err(|error| format!("cannot read {name}: {error}"))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("{name} is not text; {EXPECTED}"))?;
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() { Err(format!("{name} is empty; {EXPECTED}")) } else { Ok(text.to_owned()) }
    }
}

/// Ignores a broken pipe, since readers such as `head` may stop early; reports other errors, such as a full disk.
fn write(mut output: impl Write, text: &str) -> Result<(), String> {
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("cannot write: {error}")),
        _ => Ok(()),
    }
}

/// Returns whether there are no violations and the provider accepts the history.
fn lint() -> Result<bool, String> {
    let arguments = Arguments::parse(std::env::args_os().skip(1))?;
    if arguments.help {
        return write(io::stdout(), &format!("{USAGE}\n")).map(|()| true);
    }
    let text = arguments.read()?;
    let history = History::parse(&text, arguments.wire.as_deref())?;
    let (messages, wire) = (&history.messages, &history.wire);
    let violations =
        history::validate(messages).err().map_or_else(Vec::new, |error| error.violations().to_vec());
    let warnings = possible_violations(messages, wire);
    let (repaired, repairs) = repair(messages.clone());
    let mut rewritten = history.rewrite(&repaired)?;
    let rejected = history.rejected(&rewritten.array);
    let all = rejected.as_ref().and_then(|_| history.rewrite_all(&repaired));
    let is_rewritten = all.is_some();
    rewritten = all.unwrap_or(rewritten);
    let report = Report {
        history: &history,
        violations: &violations,
        warnings: &warnings,
        repairs: &repairs,
        dropped: &rewritten.dropped,
        rejected: rejected.as_deref(),
        is_rewritten,
    };
    let report = report.to_string();
    if arguments.repair {
        write(io::stderr(), &report)?;
        write(io::stdout(), &format!("{}{}{}\n", history.before, rewritten.array, history.after))?;
    } else {
        write(io::stdout(), &report)?;
    }
    Ok(violations.is_empty() && rejected.is_none())
}

fn main() -> ExitCode {
    match lint() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprint!("{}", report::line(format_args!("Error: {error}")));
            ExitCode::from(2)
        }
    }
}
