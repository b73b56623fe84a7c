//! One validation. It ends at the first error or, with a report, collects all errors.

use super::Validator;
use super::budget::{Budget, Stop};
use super::expectation::{self, Expectation};
use super::node::{Count, Node, NodeId};
use super::report::{Report, push_index};
use crate::json::{JsonString, Scanner, TypeSet};
use crate::json::{Number, canonical_text};
use crate::outcome::{ArgumentError, Problem};
use std::collections::{HashMap, HashSet};

/// How deep arrays, objects, unions and references may be nested. Limits the stack. `serde_json` parses 127 nested
/// arrays and objects, each of which may be in a union and a reference.
const MAX_DEPTH: usize = 400;

pub(super) struct Validation<'v> {
    pub(super) validator: &'v Validator,
    pub(super) report: Option<Report>,
    depth: usize,
    pub(super) budget: &'v mut Budget,
    pub(super) found: Found,
    /// The cached results for arrays and objects, by node and by the address of the value in the text.
    known: HashMap<(NodeId, *const u8), Option<Found>>,
}

/// Properties of the values that were validated without an error.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    pub(super) integral_float: bool,
    /// A keyword that is not supported may reject the value.
    pub(super) unsupported: bool,
}

impl<'v> Validation<'v> {
    pub(super) fn new(validator: &'v Validator, report: Option<Report>, budget: &'v mut Budget) -> Self {
        Validation { validator, report, depth: 0, budget, found: Found::default(), known: HashMap::default() }
    }

    /// Validates a value, and pays for reading it.
    pub(super) fn value(&mut self, id: NodeId, json: &str) -> Result<(), Stop> {
        self.budget.spend_reading(json)?;
        let node = self.validator.node(id);
        if node.is_compound {
            self.deeper(|this| this.compound(node, json))
        } else {
            self.simple(node, &mut Scanner::new(json))
        }
    }

    /// Validates the next value, and skips it.
    pub(super) fn next(&mut self, id: NodeId, json: &mut Scanner<'_>) -> Result<(), Stop> {
        let node = self.validator.node(id);
        if node.is_compound { self.value(id, json.value()) } else { self.simple(node, json) }
    }

    /// Validates the next value by the keywords of the node itself, without its applicators.
    pub(super) fn simple(&mut self, node: &'v Node, json: &mut Scanner<'_>) -> Result<(), Stop> {
        match json.peek() {
            b'{' if node.types.intersects(TypeSet::OBJECT) => self.deeper(|this| this.object(node, json)),
            b'[' if node.types.intersects(TypeSet::ARRAY) => self.deeper(|this| this.array(node, json)),
            b'"' if node.types.intersects(TypeSet::STRING) => {
                let string = json.string();
                if node.accepts_any_string() { Ok(()) } else { self.string(node, string) }
            }
            b'-' | b'0'..=b'9' if node.types.intersects(TypeSet::NUMBER) => {
                let number = json.scalar();
                if node.accepts_any_number() { Ok(()) } else { self.number(node, number) }
            }
            b't' | b'f' if node.types.intersects(TypeSet::BOOLEAN) => self.enum_value(node, json.scalar()),
            b'n' if node.types.intersects(TypeSet::NULL) => self.enum_value(node, json.scalar()),
            _ => self.mismatch(node, json.value()),
        }
    }

    fn deeper(&mut self, validate: impl FnOnce(&mut Self) -> Result<(), Stop>) -> Result<(), Stop> {
        if self.depth >= MAX_DEPTH {
            return Err(Stop::LimitReached);
        }
        self.depth += 1;
        let result = validate(self);
        self.depth -= 1;
        result
    }

    /// Returns the findings if the value matches, and reports nothing. `json` must be a part of the text that is
    /// validated: results are cached by its address, since nested unions validate the same value again and again.
    pub(super) fn matches(&mut self, id: NodeId, json: &str) -> Result<Option<Found>, Stop> {
        let is_nested = TypeSet::ARRAY.union(TypeSet::OBJECT).intersects(TypeSet::from_json(json));
        let key = (id, json.as_ptr());
        if is_nested {
            if let Some(&known) = self.known.get(&key) {
                return Ok(known);
            }
            // Pays for the memory of the cache entry.
            self.budget.spend(16)?;
        }
        let report = self.report.take();
        let found = std::mem::take(&mut self.found);
        let result = self.value(id, json);
        self.report = report;
        let found_here = std::mem::replace(&mut self.found, found);
        let matched = match result {
            Ok(()) => Some(found_here),
            Err(Stop::Invalid) => None,
            Err(Stop::LimitReached) => return Err(Stop::LimitReached),
        };
        if is_nested {
            self.known.insert(key, matched);
        }
        Ok(matched)
    }

    /// Adds the findings of a branch.
    pub(super) fn add_found(&mut self, found: Found) {
        self.found.integral_float |= found.integral_float;
        self.found.unsupported |= found.unsupported;
    }

    /// Reports an error, or ends the validation.
    #[cold]
    pub(super) fn reject<P: Into<Problem>>(
        &mut self,
        problem: impl FnOnce(&mut Self) -> P,
    ) -> Result<(), Stop> {
        if self.report.as_ref().is_none_or(Report::is_full) {
            return Err(Stop::Invalid);
        }
        let problem = problem(self).into();
        if let Some(report) = &mut self.report {
            report.add(ArgumentError::invalid(report.path.clone(), problem));
        }
        Ok(())
    }

    #[cold]
    pub(super) fn mismatch(&mut self, node: &'v Node, json: &str) -> Result<(), Stop> {
        self.reject(|this| expectation::mismatch(this, node, json))
    }

    /// Validates a value against `enum` and `const`.
    pub(super) fn enum_value(&mut self, node: &'v Node, json: &str) -> Result<(), Stop> {
        match &node.enum_values {
            Some(values) if !values.contains(json, self.budget)? => self.mismatch(node, json),
            _ => Ok(()),
        }
    }

    fn string(&mut self, node: &'v Node, string: JsonString<'_>) -> Result<(), Stop> {
        let Some(text) = string.value() else {
            return self.reject(|_| "the string contains half of a surrogate pair".to_owned());
        };
        let mut is_valid = node.length == Count::ANY || node.length.accepts(text.chars().count());
        if let Some(pattern) = node.pattern.as_ref().filter(|_| is_valid) {
            is_valid = pattern.matches(&text, self.budget)?;
        }
        if is_valid { self.enum_value(node, string.json) } else { self.mismatch(node, string.json) }
    }

    fn number(&mut self, node: &'v Node, json: &str) -> Result<(), Stop> {
        let number = Number::read(json);
        if !node.accepts_number(number) {
            return self.mismatch(node, json);
        }
        // Decoders of integers read only digits.
        let is_float = json == "-0" || json.contains(['.', 'e', 'E']);
        self.found.integral_float |=
            is_float && number.is_integer() && !node.types.intersects(TypeSet::NON_INTEGER);
        self.enum_value(node, json)
    }

    fn array(&mut self, node: &'v Node, json: &mut Scanner<'_>) -> Result<(), Stop> {
        json.take(b'[');
        let mut seen = None;
        let mut length = 0;
        while json.has_entry_before(b']') {
            let id = node.item(length);
            let push_step = |path: &mut String| push_index(path, length);
            self.inside(push_step, |this| {
                if !node.array.unique {
                    return this.next(id, json);
                }
                let item = json.value();
                this.value(id, item)?;
                // The canonical form is a copy.
                this.budget.spend(item.len())?;
                if seen.get_or_insert_with(HashSet::new).insert(canonical_text(item)) {
                    return Ok(());
                }
                this.reject(|_| "an equal item is in the list already".to_owned())
            })?;
            json.take(b',');
            length += 1;
        }
        self.count(node, node.array.count, "[]", length)
    }

    /// Validates a part of the value. The paths of its errors have one more step.
    pub(super) fn inside(
        &mut self,
        push_step: impl FnOnce(&mut String),
        validate: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let Some(report) = &mut self.report else { return validate(self) };
        let length = report.path.len();
        push_step(&mut report.path);
        let result = validate(self);
        if let Some(report) = &mut self.report {
            report.path.truncate(length);
        }
        result
    }

    /// Validates the number of items or properties. `example` has the type of the value.
    pub(super) fn count(
        &mut self,
        node: &'v Node,
        limits: Count,
        example: &str,
        count: usize,
    ) -> Result<(), Stop> {
        if limits.accepts(count) {
            return Ok(());
        }
        self.reject(|this| {
            Problem::mismatch(&Expectation::new(this, example).words(node), &count.to_string())
        })
    }
}
