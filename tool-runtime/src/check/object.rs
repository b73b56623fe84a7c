//! An object held to a rule: each key once, those that must be there, and none that may not.

use super::expected::{self, Got};
use super::rule::{Kinds, Property, Rule};
use super::walk::{Walk, Walked};
use crate::json::{Pairs, Text};
use crate::outcome::{ArgumentFault, unknown_arguments};
use serde::de::{Error as _, IgnoredAny, MapAccess};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;

pub(super) fn held<'de, 'c, A: MapAccess<'de>>(
    walk: &mut Walk<'c>,
    rule: &'c Rule,
    mut entries: A,
) -> Result<(), A::Error> {
    if !rule.kinds.meets(Kinds::OBJECT) {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        return walk
            .fault(|checker| format!("expected {}, got {}", expected::of_rule(checker, rule), Got::Object))
            .map_err(A::Error::custom);
    }
    let mut keys = Keys::of(rule);
    while let Some(Text(key)) = entries.next_key()? {
        let place = rule.object.position(&key);
        if !keys.insert(place, key.clone()) {
            entries.next_value::<IgnoredAny>()?;
            walk.other_fault(|path| ArgumentFault::Repeated { argument: path(&key) })
                .map_err(A::Error::custom)?;
            continue;
        }
        if let Some(names) = rule.object.names {
            let name = serde_json::to_string(&key).map_err(A::Error::custom)?;
            walk.value(names, &name).map_err(A::Error::custom)?;
        }
        let of_place = place.map(|index| rule.object.properties[index].rule);
        let mut rules = of_place.into_iter().chain(
            rule.object.patterns.iter().filter(|(pattern, _)| pattern.matches(&key)).map(|&(_, id)| id),
        );
        let first = rules.next().or(rule.object.additional);
        let outside = walk.report().map(|report| report.enter_property(&key));
        match (first, rules.next()) {
            (None, _) => {
                entries.next_value::<IgnoredAny>()?;
                keys.unknown.push(key);
                if walk.report().is_none() {
                    return Err(A::Error::custom("refused"));
                }
            }
            (Some(id), None) => entries.next_value_seed(walk.seed(id))?,
            (Some(first), Some(second)) => {
                let json = entries.next_value::<&RawValue>()?.get();
                for id in [first, second].into_iter().chain(rules) {
                    walk.value(id, json).map_err(A::Error::custom)?;
                }
            }
        }
        if let (Some(outside), Some(report)) = (outside, walk.report()) {
            report.leave_to(outside);
        }
    }
    keys.end(walk, rule).map_err(A::Error::custom)
}

/// The keys that an object has.
struct Keys<'de, 'c> {
    rule: &'c Rule,
    /// A bit for each of the first properties of the rule, which is most often all of them.
    first: u64,
    others: HashSet<Cow<'de, str>>,
    unknown: Vec<Cow<'de, str>>,
}

impl<'de, 'c> Keys<'de, 'c> {
    fn of(rule: &'c Rule) -> Self {
        Keys { rule, first: 0, others: HashSet::new(), unknown: Vec::new() }
    }

    /// Whether it is new.
    fn insert(&mut self, place: Option<usize>, key: Cow<'de, str>) -> bool {
        match place.and_then(bit) {
            Some(bit) => {
                let is_new = self.first & bit == 0;
                self.first |= bit;
                is_new
            }
            None => self.others.insert(key),
        }
    }

    fn holds(&self, place: Option<usize>, key: &str) -> bool {
        match place.and_then(bit) {
            Some(bit) => self.first & bit != 0,
            None => self.others.contains(key),
        }
    }

    fn len(&self) -> usize {
        self.others.len() + self.first.count_ones() as usize
    }

    /// What can be said only when every key is known.
    fn end(self, walk: &mut Walk<'c>, rule: &Rule) -> Walked {
        let object = &rule.object;
        let absent = |&(index, property): &(usize, &Property)| !self.holds(Some(index), &property.name);
        let mut missing: Vec<&str> = Vec::new();
        if object.properties.iter().any(|property| property.is_required) {
            let of_properties = object.properties.iter().enumerate().filter(absent);
            missing.extend(
                of_properties
                    .filter(|(_, property)| property.is_required)
                    .map(|(_, property)| &*property.name),
            );
        }
        missing.extend(object.required.iter().map(String::as_str).filter(|key| !self.others.contains(*key)));
        for key in &missing {
            walk.other_fault(|path| ArgumentFault::Missing { argument: path(key) })?;
        }
        if !self.unknown.is_empty() {
            let known = || {
                self.rule
                    .object
                    .properties
                    .iter()
                    .enumerate()
                    .filter(absent)
                    .map(|(_, property)| &*property.name)
            };
            for (unknown, meant) in unknown_arguments(&self.unknown, &missing, known) {
                walk.other_fault(|path| ArgumentFault::Unknown { argument: path(unknown), meant })?;
            }
        }
        if object.count.admits(self.len()) {
            Ok(())
        } else {
            let length = self.len();
            walk.fault(|checker| format!("expected {}, got {length}", expected::of_rule(checker, rule)))
        }
    }
}

fn bit(place: usize) -> Option<u64> {
    (place < u64::BITS as usize).then(|| 1 << place)
}

impl Walk<'_> {
    /// As `fault`, of an argument that stands in the object.
    #[cold]
    fn other_fault(&mut self, fault: impl FnOnce(&dyn Fn(&str) -> String) -> ArgumentFault) -> Walked {
        match self.report() {
            None => Err(serde_json::Error::custom("refused")),
            Some(report) => {
                let fault = fault(&|key| report.path_of(key));
                report.add(fault);
                Ok(())
            }
        }
    }
}

/// The value of one key of an object, if it has it.
pub(super) fn value_of<'j>(json: &'j str, key: &str) -> Option<&'j RawValue> {
    let Pairs(pairs) = serde_json::from_str(json).ok()?;
    pairs.into_iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// The key of an object that has one key, as the content of an enum's variant has.
pub(super) fn only_required(rule: &Rule) -> Option<&str> {
    match &rule.object.properties[..] {
        [property] if property.is_required => Some(&property.name),
        _ => None,
    }
}
