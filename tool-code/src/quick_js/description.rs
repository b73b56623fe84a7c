//! The description of programs in JavaScript for the model.

use crate::engine::Declaration;
use crate::limits::Limits;

pub(super) fn instructions(limits: &Limits) -> String {
    let Limits { calls, .. } = limits;
    format!(
        "Runs a JavaScript program that calls tools. Use it for several calls, for loops and conditions, and to filter long results. \
         `code` is the body of an async function. `await` each call, use `Promise.all` for calls that do not depend on each other, and \
         `return` only what you need: you see what the program returns, not the results of its calls. A call that fails throws a \
         ToolError with `message` and `kind`. Plain JavaScript without types. There is no network, file, clock, randomness, timer or \
         import. At most {calls} calls."
    )
}

pub(super) const SEARCH: &str = "`await findTools(\"words\")` returns the declarations of the tools that match: return them from a \
     first program, and call the tools in a second one.";

/// The documentation of a tool and its call, in two lines: `await tools.get_weather({city: string}): string`.
pub(super) fn declaration(tool: &Declaration<'_>) -> String {
    let Declaration { name, documentation, arguments, result } = tool;
    let comment = if documentation.is_empty() { String::new() } else { format!("// {documentation}\n") };
    let result = result.map(|result| format!(": {result}")).unwrap_or_default();
    if is_identifier(name) {
        format!("{comment}await tools.{name}({arguments}){result}")
    } else {
        format!("{comment}await tools[{name:?}]({arguments}){result}")
    }
}

fn is_identifier(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$');
    name.chars().all(is_plain) && !name.starts_with(|letter: char| letter.is_ascii_digit())
}
