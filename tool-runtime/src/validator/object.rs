//! Validation of objects: keys are unique, required keys are present, and all keys are allowed.

use super::budget::Stop;
use super::expectation::{self, Expectation};
use super::node::{Count, Node, NodeId, ObjectKeywords};
use super::report::push_key;
use super::suggestion::{suggest_unknown, suggest_within};
use super::validation::Validation;
use crate::json::{Scanner, to_text};
use crate::outcome::{ArgumentError, MAX_SHOWN_ERRORS};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

impl<'v> Validation<'v> {
    /// Validates the next value, which is an object.
    pub(super) fn object(&mut self, node: &'v Node, json: &mut Scanner<'_>) -> Result<(), Stop> {
        let mut keys = SeenKeys::default();
        json.take(b'{');
        while json.has_entry_before(b'}') {
            let key = json.string().value();
            json.take(b':');
            if let Some(key) = key {
                self.entry(node, &mut keys, node.object.position(&key), key, json)?;
            } else {
                self.reject(|_| "a key contains half of a surrogate pair".to_owned())?;
                json.value();
            }
            json.take(b',');
        }
        self.end_of_object(node, &keys)
    }

    fn entry<'k>(
        &mut self,
        node: &'v Node,
        keys: &mut SeenKeys<'k>,
        index: Option<usize>,
        key: Cow<'k, str>,
        json: &mut Scanner<'_>,
    ) -> Result<(), Stop> {
        let object = &node.object;
        if !keys.insert(index, || key.clone()) {
            json.value();
            return self.reject_property(&key, |_, path| ArgumentError::Repeated { argument: path });
        }
        if let Some(names) = object.property_names {
            self.property_name(names, &key)?;
        }
        let mut nodes: Vec<NodeId> = Vec::new();
        for (pattern, id) in &object.patterns {
            if pattern.matches(&key, self.budget)? {
                nodes.push(*id);
            }
        }
        let first = index.map(|index| object.properties[index]).or_else(|| nodes.pop());
        let node = first.unwrap_or(object.additional_properties);
        if node == NodeId::NOTHING && first.is_none() {
            if self.report.is_none() {
                return Err(Stop::Invalid);
            }
            json.value();
            keys.not_allowed.push(key);
            return Ok(());
        }
        self.inside(
            |path| push_key(path, &key),
            |this| {
                if nodes.is_empty() {
                    return this.next(node, json);
                }
                let value = json.value();
                [node].iter().chain(&nodes).try_for_each(|&id| this.value(id, value))
            },
        )
    }

    fn property_name(&mut self, names: NodeId, key: &str) -> Result<(), Stop> {
        // This text is not a part of the arguments, but it is a string, and `matches` caches only arrays and objects.
        if let Some(found) = self.matches(names, &to_text(&key.into()))? {
            self.add_found(found);
            return Ok(());
        }
        self.reject_property(key, |this, path| {
            let node = this.validator.node(names);
            let expected = Expectation::new(this, "\"\"").words(node);
            ArgumentError::invalid(path, format!("its key must be {expected}"))
        })
    }

    /// Reports an error of a property, or ends the validation.
    #[cold]
    pub(super) fn reject_property(
        &mut self,
        key: &str,
        error: impl FnOnce(&mut Self, String) -> ArgumentError,
    ) -> Result<(), Stop> {
        let path = self.report.as_ref().filter(|report| !report.is_full()).map(|report| report.path_of(key));
        let Some(path) = path else { return Err(Stop::Invalid) };
        let error = error(self, path);
        if let Some(report) = &mut self.report {
            report.add(error);
        }
        Ok(())
    }

    /// Reports the errors that are known only after all keys are read.
    fn end_of_object(&mut self, node: &'v Node, keys: &SeenKeys<'_>) -> Result<(), Stop> {
        let object = &node.object;
        let has_key = |&index: &usize| keys.contains(Some(index), &object.names[index]);
        if keys.not_allowed.is_empty()
            && object.required_others.is_empty()
            && object.count == Count::ANY
            && object.required.iter().all(has_key)
        {
            return Ok(());
        }
        let declared = object.required.iter().map(|&index| (Some(index), &*object.names[index]));
        let others = object.required_others.iter().map(|name| (None, name.as_str()));
        let missing = declared.chain(others).filter(|&(index, name)| !keys.contains(index, name));
        let mut missing = missing.map(|(_, name)| name).peekable();
        if missing.peek().is_some() && self.report.is_none() {
            return Err(Stop::Invalid);
        }
        let missing: Vec<&str> = missing.collect();
        // In an open object, a misspelt key is not an error itself.
        let is_open = !missing.is_empty() && keys.not_allowed.is_empty();
        let undeclared = keys.others.iter().flatten().map(|key| &**key);
        let mut undeclared: Vec<&str> =
            undeclared.filter(|key| is_open && object.position(key).is_none()).collect();
        undeclared.sort_unstable();
        for key in &missing {
            self.reject_property(key, |this, path| {
                let similar = suggest_within(key, undeclared.iter().copied(), this.budget).map(str::to_owned);
                ArgumentError::Missing { argument: path, similar }
            })?;
        }
        self.not_allowed(object, keys, &missing)?;
        self.count(node, object.count, "{}", keys.len())
    }

    fn not_allowed(
        &mut self,
        object: &ObjectKeywords,
        keys: &SeenKeys<'_>,
        missing: &[&str],
    ) -> Result<(), Stop> {
        if keys.not_allowed.is_empty() {
            return Ok(());
        }
        if object.names.is_empty() && !object.patterns.is_empty() {
            let patterns = object.patterns.iter().map(|(pattern, _)| pattern.to_string());
            let problem = format!("its key must be {}", expectation::one_of(patterns));
            for key in &keys.not_allowed {
                let problem = problem.clone();
                self.reject_property(key, |_, path| ArgumentError::invalid(path, problem))?;
            }
            return Ok(());
        }
        let absent = || {
            let names = object.names.iter().map(String::as_str).enumerate();
            names.filter(|&(index, name)| !keys.contains(Some(index), name)).map(|(_, name)| name)
        };
        for (index, unknown) in keys.not_allowed.iter().enumerate() {
            // The message shows no more errors than this, and suggestions take time.
            let absent = absent().filter(|_| index < MAX_SHOWN_ERRORS);
            let available = Arc::clone(&object.names);
            self.reject_property(unknown, |this, argument| {
                let suggestion =
                    suggest_unknown(unknown, keys.not_allowed.len(), missing, absent, this.budget);
                ArgumentError::Unknown { argument, suggestion, available }
            })?;
        }
        Ok(())
    }
}

/// The keys of an object that were read.
#[derive(Default)]
struct SeenKeys<'k> {
    /// A bit for each of the first 64 declared properties.
    declared: u64,
    /// The names of all other keys.
    others: Option<HashSet<Cow<'k, str>>>,
    /// The keys that the schema forbids.
    not_allowed: Vec<Cow<'k, str>>,
}

impl<'k> SeenKeys<'k> {
    /// Adds a key, and returns whether it is new.
    fn insert(&mut self, index: Option<usize>, key: impl FnOnce() -> Cow<'k, str>) -> bool {
        let Some(bit) = bit(index) else {
            return self.others.get_or_insert_with(HashSet::new).insert(key());
        };
        let is_new = self.declared & bit == 0;
        self.declared |= bit;
        is_new
    }

    fn contains(&self, index: Option<usize>, key: &str) -> bool {
        let is_other = || self.others.as_ref().is_some_and(|others| others.contains(key));
        bit(index).map_or_else(is_other, |bit| self.declared & bit != 0)
    }

    fn len(&self) -> usize {
        self.declared.count_ones() as usize + self.others.as_ref().map_or(0, HashSet::len)
    }
}

fn bit(index: Option<usize>) -> Option<u64> {
    index.filter(|&index| index < u64::BITS as usize).map(|index| 1 << index)
}

/// The JSON text of a property of an object.
pub(super) fn property<'j>(object: &'j str, key: &str) -> Option<&'j str> {
    Scanner::entries(object).find(|(name, _)| name.as_deref() == Some(key)).map(|(_, value)| value)
}
