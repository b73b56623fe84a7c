//! The slow reading, taken when the fast one gave up: it goes on after a fault, to find them all.

use super::object::pairs;
use super::slot::Slot;
use super::{Checks, Parameter, Refusal};
use crate::json::Pairs;
use crate::outcome::{ArgumentFault, unknown_arguments};

/// Fills every slot, or says everything that is wrong.
#[cold]
pub(super) fn read<'a>(
    arguments: &'a str,
    parameters: &[Parameter],
    checks: &Checks,
    slots: &mut [&mut dyn Slot<'a>],
) -> Result<(), Refusal> {
    let Pairs(pairs) = pairs(arguments)?;
    let mut faults = Vec::new();
    let mut unknown = Vec::new();
    let mut given = vec![false; slots.len()];
    for (key, value) in pairs {
        match parameters.iter().position(|parameter| parameter.name == key) {
            None => unknown.push(key),
            Some(index) if given[index] => {
                faults.push(ArgumentFault::Repeated { argument: key.into_owned() });
            }
            Some(index) => {
                given[index] = true;
                let before = faults.len();
                // Of a scalar its decoder says all that there is to say, and of a list only what it met first.
                if checks.needed(index).is_some() || value.get().starts_with('[') {
                    faults.extend(checks.checker().faults(checks.rule(index), &key, value.get()));
                }
                // What the schema admits, a decoder may still refuse: the text of a date, for one.
                if faults.len() == before {
                    let error = match slots[index].read(value.get()) {
                        Ok(length) if length == value.get().len() => continue,
                        Ok(_) => serde::de::Error::custom("the value goes on"),
                        Err(error) => error,
                    };
                    faults.push(ArgumentFault::invalid(key.into_owned(), &error));
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
    faults.extend(missing.iter().map(|&name| ArgumentFault::Missing { argument: name.to_owned() }));
    let not_given =
        || (0..parameters.len()).filter(|&index| !given[index]).map(|index| parameters[index].name);
    faults.extend(
        unknown_arguments(&unknown, &missing, not_given)
            .map(|(key, meant)| ArgumentFault::Unknown { argument: key.to_owned(), meant }),
    );
    if faults.is_empty() { Ok(()) } else { Err(Refusal::Faults(faults)) }
}
