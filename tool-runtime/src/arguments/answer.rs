//! The final answer of a model: one JSON object decoded into a type.

use super::arg_cell::{ArgCell, ArgSlot as _};
use super::decode_error::decode_error;
use super::map_keys::name_map_keys;
use super::object::pairs;
use super::param_mode::ByValue;
use super::{ArgumentsError, ParamSchema};
use crate::coerce::{CoercionOptions, coerce};
use crate::outcome::ArgumentError;
use crate::panics::catch_panic;
use crate::validator::{Budget, Validator, Validity};
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;

/// The schema of the type of an answer, as that of a parameter.
pub(crate) fn answer_parameter<T: DeserializeOwned + JsonSchema>(
    generator: &mut SchemaGenerator,
) -> ParamSchema {
    let mut described = [ArgCell::<ByValue<T>>::with_schema::<T>().describe(generator)];
    name_map_keys(&mut described, |probes| {
        // A decoder of the program may panic on an unexpected key.
        let errors = probes.iter().map(|probe| {
            let error =
                catch_panic(|| serde_json::from_str::<T>(&probe.value).err().map(|error| error.to_string()));
            error.unwrap_or_default()
        });
        errors.collect()
    });
    let [described] = described;
    described
}

/// Decodes an object that is valid under the schema, after the coercions of these options. Without a validator, only the
/// decoder decides.
pub(crate) fn decode_answer<T: DeserializeOwned + JsonSchema>(
    json: &str,
    validator: Option<&Validator>,
    options: CoercionOptions<'_>,
) -> Result<T, ArgumentsError> {
    let Some(validator) = validator else { return decoded(json) };
    let nulls_are_absent = options.null_is_absent && json.contains("null");
    let without_nulls = nulls_are_absent
        .then(|| coerce(json, validator, CoercionOptions { lenient: false, ..options }))
        .flatten();
    let json = without_nulls.as_ref().map_or(json, |coerced| &coerced.arguments);
    let error = match valid(json, validator) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    match coerce(json, validator, options) {
        Some(coerced) => valid(&coerced.arguments, validator),
        None => Err(error),
    }
}

fn valid<T: DeserializeOwned + JsonSchema>(json: &str, validator: &Validator) -> Result<T, ArgumentsError> {
    pairs(json)?;
    let errors = match validator.validity(validator.root, json, &mut Budget::new(json)) {
        Validity::Valid => Vec::new(),
        Validity::WithIntegralFloats => vec![ArgumentError::with_integral_floats("")],
        Validity::Invalid => validator.errors(validator.root, "", json, &mut Budget::new(json)),
    };
    if errors.is_empty() { decoded(json) } else { Err(ArgumentsError::Invalid(errors)) }
}

fn decoded<T: DeserializeOwned + JsonSchema>(json: &str) -> Result<T, ArgumentsError> {
    pairs(json)?;
    let json = json.trim();
    let decoded = catch_panic(|| {
        if let Ok(value) = serde_json::from_str(json) {
            return Ok(value);
        }
        let mut cell = ArgCell::<ByValue<T>>::with_schema::<T>();
        Err(decode_error(&mut cell, "", json).into_iter().collect())
    });
    decoded.unwrap_or_else(|_| Err(vec![panicked()])).map_err(ArgumentsError::Invalid)
}

/// The panic hook of the process has reported the panic.
fn panicked() -> ArgumentError {
    ArgumentError::invalid(String::new(), "it cannot be decoded".to_owned())
}
