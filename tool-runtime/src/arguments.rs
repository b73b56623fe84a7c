//! Arguments: from the text that the model sent to the places that the function reads.
//!
//! `cursor` walks the object once and hands each value to the slot of its parameter. It knows only "good":
//! where anything is amiss it gives up, and `diagnosis` reads the text again, slowly, to say all that is.

mod absent;
mod cursor;
mod diagnosis;
mod passing;
mod probe;
mod slot;
mod text;
mod value;

pub use probe::{ArgumentOfAnyType, Tag, argument};
pub use slot::DefaultUnseen;

use crate::outcome::ArgumentFault;
use schemars::{Schema, SchemaGenerator};
use slot::Slot;

/// One parameter that the model fills in.
#[derive(Debug)]
pub struct Parameter {
    /// The key in the arguments.
    pub name: &'static str,
    /// Empty where it has no doc comment.
    pub description: &'static str,
}

/// What a tool's shim is asked to do.
#[derive(Debug)]
pub struct Invocation<'a> {
    parameters: &'static [Parameter],
    purpose: Purpose<'a>,
}

#[derive(Debug)]
enum Purpose<'a> {
    /// To run on these arguments.
    Call(&'a str),
    /// To describe its parameters, in declared order.
    Describe(&'a mut SchemaGenerator, &'a mut Vec<Described>),
}

/// One parameter as its type describes it.
#[derive(Debug)]
pub struct Described {
    pub(crate) schema: Schema,
    pub(crate) required: bool,
}

/// Why a shim did not start its function.
#[derive(Debug)]
pub enum NotStarted {
    /// It was only asked to describe itself.
    Described,
    /// The arguments are not what the schema asks for.
    Refused(Box<Refusal>),
}

/// What is wrong with the arguments of a call.
#[derive(Debug)]
pub enum Refusal {
    /// The text is not JSON.
    NotJson(serde_json::Error),
    /// It is JSON, and this instead of an object.
    NotAnObject(&'static str),
    /// An object, with these faults.
    Faults(Vec<ArgumentFault>),
}

impl<'a> Invocation<'a> {
    pub(crate) fn call(parameters: &'static [Parameter], arguments: &'a str) -> Self {
        Invocation { parameters, purpose: Purpose::Call(arguments) }
    }

    pub(crate) fn describe(
        parameters: &'static [Parameter],
        generator: &'a mut SchemaGenerator,
        described: &'a mut Vec<Described>,
    ) -> Self {
        Invocation { parameters, purpose: Purpose::Describe(generator, described) }
    }

    /// Fills every slot, or says why not.
    ///
    /// # Errors
    ///
    /// The faults of the arguments, all of them; and always when the shim was asked to describe itself.
    pub fn decode(&mut self, slots: &mut [&mut dyn Slot<'a>]) -> Result<(), NotStarted> {
        match &mut self.purpose {
            Purpose::Call(arguments) => {
                let arguments: &'a str = arguments;
                match cursor::read(arguments, self.parameters, slots) {
                    Some(()) => Ok(()),
                    None => diagnosis::read(arguments, self.parameters, slots)
                        .map_err(|refusal| NotStarted::Refused(Box::new(refusal))),
                }
            }
            Purpose::Describe(generator, described) => {
                described.extend(slots.iter().map(|slot| slot.describe(generator)));
                Err(NotStarted::Described)
            }
        }
    }
}
