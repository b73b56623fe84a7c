//! A text held to a rule: one walk, which ends at the first fault or, where it reports, finds them all.

use super::expected::{self, Got};
use super::number::{Number, Written, canonical_text};
use super::report::Report;
use super::rule::{Bound, Count, Kinds, Rule, RuleId};
use super::{Budget, Checker};
use crate::json::{Quoted, Scanner};
use crate::outcome::ArgumentFault;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// How deep lists and objects may stand in one another: `serde_json` reads no more of them.
pub(crate) const DEEPEST: usize = 127;

pub(super) struct Walk<'c> {
    checker: &'c Checker,
    report: Option<Report>,
    depth: usize,
    budget: Budget,
    met_integral_float: bool,
    /// What was asked of a value before, by the rule and the place of the value.
    answers: HashMap<(RuleId, *const u8), Answer>,
}

#[derive(Clone, Copy)]
struct Answer {
    holds: bool,
    met_integral_float: bool,
}

/// The walk met a fault, and does not report, or it cannot go on.
pub(super) type Walked = Result<(), Stop>;

#[derive(Clone, Copy, Debug)]
pub(super) enum Stop {
    Refused,
    /// Whatever alternatives there are.
    GivenUp(&'static str),
}

impl<'c> Walk<'c> {
    pub(super) fn new(checker: &'c Checker, budget: Budget) -> Self {
        Walk { checker, report: None, depth: 0, budget, met_integral_float: false, answers: HashMap::new() }
    }

    pub(super) fn reporting(checker: &'c Checker, path: &str, json: &str) -> Self {
        Walk { report: Some(Report::at(path)), ..Walk::new(checker, Budget::of(json)) }
    }

    pub(super) fn met_integral_float(&self) -> bool {
        self.met_integral_float
    }

    pub(super) fn into_faults(self) -> Vec<ArgumentFault> {
        self.report.map(Report::into_faults).unwrap_or_default()
    }

    pub(super) fn budget(&self) -> Budget {
        self.budget
    }

    pub(super) fn checker(&self) -> &'c Checker {
        self.checker
    }

    pub(super) fn rule(&self, id: RuleId) -> &'c Rule {
        self.checker.rule(id)
    }

    pub(super) fn report(&mut self) -> Option<&mut Report> {
        self.report.as_mut()
    }

    /// Holds a JSON value to a rule.
    pub(super) fn value(&mut self, id: RuleId, json: &str) -> Walked {
        self.next(id, &mut Scanner::new(json))
    }

    /// Holds the next value to a rule, and goes over it.
    pub(super) fn next(&mut self, id: RuleId, json: &mut Scanner<'_>) -> Walked {
        let rule = self.rule(id);
        if rule.is_compound { self.compound(rule, json.value()) } else { self.simple(rule, json) }
    }

    /// The next value held to what the rule says of it alone, without its alternatives.
    pub(super) fn simple(&mut self, rule: &'c Rule, json: &mut Scanner<'_>) -> Walked {
        match json.peek() {
            b'{' if rule.kinds.meets(Kinds::OBJECT) => {
                self.deeper()?;
                self.object(rule, json)?;
                self.depth -= 1;
                Ok(())
            }
            b'[' if rule.kinds.meets(Kinds::LIST) => {
                self.deeper()?;
                self.list(rule, json)?;
                self.depth -= 1;
                Ok(())
            }
            b'"' if rule.kinds.meets(Kinds::TEXT) => {
                let written = json.string();
                if rule.takes_any_text() { Ok(()) } else { self.text(rule, written) }
            }
            b'-' | b'0'..=b'9' if rule.kinds.meets(Kinds::NUMBER) => {
                let written = json.scalar();
                if rule.takes_any_number() { Ok(()) } else { self.number(rule, written) }
            }
            b't' | b'f' if rule.kinds.meets(Kinds::BOOLEAN) => {
                let is_true = json.scalar() == "true";
                self.listed(rule, &Got::Boolean(is_true))
            }
            b'n' if rule.kinds.meets(Kinds::NULL) => {
                json.scalar();
                self.listed(rule, &Got::Null)
            }
            _ => {
                let got = Got::of(json.value());
                self.mismatch(rule, &got)
            }
        }
    }

    /// Whether a rule holds, found out without a report. The error is that the walk cannot go on.
    ///
    /// Alternatives within alternatives ask the same of the same value again and again: `json` must be a part of the text
    /// that the walk goes through, since its place is what it is known by.
    pub(super) fn holds(&mut self, id: RuleId, json: &str) -> Result<bool, Stop> {
        let is_nested = Kinds::LIST.with(Kinds::OBJECT).meets(Kinds::of(json));
        let question = (id, json.as_ptr());
        if let Some(answer) = self.answers.get(&question).filter(|_| is_nested) {
            self.met_integral_float |= answer.met_integral_float;
            return Ok(answer.holds);
        }
        let (report, depth) = (self.report.take(), self.depth);
        let met_before = std::mem::take(&mut self.met_integral_float);
        let walked = self.value(id, json);
        (self.report, self.depth) = (report, depth);
        let holds = match walked {
            Ok(()) => true,
            Err(Stop::Refused) => false,
            Err(given_up) => return Err(given_up),
        };
        let answer = Answer { holds, met_integral_float: holds && self.met_integral_float };
        self.met_integral_float = met_before || answer.met_integral_float;
        if is_nested {
            self.answers.insert(question, answer);
        }
        Ok(holds)
    }

    /// Ends the walk, or says what is wrong and lets it go on.
    #[cold]
    pub(super) fn fault(&mut self, problem: impl FnOnce(&Checker) -> String) -> Walked {
        match &mut self.report {
            Some(report) if !report.is_full() => {
                report.invalid(problem(self.checker));
                Ok(())
            }
            _ => Err(Stop::Refused),
        }
    }

    #[cold]
    pub(super) fn mismatch(&mut self, rule: &Rule, got: &Got<'_>) -> Walked {
        self.fault(|checker| format!("expected {}, got {got}", expected::of_rule(checker, rule, got)))
    }

    fn deeper(&mut self) -> Walked {
        self.depth += 1;
        if self.depth > DEEPEST { Err(Stop::GivenUp("recursion limit exceeded")) } else { Ok(()) }
    }

    /// Pays for looking at a value once more.
    pub(super) fn spend(&mut self, json: &str) -> Walked {
        if self.budget.spend(json) { Ok(()) } else { Err(Stop::GivenUp("too many alternatives to check")) }
    }

    /// A scalar held to the values that are listed.
    fn listed(&mut self, rule: &Rule, got: &Got<'_>) -> Walked {
        match &rule.listed {
            Some(listed) if !listed.iter().any(|value| got.is(value)) => self.fault(|checker| {
                let texts = listed.iter().filter_map(Value::as_str);
                expected::instead_of(&expected::of_rule(checker, rule, got), got, texts)
            }),
            _ => Ok(()),
        }
    }

    fn text(&mut self, rule: &Rule, written: Quoted<'_>) -> Walked {
        let Some(text) = written.unquoted() else {
            return self.fault(|_| "the string holds half of a surrogate pair".to_owned());
        };
        let holds = (rule.length == Count::ANY || rule.length.admits(text.chars().count()))
            && rule.pattern.as_ref().is_none_or(|(_, pattern)| pattern.matches(&text));
        let got = Got::Text(text);
        if holds { self.listed(rule, &got) } else { self.mismatch(rule, &got) }
    }

    fn number(&mut self, rule: &Rule, written: &str) -> Walked {
        let (number, written) = Number::read(written);
        let got = Got::Number(number);
        let holds = rule.kinds.meets(got.kind())
            && rule.bounds.iter().all(|bound| bound.admits(number))
            && rule.multiple_of.is_none_or(|divisor| number.is_multiple_of(divisor));
        if !holds {
            return self.mismatch(rule, &got);
        }
        if written == Written::AsFloat && number.is_integer() && !rule.kinds.meets(Kinds::FRACTION) {
            self.met_integral_float = true;
        }
        self.listed(rule, &got)
    }

    fn list(&mut self, rule: &'c Rule, json: &mut Scanner<'_>) -> Walked {
        json.take(b'[');
        let mut seen = None;
        let mut length = 0;
        while json.has_entry_before(b']') {
            let outside = self.report.as_mut().map(|report| report.enter_item(length));
            let id = rule.item(length);
            if rule.list.unique {
                let item = json.value();
                self.value(id, item)?;
                if !seen.get_or_insert_with(HashSet::new).insert(canonical_text(item)) {
                    self.fault(|_| "is there twice".to_owned())?;
                }
            } else {
                self.next(id, json)?;
            }
            if let (Some(outside), Some(report)) = (outside, &mut self.report) {
                report.leave_to(outside);
            }
            json.take(b',');
            length += 1;
        }
        if rule.list.count.admits(length) {
            Ok(())
        } else {
            self.fault(|checker| {
                format!("expected {}, got {length}", expected::of_rule(checker, rule, &Got::List))
            })
        }
    }
}

impl Bound {
    fn admits(self, number: Number) -> bool {
        match self {
            Bound::AtLeast(bound) => number.compare(bound).is_ge(),
            Bound::MoreThan(bound) => number.compare(bound).is_gt(),
            Bound::AtMost(bound) => number.compare(bound).is_le(),
            Bound::LessThan(bound) => number.compare(bound).is_lt(),
        }
    }
}
