//! What a provider would refuse in a history, and the mend.
//!
//! `cargo run --example lint -- messages.json` reads a `messages` array, or a whole request with one; without a file, or
//! with `-`, it reads standard input. `--repair` writes the mended history to standard output, and what was found to
//! standard error. The exit code is 0 where nothing is wrong, 1 where something is, and 2 where the input is no history.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::process::ExitCode;
use tool_runtime::Message;
use tool_runtime::history::{self, Repair, Violation};

const USAGE: &str = "usage: lint [--repair] [FILE]    (without FILE, or with -, standard input is read)";
const EXPECTED: &str = "expected a `messages` array, or a request with one";

struct Arguments {
    repairs: bool,
    file: Option<String>,
}

impl Arguments {
    fn of_program() -> Result<Self, String> {
        let mut arguments = Arguments { repairs: false, file: None };
        for argument in std::env::args().skip(1) {
            match &*argument {
                "--repair" => arguments.repairs = true,
                "-" => {}
                option if option.starts_with('-') => return Err(format!("unknown option {option}; {USAGE}")),
                _ if arguments.file.is_some() => return Err(format!("one file at a time; {USAGE}")),
                _ => arguments.file = Some(argument),
            }
        }
        Ok(arguments)
    }

    fn read(&self) -> Result<String, String> {
        let name = self.file.as_deref().unwrap_or("standard input");
        let mut bytes = Vec::new();
        let read = match &self.file {
            Some(file) => std::fs::read(file).map(|content| bytes = content),
            None => std::io::stdin().read_to_end(&mut bytes).map(drop),
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
    fn of(text: &'a str) -> Result<Self, String> {
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
                .map_err(|error| format!("messages[{index}] is no message: {error}"))
        });
        // The array is a part of the text: what stands around it is kept as it is.
        let start = array.get().as_ptr().addr() - text.as_ptr().addr();
        let (before, after) = (&text[..start], &text[start + array.get().len()..]);
        Ok(History { before, messages: messages.collect::<Result<_, _>>()?, after })
    }
}

/// The repair that mends this violation.
fn mend<'a>(violation: &Violation, repairs: &'a [Repair]) -> Option<&'a Repair> {
    let is_here = |repair: &&Repair| repair.index() == violation.index;
    let is_its = |repair: &&Repair| repair.id() == violation.id;
    let exact = repairs.iter().find(|repair| is_here(repair) && is_its(repair));
    exact.or_else(|| repairs.iter().find(is_its)).or_else(|| repairs.iter().find(is_here))
}

fn report(violations: &[Violation], warnings: &[Violation], repairs: &[Repair], count: usize) -> String {
    let mut report = String::new();
    for violation in violations {
        let _ = writeln!(report, "{violation}");
        let _ = writeln!(report, "    {} says: {}", violation.provider(), violation.provider_text());
        if let Some(repair) = mend(violation, repairs) {
            let _ = writeln!(report, "    mend: {repair}");
        }
    }
    for warning in warnings {
        let _ = writeln!(report, "warning: {warning}");
        let _ = writeln!(report, "    {} says: {}", warning.provider(), warning.provider_text());
        let _ = writeln!(report, "    refused by {}", warning.rule.refused_by().join(", "));
    }
    let _ = match (violations.len(), warnings.len()) {
        (0, 0) => writeln!(report, "Nothing is wrong in {count} messages."),
        (wrong, warned) => writeln!(report, "Violations: {wrong}; warnings: {warned}; messages: {count}."),
    };
    report
}

fn lint() -> Result<bool, String> {
    let arguments = Arguments::of_program()?;
    let text = arguments.read()?;
    let History { before, messages, after } = History::of(&text)?;
    let violations =
        history::validate(&messages).err().map_or_else(Vec::new, |violations| violations.to_vec());
    let (warnings, count) = (history::warnings(&messages), messages.len());
    let (repaired, repairs) = history::repair(messages);
    let report = report(&violations, &warnings, &repairs, count);
    // A reader that has seen enough, such as `head`, is no error.
    if arguments.repairs {
        let repaired = serde_json::to_string_pretty(&repaired).map_err(|error| error.to_string())?;
        let _ = std::io::stderr().write_all(report.as_bytes());
        let _ = writeln!(std::io::stdout(), "{before}{repaired}{after}");
    } else {
        let _ = std::io::stdout().write_all(report.as_bytes());
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
