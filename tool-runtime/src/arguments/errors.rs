//! The slow path, after the fast one failed: it continues after an error, and collects all errors.

use super::arg_cell::ArgSlot;
use super::decode_error::decode_error;
use super::object::pairs;
use super::{ArgumentsError, Parameter, ToolValidator};
use crate::outcome::{ArgumentError, MAX_SHOWN_ERRORS};
use crate::validator::{Budget, Validity, suggest_unknown};
use std::sync::Arc;

/// Fills every slot, or returns every error.
#[cold]
pub(super) fn read<'a>(
    arguments: &'a str,
    parameters: &[Parameter],
    tool: &ToolValidator,
    slots: &mut [&mut dyn ArgSlot<'a>],
) -> Result<(), ArgumentsError> {
    let pairs = pairs(arguments)?;
    let validator = &tool.validator;
    let mut budget = Budget::new(arguments);
    let mut errors = Vec::new();
    let mut unknown = Vec::new();
    let mut given = vec![false; slots.len()];
    for (key, value) in pairs {
        match parameters.iter().position(|parameter| parameter.name == key) {
            None => unknown.push(key),
            Some(index) if given[index] => {
                errors.push(ArgumentError::Repeated { argument: key.into_owned() });
            }
            Some(index) => {
                given[index] = true;
                let before = errors.len();
                let parameter = &tool.parameters[index];
                errors.extend(validator.errors(parameter.node, &key, value, &mut budget));
                if errors.len() == before
                    && validator.validity(parameter.node, value, &mut budget) == Validity::WithIntegralFloats
                {
                    errors.push(ArgumentError::with_integral_floats(&key));
                }
                // A decoder may reject more than the schema does: for example, the text of a date.
                if errors.len() == before {
                    errors.extend(decode_error(&mut *slots[index], &key, value));
                }
            }
        }
    }
    let mut missing = Vec::new();
    for (index, slot) in slots.iter_mut().enumerate() {
        if !given[index] && !slot.fill_absent() {
            missing.push(parameters[index].name);
        }
    }
    errors.extend(
        missing.iter().map(|&name| ArgumentError::Missing { argument: name.to_owned(), similar: None }),
    );
    let absent = || (0..parameters.len()).filter(|&index| !given[index]).map(|index| parameters[index].name);
    let available = validator.node(validator.root).declared_names();
    for (index, key) in unknown.iter().enumerate() {
        // The message shows no more errors than this, and suggestions take time.
        let absent = absent().filter(|_| index < MAX_SHOWN_ERRORS);
        let suggestion = suggest_unknown(key, unknown.len(), &missing, absent, &mut budget);
        let (argument, available) = (key.clone().into_owned(), Arc::clone(available));
        errors.push(ArgumentError::Unknown { argument, suggestion, available });
    }
    if errors.is_empty() { Ok(()) } else { Err(ArgumentsError::Invalid(errors)) }
}
