//! Rewrites arguments into a form that their tool decodes, if there is exactly one.
//!
//! Integers that are written as `1.0` always; a null for an absent argument if a strict schema required it; and more where the
//! program opted in. The result is only text: it is validated as strictly as the text of the model.

mod conversions;
#[cfg(feature = "lenient")]
mod json_repair;
mod rewrite;

use crate::json::pairs;
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
    /// Each coercion in words. An integer that is written as `1.0`, or a null that a strict schema requires, is not listed.
    pub(crate) coercions: Vec<String>,
}

/// Longer arguments are not coerced: 4 MB.
const MAX_BYTES: usize = 4 << 20;

/// The arguments in another form; `None` if there is none, or no need for it.
#[cold]
pub(crate) fn coerce(arguments: &str, validator: &Validator, options: CoercionOptions) -> Option<Coerced> {
    // In most registries only integers are coerced, and keys lose their escapes, which a map with integer keys does not decode.
    // This test halves the time of an error.
    let may_change = options.lenient || options.null_is_absent || arguments.contains('\\');
    if !may_change && !conversions::may_contain_float(arguments) {
        return None;
    }
    if arguments.len() > MAX_BYTES {
        return None;
    }
    let mut coercions = Vec::new();
    let object = match pairs(arguments) {
        Some(_) => arguments.to_owned(),
        #[cfg(feature = "lenient")]
        None if options.lenient => json_repair::object(arguments, &mut coercions)?,
        None => return None,
    };
    let written = rewrite::rewrite(validator, options, &object, &mut coercions);
    (written != arguments).then_some(Coerced { arguments: written, coercions })
}
