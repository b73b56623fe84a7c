//! Reports violations in a history, and repairs them.
//!
//! `cargo run --example lint -- messages.json` reads a `messages` array, or a complete request with one; without a file,
//! or with `-`, it reads standard input. `--repair` writes the repaired history to standard output, and the report to
//! standard error. The exit code is 0 if there are no violations, 1 if there are any, and 2 if the input is not a
//! history.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Display;
use std::io::{self, ErrorKind, Read as _, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use tool_runtime::history::{self, Repair, Violation, ViolationKind};
use tool_runtime::message::Message;
use tool_runtime::wire::ChatCompletions;

const USAGE: &str = "usage: lint [--repair] [FILE] (without FILE, or with -, standard input is read)";
const EXPECTED: &str = "expected a `messages` array, or a request with one";

#[derive(Default)]
struct Arguments {
    help: bool,
    repairs: bool,
    file: Option<PathBuf>,
}

impl Arguments {
    fn from_env() -> Result<Self, String> {
        let mut arguments = Arguments::default();
        for argument in std::env::args_os().skip(1) {
            match &*argument.to_string_lossy() {
                "--repair" => arguments.repairs = true,
                "--help" | "-h" => arguments.help = true,
                "-" => {}
                option if option.starts_with('-') => return Err(format!("unknown option {option}; {USAGE}")),
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

/// A history, and the text around it.
struct History<'a> {
    before: &'a str,
    messages: Vec<Message>,
    after: &'a str,
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    messages: Option<&'a RawValue>,
}

impl<'a> History<'a> {
    fn parse(text: &'a str) -> Result<Self, String> {
        let json: &RawValue =
            serde_json::from_str(text).map_err(|error| format!("this is not JSON: {error}; {EXPECTED}"))?;
        let array = match json.get().as_bytes().first() {
            Some(b'[') => json,
            Some(b'{') => match serde_json::from_str::<Request>(text) {
                Ok(Request { messages: Some(messages) }) if messages.get().starts_with('[') => messages,
                Ok(Request { messages: Some(_) }) => return Err("`messages` is not an array".to_owned()),
                Ok(Request { messages: None }) => {
                    return Err(format!("this is an object without `messages`; {EXPECTED}"));
                }
                Err(error) => return Err(format!("this cannot be read: {error}; {EXPECTED}")),
            },
            _ => return Err(format!("this is JSON, but neither an array nor an object; {EXPECTED}")),
        };
        let elements: Vec<&RawValue> =
            serde_json::from_str(array.get()).map_err(|error| error.to_string())?;
        let messages = elements.iter().enumerate().map(|(index, element)| {
            serde_json::from_str(element.get())
                .map_err(|error| format!("messages[{index}] is not a message: {error}"))
        });
        // The array is a slice of the text; the text around it is kept unchanged.
        let start = array.get().as_ptr().addr() - text.as_ptr().addr();
        let (before, after) = (&text[..start], &text[start + array.get().len()..]);
        Ok(History { before, messages: messages.collect::<Result<_, _>>()?, after })
    }
}

/// Repairs by the index and id of the violations that they repair.
#[derive(Default)]
struct RepairIndex<'a> {
    exact: HashMap<(usize, &'a str), Vec<&'a Repair>>,
    /// Tool messages that were moved after their calls: by id, then by the index of the reply.
    moved: HashMap<&'a str, BTreeMap<usize, &'a Repair>>,
}

impl<'a> RepairIndex<'a> {
    fn new(repairs: &'a [Repair]) -> Self {
        let mut index = RepairIndex::default();
        for repair in repairs {
            index.exact.entry((repair.index(), repair.id())).or_default().push(repair);
            match repair {
                Repair::ResultMoved { reply, id, .. } => {
                    index.exact.entry((*reply, id)).or_default().push(repair);
                    index.moved.entry(id).or_default().insert(*reply, repair);
                }
                // The violation has the new id of the tool message, which is the id of its call.
                Repair::ResultRenamed { reply, id, .. } => {
                    index.exact.entry((*reply, id)).or_default().push(repair);
                }
                _ => {}
            }
        }
        index
    }

    /// The repairs of this violation.
    fn repairs_of(&self, violation: &Violation) -> Vec<&'a Repair> {
        let (index, id) = (violation.index, &*violation.id);
        if violation.kind != ViolationKind::MessageBetween {
            return self.exact.get(&(index, id)).cloned().unwrap_or_default();
        }
        // The index is that of the message between, which is after the reply.
        let before = self.moved.get(id).and_then(|moved| moved.range(..index).next_back());
        before.map(|(_, repair)| *repair).into_iter().collect()
    }
}

/// A line with escaped control characters, since ids come from the input.
fn line(text: impl Display) -> String {
    let plain = |letter: char| {
        if letter.is_control() { letter.escape_default().to_string() } else { letter.to_string() }
    };
    text.to_string().chars().map(plain).chain(["\n".to_owned()]).collect()
}

fn report(violations: &[Violation], warnings: &[Violation], repairs: &[Repair], count: usize) -> String {
    let index = RepairIndex::new(repairs);
    let mut shown = HashSet::new();
    let mut report = String::new();
    for violation in violations {
        report += &line(violation);
        report += &line(format_args!("    {} error: {}", violation.provider(), violation.provider_text()));
        for repair in index.repairs_of(violation) {
            report += &line(format_args!("    repair: {repair}"));
            shown.insert(std::ptr::from_ref(repair));
        }
    }
    // Repairs that follow from other repairs.
    for repair in repairs.iter().filter(|repair| !shown.contains(&std::ptr::from_ref(*repair))) {
        report += &line(format_args!("repair: {repair}"));
    }
    for warning in warnings {
        report += &line(format_args!("warning: {warning}"));
        report += &line(format_args!("    {} error: {}", warning.provider(), warning.provider_text()));
        report += &line(format_args!("    rejected by {}", warning.kind.rejected_by().join(", ")));
    }
    report += &match (violations.len(), warnings.len()) {
        (0, 0) => line(format_args!("No violations. Messages: {count}.")),
        (violations, warnings) => {
            line(format_args!("Violations: {violations}; warnings: {warnings}; messages: {count}."))
        }
    };
    report
}

/// Ignores a broken pipe, since readers such as `head` may stop early; reports other errors, such as a full disk.
fn write(mut output: impl Write, text: &str) -> Result<(), String> {
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("cannot write: {error}")),
        _ => Ok(()),
    }
}

/// Returns whether there are no violations.
fn lint() -> Result<bool, String> {
    let arguments = Arguments::from_env()?;
    if arguments.help {
        return write(io::stdout(), &line(USAGE)).map(|()| true);
    }
    let text = arguments.read()?;
    let History { before, messages, after } = History::parse(&text)?;
    let violations =
        history::validate(&messages).err().map_or_else(Vec::new, |violations| violations.to_vec());
    let (warnings, count) = (history::warnings(&messages, &ChatCompletions::new()), messages.len());
    let (repaired, repairs) = history::repair(messages);
    let report = report(&violations, &warnings, &repairs, count);
    if arguments.repairs {
        let repaired = serde_json::to_string_pretty(&repaired).map_err(|error| error.to_string())?;
        write(io::stderr(), &report)?;
        write(io::stdout(), &format!("{before}{repaired}{after}\n"))?;
    } else {
        write(io::stdout(), &report)?;
    }
    Ok(violations.is_empty())
}

fn main() -> ExitCode {
    match lint() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::from(2)
        }
    }
}
