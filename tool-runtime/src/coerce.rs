//! Rewrites arguments into a form that their tool decodes, if there is exactly one.
//!
//! Integers that are written as `1.0` always; a null for an absent argument if a strict schema required it; and more where the
//! program opted in. The result is only text: it is validated as strictly as the text of the model.

mod conversions;
mod integer;
#[cfg(feature = "lenient")]
mod json_repair;
mod rewrite;

use crate::json::{Pairs, max_depth};
use crate::validator::Validator;

/// The coercions that are allowed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CoercionOptions {
    /// A null is an absent argument, since a strict schema makes the model send every property.
    pub(crate) null_is_absent: bool,
    /// Text that is almost JSON is repaired, and a value of another type is converted if there is one way to do it.
    pub(crate) lenient: bool,
}

/// Rewritten arguments.
#[derive(Debug)]
pub(crate) struct Coerced {
    pub(crate) arguments: String,
    /// Each coercion of a mistake of the model, in words; an integer that is written as `1.0` is none, nor is a null that a
    /// strict schema requires.
    pub(crate) coercions: Vec<String>,
}

/// Longer arguments are not coerced: 4 MB.
const MAX_BYTES: usize = 4 << 20;

/// Deeper arguments are not coerced: no decoder reads more.
const MAX_DEPTH: usize = 128;

/// The arguments in another form; `None` if there is none, or no need for it.
#[cold]
pub(crate) fn coerce(arguments: &str, validator: &Validator, options: CoercionOptions) -> Option<Coerced> {
    // In most registries only integers are coerced: to see that there are none halves the time of an error. Keys are rewritten
    // without their escapes, which a map with integer keys does not decode.
    let may_change = options.lenient || options.null_is_absent || arguments.contains('\\');
    if !may_change && !integer::may_contain_float(arguments) {
        return None;
    }
    if arguments.len() > MAX_BYTES || max_depth(arguments) > MAX_DEPTH {
        return None;
    }
    let mut coercions = Vec::new();
    let object = match serde_json::from_str::<Pairs>(arguments) {
        Ok(_) => arguments.to_owned(),
        #[cfg(feature = "lenient")]
        Err(_) if options.lenient => json_repair::object(arguments, &mut coercions)?,
        Err(_) => return None,
    };
    let mut rewrite = rewrite::Rewrite::new(validator, options, &object);
    let written = rewrite.arguments(&object);
    coercions.append(&mut rewrite.coercions);
    (written != arguments).then_some(Coerced { arguments: written, coercions })
}
