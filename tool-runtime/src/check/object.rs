//! An object held to a rule: each key once, those that must be there, and none that may not.

use super::expected::{self, Got};
use super::rule::{Count, ObjectRule, Property, Rule, bit};
use super::walk::{Stop, Walk, Walked};
use crate::json::Scanner;
use crate::outcome::{ArgumentFault, unknown_arguments};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;

impl<'c> Walk<'c> {
    /// Holds the object that comes next to a rule.
    pub(super) fn object(&mut self, rule: &'c Rule, json: &mut Scanner<'_>) -> Walked {
        let mut keys = Keys::of(rule);
        let mut expected = 0;
        json.take(b'{');
        while json.has_entry_before(b'}') {
            let key = match rule.object.take_known(expected, json) {
                Some((place, property)) => Some((Some(place), Cow::Borrowed(&*property.name))),
                None => json.string().unquoted().map(|key| (rule.object.position(&key), key)),
            };
            json.take(b':');
            if let Some((place, key)) = key {
                expected = place.map_or(expected, |place| place + 1);
                self.entry(rule, &mut keys, place, key, json)?;
            } else {
                self.fault(|_| "a key holds half of a surrogate pair".to_owned())?;
                json.value();
            }
            json.take(b',');
        }
        keys.end(self)
    }

    fn entry<'k>(
        &mut self,
        rule: &'c Rule,
        keys: &mut Keys<'k, 'c>,
        place: Option<usize>,
        key: Cow<'k, str>,
        json: &mut Scanner<'_>,
    ) -> Walked {
        let is_new = match place.and_then(bit) {
            Some(bit) => keys.insert_first(bit),
            None => keys.others.get_or_insert_with(HashSet::new).insert(key.clone()),
        };
        if !is_new {
            json.value();
            return self.fault_of(|path| ArgumentFault::Repeated { argument: path(&key) });
        }
        if let Some(names) = rule.object.names {
            // A text of its own, which is never nested: its place tells nothing.
            if !self.holds(names, &Value::from(&*key).to_string())? {
                let expected = expected::of_rule(self.checker(), self.rule(names), &Got::Text("".into()));
                let problem = format!("its key must be {expected}");
                self.fault_of(|path| ArgumentFault::Invalid { path: path(&key), problem })?;
            }
        }
        let of_place = place.map(|index| rule.object.properties[index].rule);
        let mut patterns =
            rule.object.patterns.iter().filter(|(pattern, _)| pattern.matches(&key)).map(|&(_, id)| id);
        let first = of_place.or_else(|| patterns.next()).or(rule.object.additional);
        let outside = self.report().map(|report| report.enter_property(&key));
        match (first, patterns.next()) {
            (Some(id), None) => self.next(id, json)?,
            (Some(first), Some(second)) => {
                let value = json.value();
                for id in [first, second].into_iter().chain(patterns) {
                    self.value(id, value)?;
                }
            }
            (None, _) if self.report().is_none() => return Err(Stop::Refused),
            (None, _) => {
                json.value();
                keys.unknown.push(key);
            }
        }
        if let (Some(outside), Some(report)) = (outside, self.report()) {
            report.leave_to(outside);
        }
        Ok(())
    }

    /// As `fault`, of an argument that stands in the object.
    #[cold]
    fn fault_of(&mut self, fault: impl FnOnce(&dyn Fn(&str) -> String) -> ArgumentFault) -> Walked {
        match self.report() {
            Some(report) if !report.is_full() => {
                let fault = fault(&|key| report.path_of(key));
                report.add(fault);
                Ok(())
            }
            _ => Err(Stop::Refused),
        }
    }
}

impl ObjectRule {
    /// Goes over a key that is known, if it is written as the schema writes it.
    ///
    /// Models keep to the order of the schema: the property behind the last comes first.
    fn take_known(&self, expected: usize, json: &mut Scanner<'_>) -> Option<(usize, &Property)> {
        if let Some(property) = self.properties.get(expected).filter(|next| json.take_text(&next.key)) {
            return Some((expected, property));
        }
        self.properties.iter().enumerate().find(|(_, property)| json.take_text(&property.key))
    }
}

/// The keys that an object has.
struct Keys<'k, 'c> {
    rule: &'c Rule,
    /// A bit for each of the first properties of the rule, which is most often all of them.
    first: u64,
    others: Option<HashSet<Cow<'k, str>>>,
    unknown: Vec<Cow<'k, str>>,
}

impl<'c> Keys<'_, 'c> {
    fn of(rule: &'c Rule) -> Self {
        Keys { rule, first: 0, others: None, unknown: Vec::new() }
    }

    /// Whether it is new.
    fn insert_first(&mut self, bit: u64) -> bool {
        let is_new = self.first & bit == 0;
        self.first |= bit;
        is_new
    }

    fn holds(&self, place: Option<usize>, key: &str) -> bool {
        match place.and_then(bit) {
            Some(bit) => self.first & bit != 0,
            None => self.others_hold(key),
        }
    }

    fn others_hold(&self, key: &str) -> bool {
        self.others.as_ref().is_some_and(|others| others.contains(key))
    }

    fn len(&self) -> usize {
        self.others.as_ref().map_or(0, HashSet::len) + self.first.count_ones() as usize
    }

    /// What can be said only when every key is known.
    fn end(self, walk: &mut Walk<'c>) -> Walked {
        let (rule, object) = (self.rule, &self.rule.object);
        if self.unknown.is_empty() && object.is_complete_with(self.first) && object.count == Count::ANY {
            return Ok(());
        }
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
        missing.extend(object.required.iter().map(String::as_str).filter(|key| !self.others_hold(key)));
        for key in &missing {
            walk.fault_of(|path| ArgumentFault::Missing { argument: path(key) })?;
        }
        if !self.unknown.is_empty() {
            let known =
                || object.properties.iter().enumerate().filter(absent).map(|(_, property)| &*property.name);
            for (unknown, meant) in unknown_arguments(&self.unknown, &missing, known) {
                walk.fault_of(|path| ArgumentFault::Unknown { argument: path(unknown), meant })?;
            }
        }
        if object.count.admits(self.len()) {
            Ok(())
        } else {
            let length = self.len();
            walk.fault(|checker| {
                format!(
                    "expected {}, got {length}",
                    expected::of_rule(checker, rule, &Got::Object(String::new()))
                )
            })
        }
    }
}

/// How the value of one key of an object is written, if the object has the key.
pub(super) fn value_of<'j>(object: &'j str, key: &str) -> Option<&'j str> {
    let mut json = Scanner::new(object);
    json.take(b'{');
    while json.has_entry_before(b'}') {
        let name = json.string().unquoted();
        json.take(b':');
        let value = json.value();
        if name.is_some_and(|name| name == key) {
            return Some(value);
        }
        json.take(b',');
    }
    None
}

/// The one property of a rule that has one, if it is required: as in `{"Circle": {..}}`.
pub(super) fn only_required(rule: &Rule) -> Option<&str> {
    match &rule.object.properties[..] {
        [property] if property.is_required => Some(&property.name),
        _ => None,
    }
}
