//! Arguments: from the text that the model sent to the places that the function reads.
//!
//! `cursor` walks the object once and hands each value to the slot of its parameter. It knows only "good":
//! where anything is amiss it gives up, and `diagnosis` reads the text again, slowly, to say all that is.

mod absent;
mod checks;
mod cursor;
mod diagnosis;
mod literal;
mod map_keys;
mod object;
mod passing;
mod probe;
mod slot;
mod value;

pub(crate) use checks::Checks;
pub use literal::Literal;
pub(crate) use map_keys::{KeyProbe, key_probes, name_keys};
pub(crate) use object::object;
pub use probe::{PassedByValue, Tag, argument};
pub use slot::DefaultUnseen;
pub(crate) use slot::Slot;

use crate::outcome::ArgumentFault;
use schemars::Schema;

/// One parameter that the model fills in.
#[derive(Debug)]
pub struct Parameter {
    /// The key in the arguments.
    pub name: &'static str,
    /// Empty where nothing describes it.
    pub description: &'static str,
    /// What `#[arg(schema(..))]` adds to the schema of its type.
    pub keywords: &'static [(&'static str, Literal)],
}

/// One parameter as its type describes it.
#[derive(Debug)]
pub struct Described {
    pub(crate) schema: Schema,
    pub(crate) required: bool,
    /// Whether the decoder of its type takes just what the schema admits.
    pub(crate) is_plain: bool,
}

/// What is wrong with the arguments of a call.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The text is not JSON.
    NotJson(serde_json::Error),
    /// It is JSON, and this instead of an object.
    NotAnObject(&'static str),
    /// An object, with these faults.
    Faults(Vec<ArgumentFault>),
}

/// Fills every slot, or says everything that is wrong.
pub(crate) fn decode<'a>(
    arguments: &'a str,
    parameters: &[Parameter],
    checks: &Checks,
    slots: &mut [&mut dyn Slot<'a>],
) -> Result<(), Refusal> {
    match cursor::read(arguments, checks, slots) {
        Some(()) => Ok(()),
        None => diagnosis::read(arguments, parameters, checks, slots),
    }
}
