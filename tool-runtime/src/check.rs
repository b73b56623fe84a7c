//! Whether JSON is what a schema says: a schema compiled once into rules, and a walk that holds a text to them.
//!
//! serde and schemars do not agree by themselves on what a type takes. The checker is what makes them: it refuses
//! all that the schema refuses, and serves schemas that no type stands behind as well.

mod alternatives;
mod budget;
mod compile;
mod cycles;
mod expected;
mod number;
mod object;
mod pattern;
mod report;
mod rule;
mod walk;

pub(crate) use budget::Budget;
pub(crate) use compile::percent_decoded;
pub(crate) use pattern::{SIGNED_KEYS, UNSIGNED_KEYS};
pub(crate) use rule::{Kinds, Rule, RuleId};

use crate::outcome::ArgumentFault;
use serde_json::Value;
pub(crate) use walk::DEEPEST;
use walk::{Stop, Walk};

/// A schema, compiled.
#[derive(Debug)]
pub(crate) struct Checker {
    rules: Vec<Rule>,
    root: RuleId,
    /// The keywords that are not enforced, each with its place.
    passed_over: Vec<String>,
}

/// What a text that is as it should be may still need before a type takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admitted {
    AsWritten,
    /// Somewhere an integer is written as `1.0`, which no integer of serde's takes.
    WithIntegralFloats,
}

impl Checker {
    pub(crate) fn new(schema: &Value) -> Self {
        compile::checker(schema)
    }

    pub(crate) fn root(&self) -> RuleId {
        self.root
    }

    pub(crate) fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.0]
    }

    /// Whether some value of a kind may keep to a rule.
    pub(crate) fn admits_kind(&self, id: RuleId, kind: Kinds) -> bool {
        let rule = self.rule(id);
        rule.kinds().meets(kind)
            && rule.all().iter().all(|&other| self.admits_kind(other, kind))
            && (rule.branches().next().is_none()
                || rule.branches().any(|branch| self.admits_kind(branch, kind)))
    }

    pub(crate) fn passed_over(&self) -> &[String] {
        &self.passed_over
    }

    /// Whether the value at the start of a text is what a rule says. It must be JSON, as a parser finds it to be before or
    /// after.
    pub(crate) fn admits(&self, rule: RuleId, json: &str) -> Option<Admitted> {
        self.admits_within(rule, json, &mut Budget::of(json))
    }

    /// The same, where several questions share what they may cost.
    pub(crate) fn admits_within(&self, rule: RuleId, json: &str, budget: &mut Budget) -> Option<Admitted> {
        let mut walk = Walk::new(self, *budget);
        let walked = walk.value(rule, json);
        *budget = walk.budget();
        walked.ok()?;
        Some(if walk.met_integral_float() { Admitted::WithIntegralFloats } else { Admitted::AsWritten })
    }

    /// Everything in which a value is not what a rule says, which must be JSON as well; `path` is where it stands, empty
    /// for the arguments as a whole.
    #[cold]
    pub(crate) fn faults(&self, rule: RuleId, path: &str, json: &str) -> Vec<ArgumentFault> {
        let mut walk = Walk::reporting(self, path, json);
        let ended = walk.value(rule, json);
        let mut faults = walk.into_faults();
        match ended {
            Err(Stop::GivenUp(why)) => {
                faults.push(ArgumentFault::Invalid { path: path.to_owned(), problem: why.to_owned() });
            }
            // A walk that reports ends with its report.
            Err(Stop::Refused) | Ok(()) => {}
        }
        faults
    }
}
