//! One value, several rules: which of them hold, and which one was meant where none does.

use super::Checker;
use super::expected::{self, Got};
use super::number::{canonical, canonical_text};
use super::object::{only_required, value_of};
use super::rule::{Alternatives, Kinds, Rule, RuleId, Tag};
use super::walk::{Stop, Walk, Walked};
use crate::json::{Quoted, Scanner};
use crate::outcome::ArgumentFault;
use serde_json::Value;

impl<'c> Walk<'c> {
    /// Holds a value to a rule that looks at it more than once.
    pub(super) fn compound(&mut self, rule: &'c Rule, json: &str) -> Walked {
        self.spend(json)?;
        let before = self.faults_so_far();
        if rule.says_something_itself() {
            self.simple(rule, &mut Scanner::new(json))?;
            // Every other rule would say again that the value is of another kind.
            if !rule.kinds.meets(Kinds::of(json)) {
                return Ok(());
            }
        }
        if let Some(listed) = &rule.listed {
            self.listed_whole(rule, listed, json)?;
        }
        for &id in &rule.all {
            self.value(id, json)?;
        }
        // Where the value is wrong already, what its alternatives say would say it again.
        if self.faults_so_far() == before {
            for alternatives in &rule.alternatives {
                self.alternatives(rule, alternatives, json)?;
            }
            if let Some(not) = rule.not {
                if self.holds(not, json)? {
                    self.mismatch(rule, &Got::of(json))?;
                }
            }
        }
        Ok(())
    }

    fn faults_so_far(&mut self) -> usize {
        self.report().map_or(0, |report| report.len())
    }

    /// Lists and objects that are listed; `simple` has seen to the rest.
    fn listed_whole(&mut self, rule: &Rule, listed: &[Value], json: &str) -> Walked {
        if !Kinds::LIST.with(Kinds::OBJECT).meets(Kinds::of(json)) {
            return Ok(());
        }
        let value = canonical_text(json);
        if listed.iter().any(|other| canonical(other) == value) {
            return Ok(());
        }
        self.mismatch(rule, &Got::of(json))
    }

    fn alternatives(&mut self, rule: &Rule, alternatives: &Alternatives, json: &str) -> Walked {
        let candidates = self.checker().candidates(alternatives, json);
        let is_absent = match alternatives.absent {
            Some(absent) => self.holds(absent, json)?,
            None => false,
        };
        if is_absent && !alternatives.exactly_one {
            return Ok(());
        }
        // Asked once, it says what is wrong with it as well.
        if let (&[only], false) = (&candidates[..], is_absent) {
            return self.value(only, json);
        }
        let mut holding = usize::from(is_absent);
        for &id in &candidates {
            if self.holds(id, json)? {
                holding += 1;
                if !alternatives.exactly_one {
                    return Ok(());
                }
            }
        }
        match holding {
            1 => Ok(()),
            0 => match &alternatives.tag {
                _ if self.report().is_none() => Err(Stop::Refused),
                Some(tag) if Kinds::of(json) == Kinds::OBJECT => {
                    self.unknown_tag(tag, json);
                    Ok(())
                }
                _ => self.mismatch(rule, &Got::of(json)),
            },
            _ => self.fault(|_| "matches more than one of its alternatives".to_owned()),
        }
    }

    #[cold]
    fn unknown_tag(&mut self, tag: &Tag, json: &str) {
        let value = value_of(json, &tag.property);
        let constants = || tag.values.iter().map(|(constant, _)| &**constant);
        let Some(report) = self.report() else { return };
        let path = report.path_of(&tag.property);
        report.add(match value.map(Got::of) {
            None => ArgumentFault::Missing { argument: path },
            Some(got) => {
                let expected = expected::one_of(constants());
                ArgumentFault::Invalid { path, problem: expected::instead_of(&expected, &got, constants()) }
            }
        });
    }
}

impl Checker {
    /// The alternatives that can hold: none of them takes another kind of value, another tag, or does without a key that it
    /// requires.
    pub(super) fn candidates(&self, alternatives: &Alternatives, json: &str) -> Vec<RuleId> {
        let kind = Kinds::of(json);
        let of_kind = alternatives.branches.iter().copied().filter(|&id| self.rule(id).kinds.meets(kind));
        if kind != Kinds::OBJECT {
            return of_kind.collect();
        }
        if let Some(tag) = &alternatives.tag {
            let value = value_of(json, &tag.property).and_then(Quoted::of).and_then(Quoted::unquoted);
            let is_meant = |(constant, _): &&(String, RuleId)| value.as_deref() == Some(constant);
            return tag.values.iter().filter(is_meant).map(|&(_, id)| id).collect();
        }
        let has_its_key =
            |&id: &RuleId| only_required(self.rule(id)).is_none_or(|key| value_of(json, key).is_some());
        of_kind.filter(has_its_key).collect()
    }

    /// The same of every set of alternatives that a rule has.
    pub(crate) fn branches(&self, rule: &Rule, json: &str) -> Vec<RuleId> {
        rule.alternatives.iter().flat_map(|alternatives| self.candidates(alternatives, json)).collect()
    }
}
