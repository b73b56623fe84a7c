//! Coercion of arguments into the only form that their tool decodes.
//!
//! Integers that are written as `1.0` are always coerced, a null for an absent argument only if a strict schema
//! requires it, and everything else only if the program opts in, or to find the corrected call for an error. The
//! result is text, which is validated like the text of the model.

mod rewrite;

pub(crate) use tool_runtime_schema::json_repair::QUOTE_REPAIRS;

use crate::json::pairs;
use crate::outcome::Truncated;
use crate::validator::Validator;
use std::fmt;
use tool_runtime_schema::json_repair;

/// The coercions that are allowed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CoercionOptions<'t> {
    /// The name of the tool, which models write around its arguments.
    pub(crate) tool: &'t str,
    /// A null means an absent argument, since a strict schema makes the model send every property.
    pub(crate) null_is_absent: bool,
    /// Text that is almost JSON is repaired, a value of a wrong type or spelling is converted, and arguments inside a key such as
    /// `parameters` are moved out of it, if there is only one reading.
    pub(crate) lenient: bool,
}

/// Rewritten arguments.
#[derive(Debug)]
pub(crate) struct Coerced {
    pub(crate) arguments: String,
    /// Without those of integers that are written as `1.0` and of nulls that a strict schema requires.
    pub(crate) coercions: Vec<Coercion>,
}

/// One change of the arguments.
#[derive(Debug, PartialEq)]
pub(crate) enum Coercion {
    /// The text was not JSON.
    Repair(&'static str),
    /// The arguments were inside this unknown key.
    Unwrapped { key: String },
    /// The value at this path was read as another one. The path is truncated, and both values are JSON.
    Value { path: String, from: String, to: String },
}

impl fmt::Display for Coercion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Coercion::Repair(description) => f.write_str(description),
            Coercion::Unwrapped { key } => write!(f, "the arguments were inside `{}`", Truncated(key)),
            Coercion::Value { path, from, to } => {
                write!(f, "`{path}`: {} was read as {}", Truncated(from), Truncated(to))
            }
        }
    }
}

/// Longer arguments are not coerced: 4 MB.
const MAX_BYTES: usize = 4 << 20;

/// Coerces the arguments; `None` if nothing can be coerced, not even white space.
#[cold]
pub(crate) fn coerce(
    arguments: &str,
    validator: &Validator,
    options: CoercionOptions<'_>,
) -> Option<Coerced> {
    // Most registries coerce only integers, and remove the escapes from keys, which a map with integer keys does not decode.
    let may_change =
        options.lenient || options.null_is_absent || arguments.contains(['\\', '.', 'e', 'E', '-']);
    if !may_change || arguments.len() > MAX_BYTES {
        return None;
    }
    let mut coercions = Vec::new();
    let object = match pairs(arguments) {
        Some(_) => arguments.to_owned(),
        None if options.lenient => {
            let (object, repairs) = json_repair::object(arguments, |text| pairs(text).is_some())?;
            coercions.extend(repairs.into_iter().map(Coercion::Repair));
            object
        }
        None => return None,
    };
    let written = rewrite::rewrite(validator, options, &object, &mut coercions);
    (written != arguments).then_some(Coerced { arguments: written, coercions })
}
