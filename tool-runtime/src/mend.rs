//! Arguments that are not yet as a tool takes them, and can be without a guess: written anew, as text.
//!
//! Integers that are written as `1.0` always; null for what is left out where a strict schema asked for it; and where
//! the program asked for it, the slips that models make. Nothing here says that arguments are good: what comes out is
//! read as strictly as what the model sent.

#[cfg(feature = "lenient")]
mod broken;
mod integer;
mod rewrite;
mod slips;

use crate::check::{Checker, DEEPEST};
use crate::json::Pairs;

/// What may be mended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mending {
    /// Null stands for what is left out, since a strict schema makes the model send every property.
    pub(crate) null_is_absent: bool,
    /// What the schema leaves only one reading for, and text that is not quite JSON.
    pub(crate) slips: bool,
}

/// Arguments written anew.
#[derive(Debug)]
pub(crate) struct Mended {
    pub(crate) arguments: String,
    /// What was mended that the model should not have sent, each for a person to read; an integer that is written as
    /// `1.0` is none, nor is a null that a strict schema asks for.
    pub(crate) repairs: Vec<String>,
}

/// Of longer arguments nothing is mended: 4 MB.
const LONGEST: usize = 4 << 20;

/// How deep brackets stand in brackets, those in strings aside. Where a quote is missing or single, too many of them
/// count rather than too few.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_string) = (0_usize, 0, false);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if in_string => drop(bytes.next()),
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The arguments as they were meant, if they can be read so and are then other than they were.
#[cold]
pub(crate) fn mend(arguments: &str, checker: &Checker, mending: Mending) -> Option<Mended> {
    // Most registries have only integers mended, and to see that there are none halves what a refusal costs. Keys are
    // written anew without their escapes, which a map whose keys are integers does not read.
    let may_be_mended = mending.slips || mending.null_is_absent || arguments.contains('\\');
    if !may_be_mended && !integer::may_stand_in(arguments) {
        return None;
    }
    // No decoder reads what is deeper, with the object itself.
    if arguments.len() > LONGEST || nesting(arguments) > DEEPEST + 1 {
        return None;
    }
    let mut repairs = Vec::new();
    let object = match serde_json::from_str::<Pairs>(arguments) {
        Ok(_) => arguments.to_owned(),
        #[cfg(feature = "lenient")]
        Err(_) if mending.slips => broken::object(arguments, &mut repairs)?,
        Err(_) => return None,
    };
    let mut rewriting = rewrite::Rewriting::new(checker, mending, &object);
    let written = rewriting.arguments(&object);
    repairs.append(&mut rewriting.repairs);
    (written != arguments).then_some(Mended { arguments: written, repairs })
}
