//! The slow reading, taken when the fast one gave up: it goes on after a fault, to find them all.

use super::object::{Pairs, pairs};
use super::slot::Slot;
use super::{Parameter, Refusal};
use crate::nearest::nearest;
use crate::outcome::ArgumentFault;

/// Fills every slot, or says everything that is wrong.
#[cold]
pub(super) fn read<'a>(
    arguments: &'a str,
    parameters: &[Parameter],
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
                if let Err(error) = slots[index].read(value.get()) {
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
    // One wrong name and one that is missing: that is the one that was meant.
    let only = match (&unknown[..], &missing[..]) {
        ([_], &[name]) => Some(name),
        _ => None,
    };
    faults.extend(unknown.into_iter().map(|key| ArgumentFault::Unknown {
        meant: nearest(&key, not_given()).or(only).map(str::to_owned),
        argument: key.into_owned(),
    }));
    if faults.is_empty() { Ok(()) } else { Err(Refusal::Faults(faults)) }
}
