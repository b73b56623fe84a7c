//! One value, several rules: which of them hold, and which one was meant where none does.

use super::expected::{self, Got};
use super::object::{only_required, value_of};
use super::rule::{Alternatives, Kinds, Rule, RuleId, Tag};
use super::walk::{Walk, Walked};
use crate::json::{Scanner, unquoted};
use crate::outcome::ArgumentFault;
use serde_json::Value;

impl<'c> Walk<'c> {
    /// Holds a value to a rule that looks at it more than once.
    pub(super) fn compound(&mut self, rule: &'c Rule, json: &str) -> Walked {
        self.deeper()?;
        self.spend(json)?;
        let before = self.faults_so_far();
        if rule.says_something_itself() {
            self.simple(rule, &mut Scanner::new(json))?;
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
                    self.fault(|checker| {
                        format!("expected {}, got {}", expected::of_rule(checker, rule), Got::of(json))
                    })?;
                }
            }
        }
        self.up();
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
        if serde_json::from_str::<Value>(json).is_ok_and(|value| listed.contains(&value)) {
            return Ok(());
        }
        self.fault(|checker| format!("expected {}, got {}", expected::of_rule(checker, rule), Got::of(json)))
    }

    fn alternatives(&mut self, rule: &Rule, alternatives: &Alternatives, json: &str) -> Walked {
        let kind = Kinds::of(json);
        let meant: Vec<RuleId> =
            alternatives.branches.iter().copied().filter(|&id| self.rule(id).kinds.meets(kind)).collect();
        let tagged = match &alternatives.tag {
            Some(tag) if kind == Kinds::OBJECT && meant.len() > 1 => {
                let value = value_of(json, &tag.property);
                let value = value.and_then(unquoted);
                let of_value = |(constant, _): &&(String, RuleId)| value.as_deref() == Some(constant);
                Some((tag, tag.values.iter().filter(of_value).map(|&(_, id)| id).collect::<Vec<_>>()))
            }
            _ => None,
        };
        let candidates = tagged.as_ref().map_or(&meant, |(_, of_tag)| of_tag);
        let mut holding = 0;
        for &id in candidates {
            if self.holds(id, json)? {
                holding += 1;
                if !alternatives.exactly_one {
                    return Ok(());
                }
            }
        }
        match holding {
            1 => Ok(()),
            0 => match (&tagged, &candidates[..]) {
                _ if self.report().is_none() => self.fault(|_| String::new()),
                (_, &[only]) => self.value(only, json),
                (Some((tag, _)), []) => {
                    self.unknown_tag(tag, json);
                    Ok(())
                }
                _ => match self.named_by_its_key(candidates, json) {
                    Some(named) => self.value(named, json),
                    None => self.fault(|checker| {
                        format!("expected {}, got {}", expected::of_rule(checker, rule), Got::of(json))
                    }),
                },
            },
            _ => self.fault(|_| "matches more than one of its alternatives".to_owned()),
        }
    }

    /// As in `{"Circle": {..}}`.
    fn named_by_its_key(&self, candidates: &[RuleId], json: &str) -> Option<RuleId> {
        candidates
            .iter()
            .copied()
            .find(|&id| only_required(self.rule(id)).is_some_and(|key| value_of(json, key).is_some()))
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
