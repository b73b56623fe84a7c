//! The text that the model reads after a program.

use crate::engine::ProgramEnd;
use crate::program_run::{CallState, MadeCall, Outcome};
use crate::shortened::{first_bytes, one_line};
use serde_json::Value;
use std::fmt::Write as _;
use tool_runtime::ToolOutput;

/// The number of calls that a report lists.
const MAX_LISTED: usize = 20;
/// Of the arguments of a call, and of its failure.
const MAX_LISTED_CHARACTERS: usize = 120;

/// The result of the tool: its output, or an error for the model.
pub(crate) fn report(outcome: Outcome, made: &[MadeCall], max_output: usize) -> Result<ToolOutput, String> {
    match outcome {
        Outcome::Ended(ProgramEnd { value: Ok(value), printed }) => {
            Ok(returned(value, &printed, made, max_output))
        }
        Outcome::Ended(ProgramEnd { value: Err(error), printed }) => {
            Err(failed(&error, &printed, made, max_output))
        }
        // The text of a call that waits is not used: it runs again.
        Outcome::Stopped(error) => {
            Err(failed(&format!("the program was stopped: {error}"), "", made, max_output))
        }
    }
}

fn returned(value: Option<String>, printed: &str, made: &[MadeCall], max_output: usize) -> ToolOutput {
    let effects = if value.is_none() && printed.is_empty() { effects(made) } else { String::new() };
    let has_only_effects = !effects.is_empty();
    let calls = if has_only_effects { effects } else { failures(made) };
    let value = value.map(|json| value_of(json, max_output));
    let text = match &value {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        // A model that is asked for a value runs the program again.
        None if has_only_effects => "Done. The program has returned no value.".to_owned(),
        None if printed.is_empty() => "The program has no value: `return` what you need.".to_owned(),
        None => String::new(),
    };
    if printed.is_empty() && calls.is_empty() && text.len() <= max_output {
        // A value that is not a text stays JSON.
        return value
            .filter(|value| !value.is_string() && !value.is_null())
            .map_or_else(|| text.into(), ToolOutput::from);
    }
    let mut report = shortened(printed, max_output, "printed");
    report.push_str(&shortened(&text, max_output, "returned"));
    report.push_str(&calls);
    report.into()
}

/// A value as its engine has written it. A long one is a text, of which the model reads the beginning.
fn value_of(json: String, max_output: usize) -> Value {
    // Escapes take up to six bytes.
    let is_long = json.len() / 8 > max_output;
    let value = if is_long { None } else { serde_json::from_str(&json).ok() };
    value.unwrap_or(Value::String(json))
}

fn failed(error: &str, printed: &str, made: &[MadeCall], max_output: usize) -> String {
    let mut text = shortened(error, max_output, "threw");
    if !printed.is_empty() {
        let _ = write!(text, "\nIt printed:\n{}", shortened(printed, max_output, "printed"));
    }
    text.push_str(&effects(made));
    text
}

/// The calls that the model must not repeat. Empty if there are none.
fn effects(made: &[MadeCall]) -> String {
    let effects: Vec<&MadeCall> = made.iter().filter(|made| made.may_have_effect()).collect();
    if effects.is_empty() {
        return String::new();
    }
    format!("\nThese calls may have taken effect, so do not repeat them:\n{}", listed(effects.into_iter()))
}

/// The failures of the calls of a program that has ended with a value. Empty if there are none.
fn failures(made: &[MadeCall]) -> String {
    let failed: Vec<&MadeCall> =
        made.iter().filter(|made| !matches!(made.state, CallState::Succeeded)).collect();
    match failed.len() {
        0 => String::new(),
        count => format!("\n\n{count} of {} calls failed:\n{}", made.len(), listed(failed.into_iter())),
    }
}

fn listed<'a>(made: impl Iterator<Item = &'a MadeCall>) -> String {
    let mut lines: Vec<String> = made
        .map(|made| {
            let (tool, arguments) = (&made.call.tool, one_line(&made.call.arguments, MAX_LISTED_CHARACTERS));
            format!("- {tool}({arguments}): {}", one_line(made.status(), MAX_LISTED_CHARACTERS))
        })
        .collect();
    if lines.len() > MAX_LISTED {
        let others = lines.len() - MAX_LISTED;
        lines.truncate(MAX_LISTED);
        lines.push(format!("- and {others} more"));
    }
    lines.join("\n")
}

impl MadeCall {
    fn may_have_effect(&self) -> bool {
        !self.is_read_only && !matches!(self.state, CallState::Rejected(_))
    }

    fn status(&self) -> &str {
        match &self.state {
            CallState::Open => "it may have taken effect",
            CallState::Succeeded => "ok",
            CallState::Failed(failure) | CallState::Rejected(failure) => failure,
        }
    }
}

/// The beginning of a text, and a note if it is not the whole.
fn shortened(text: &str, max_bytes: usize, what: &str) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let beginning = first_bytes(text, max_bytes);
    format!(
        "{beginning}\n[The rest of what the program {what} is left out: filter the data in the program]\n"
    )
}
