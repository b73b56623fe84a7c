//! Validation of a value against several schemas (`anyOf`, `oneOf`, `allOf`, `not`) or an enum of arrays and objects.

use super::Validator;
use super::budget::{Budget, Stop};
use super::expectation;
use super::node::{Node, NodeId, Tag, Union};
use super::object::property;
use super::validation::{Found, Validation};
use crate::json::{JsonString, Scanner, TypeSet};
use crate::outcome::{ArgumentError, Truncated};
use std::collections::HashSet;

impl<'v> Validation<'v> {
    /// Validates a value that must be read more than once.
    pub(super) fn compound(&mut self, node: &'v Node, json: &str) -> Result<(), Stop> {
        let error_count = |this: &Self| this.report.as_ref().map_or(0, |report| report.errors.len());
        let errors_before = error_count(self);
        if node.has_own_constraint {
            self.simple(node, &mut Scanner::new(json))?;
            // Each applicator would report the wrong type again.
            if !node.types.intersects(TypeSet::from_json(json)) {
                return Ok(());
            }
        }
        self.found.unsupported |= node.unsupported.intersects(TypeSet::from_json(json));
        // `simple` validates scalars.
        if TypeSet::ARRAY.union(TypeSet::OBJECT).intersects(TypeSet::from_json(json)) {
            self.enum_value(node, json)?;
        }
        for &id in &node.all_of {
            self.value(id, json)?;
        }
        // If the value is invalid already, the branches would report the same errors again.
        if error_count(self) > errors_before {
            return Ok(());
        }
        for union in &node.unions {
            self.union(node, union, json)?;
        }
        match node.not.map(|not| self.matches(not, json)).transpose()?.flatten() {
            Some(found) if found.unsupported => {
                self.found.unsupported = true;
                Ok(())
            }
            Some(_) => self.mismatch(node, json),
            None => Ok(()),
        }
    }

    fn union(&mut self, node: &'v Node, union: &Union, json: &str) -> Result<(), Stop> {
        let is_nested = TypeSet::ARRAY.union(TypeSet::OBJECT).intersects(TypeSet::from_json(json));
        let mut candidates = self.validator.candidates(union, json, self.budget)?;
        let mut matching = 0;
        // The result is unknown if an unsupported keyword may reject the value in a branch that matches otherwise.
        let mut unknown = None;
        let absent = union.absent.map(|absent| self.matches(absent, json)).transpose()?.flatten();
        match (absent, &candidates[..]) {
            (Some(_), _) => candidates.extend(union.absent),
            // The only possible branch for an array or object reports the errors inside the value.
            (None, &[only]) if is_nested => return self.value(only, json),
            (None, _) => {}
        }
        let mut found_in_match = Found::default();
        for &id in &candidates {
            match self.matches(id, json)? {
                None => {}
                Some(found) if found.unsupported => unknown = Some(found),
                Some(found) => {
                    matching += 1;
                    found_in_match = found;
                    if !union.exactly_one {
                        break;
                    }
                }
            }
        }
        match (matching, unknown) {
            (1, None) => self.add_found(found_in_match),
            (1, Some(_)) if !union.exactly_one => self.add_found(found_in_match),
            (0 | 1, Some(found)) => self.add_found(found),
            (0, None) => return self.no_branch(node, union, json),
            _ => {
                return self
                    .reject(|_| "it matches more than one alternative, and must match one".to_owned());
            }
        }
        Ok(())
    }

    #[cold]
    fn no_branch(&mut self, node: &'v Node, union: &Union, json: &str) -> Result<(), Stop> {
        match &union.tag {
            Some(tag) if TypeSet::from_json(json) == TypeSet::OBJECT => self.unknown_tag(tag, json),
            _ => self.mismatch(node, json),
        }
    }

    fn unknown_tag(&mut self, tag: &Tag, json: &str) -> Result<(), Stop> {
        let value = property(json, &tag.property);
        let constants = tag.values.iter().map(|(constant, _)| &**constant);
        self.budget.spend(tag.values.len() / 4)?;
        self.reject_property(&tag.property, |this, path| match value {
            None => ArgumentError::Missing { argument: path, similar: None },
            Some(value) => {
                let words =
                    expectation::one_of(constants.clone().map(|name| format!("`{}`", Truncated(name))));
                let problem = expectation::with_suggestion(&words, value, constants, this.budget);
                ArgumentError::invalid(path, problem)
            }
        })
    }
}

impl Validator {
    /// The branches that may match. The others require another type, another tag or an absent key.
    pub(crate) fn candidates(
        &self,
        union: &Union,
        json: &str,
        budget: &mut Budget,
    ) -> Result<Vec<NodeId>, Stop> {
        budget.spend(union.branches.len() / 8)?;
        let instance = TypeSet::from_json(json);
        let same_type = union.branches.iter().copied().filter(|&id| self.node(id).may_accept(instance));
        if instance != TypeSet::OBJECT {
            return Ok(same_type.collect());
        }
        if let Some(tag) = &union.tag {
            budget.spend_reading(json)?;
            let value = property(json, &tag.property).and_then(JsonString::from_value);
            let value = value.and_then(JsonString::value);
            let is_selected = |(constant, _): &&(String, NodeId)| value.as_deref() == Some(constant);
            return Ok(tag.values.iter().filter(is_selected).map(|&(_, id)| id).collect());
        }
        let same_type: Vec<NodeId> = same_type.collect();
        if same_type.iter().all(|&id| self.node(id).object.only_required().is_none()) {
            return Ok(same_type);
        }
        budget.spend(json.len())?;
        let keys: HashSet<_> = Scanner::entries(json).filter_map(|(key, _)| key).collect();
        let has_its_key =
            |&id: &NodeId| self.node(id).object.only_required().is_none_or(|key| keys.contains(key));
        Ok(same_type.into_iter().filter(has_its_key).collect())
    }
}
