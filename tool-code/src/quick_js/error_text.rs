//! The errors of a program, for the model.

use crate::engine::Program;
use rquickjs::{CaughtError, Exception};

/// Names of other environments, and the advice for programs that use them.
const MISSING: [(&[&str], &str); 7] = [
    (&["fetch", "XMLHttpRequest", "WebSocket", "axios"], "There is no network here: call a tool."),
    (
        &["setTimeout", "setInterval", "setImmediate", "sleep"],
        "There are no timers here: leave out the wait.",
    ),
    (
        &[
            "require",
            "module",
            "exports",
            "process",
            "Buffer",
            "fs",
            "Deno",
            "window",
            "document",
            "structuredClone",
            "URL",
            "URLSearchParams",
            "Intl",
            "TextEncoder",
            "TextDecoder",
            "atob",
            "btoa",
        ],
        "This is not Node or a browser: use only JavaScript itself and `tools`.",
    ),
    (&["functions", "default_api", "api"], "Call a tool as tools.name({..})."),
    (&["print"], "`return` what you need, or use console.log."),
    (&["performance", "Temporal"], "There is no clock here: take the time from a tool or from the user."),
    (&["crypto"], "There is no randomness here: a program must do the same each time it runs."),
];

/// Parts of a program that only TypeScript has.
const TYPES: [&str; 6] = [": string", ": number", ": boolean", ": any", "interface ", "<string"];

/// Parts of TypeScript that comments and texts may contain, too: only the line of the error counts.
const TYPES_IN_LINE: [&str; 4] = [" as ", " satisfies ", "type ", "enum "];

/// The text of an error that a program has thrown; `None` if the engine has no memory left.
pub(super) fn describe_exception(error: &CaughtError<'_>, program: &Program) -> Option<String> {
    match error {
        CaughtError::Exception(exception) => describe(exception, program),
        // The engine throws null when it has no memory for an error.
        CaughtError::Value(value) if value.is_null() => None,
        CaughtError::Value(value) => match value.as_string().and_then(|text| text.to_string().ok()) {
            Some(text) => Some(format!("the program threw: {text}")),
            None => Some("the program threw a value that is no error".to_owned()),
        },
        CaughtError::Error(error) => Some(error.to_string()),
    }
}

fn describe(exception: &Exception<'_>, program: &Program) -> Option<String> {
    let name: String = exception.as_object().get("name").unwrap_or_else(|_| "Error".to_owned());
    let message = exception.message().unwrap_or_default();
    if name == "InternalError" && message == "out of memory" {
        return None;
    }
    let line = line_in_program(exception, &program.code);
    let advice = advice(&name, &message, program, line);
    let line = line.map(|line| format!(" (line {line})")).unwrap_or_default();
    let call: Option<String> = exception.as_object().get("call").ok().filter(|_| name == "ToolError");
    let call = call.map(|call| format!("{call}: ")).unwrap_or_default();
    // The message of a failed tool begins with `Error: `.
    let name = if matches!(&*name, "Error" | "") { String::new() } else { format!("{name}: ") };
    let message = if message.is_empty() { "an error without a message".to_owned() } else { message };
    let mut text = format!("{name}{call}{message}{line}");
    if let Some(advice) = advice {
        text.push_str(". ");
        text.push_str(&advice);
    }
    Some(text)
}

/// The line of the program where the error was thrown. The function around the program adds two lines.
fn line_in_program(exception: &Exception<'_>, code: &str) -> Option<usize> {
    const ADDED: usize = 2;
    let stack = exception.stack()?;
    let lines = code.lines().count();
    let at = stack.split("<input>:").nth(1)?;
    let number: usize = at.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()?;
    number.checked_sub(ADDED).filter(|line| (1..=lines).contains(line))
}

/// The change of the program that avoids the error.
fn advice(name: &str, message: &str, program: &Program, line: Option<usize>) -> Option<String> {
    let code = &program.code;
    if name == "SyntaxError" {
        let line = line.and_then(|line| code.lines().nth(line - 1)).unwrap_or_default();
        let has_types = TYPES.iter().any(|types| code.contains(types))
            || TYPES_IN_LINE.iter().any(|types| line.contains(types));
        let has_functions = code.contains("=>") || code.contains("function");
        let advice = if code.contains("import ") || code.contains("export ") {
            "There are no imports here: leave out `import` and `export`."
        } else if has_types {
            "Write JavaScript, not TypeScript: leave out types, interfaces and `as`."
        } else if message.contains("redefinition") && code.contains(" tools") {
            "`tools` is defined already: leave out its declaration."
        } else if has_functions && code.contains("await") {
            "If `await` is in a function, write `async` before that function."
        } else {
            return None;
        };
        return Some(advice.to_owned());
    }
    let missing = message.strip_suffix(" is not defined")?.trim_matches('\'');
    if program.tools.iter().any(|tool| tool.name == missing) {
        return Some(format!("Write tools.{missing}."));
    }
    MISSING.iter().find(|(names, _)| names.contains(&missing)).map(|(_, advice)| (*advice).to_owned())
}
