//! A text held to a rule: one walk, which ends at the first fault or, where it reports, finds them all.

use super::expected::{self, Got};
use super::number::Number;
use super::report::Report;
use super::rule::{Bound, Count, Kinds, ListRule, Rule, RuleId};
use super::{Budget, Checker, object};
use serde::Deserialize as _;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::fmt;

/// How deep values may be nested, alternatives counted: a schema that refers to itself can ask for any depth.
/// `serde_json` takes 128 levels.
const DEEPEST: usize = 256;

pub(super) struct Walk<'c> {
    checker: &'c Checker,
    report: Option<Report>,
    depth: usize,
    budget: Budget,
    met_integral_float: bool,
    /// Why the walk cannot be brought to its end, whatever alternatives there are.
    given_up: Option<&'static str>,
}

/// The walk met a fault, and does not report, or it cannot go on.
pub(super) type Walked = Result<(), serde_json::Error>;

impl<'c> Walk<'c> {
    pub(super) fn new(checker: &'c Checker, budget: Budget) -> Self {
        Walk { checker, report: None, depth: 0, budget, met_integral_float: false, given_up: None }
    }

    pub(super) fn reporting(checker: &'c Checker, path: &str, json: &str) -> Self {
        Walk { report: Some(Report::at(path)), ..Walk::new(checker, Budget::of(json)) }
    }

    pub(super) fn met_integral_float(&self) -> bool {
        self.met_integral_float
    }

    pub(super) fn into_faults(self) -> Vec<crate::outcome::ArgumentFault> {
        self.report.map(Report::into_faults).unwrap_or_default()
    }

    pub(super) fn budget(&self) -> Budget {
        self.budget
    }

    pub(super) fn rule(&self, id: RuleId) -> &'c Rule {
        self.checker.rule(id)
    }

    pub(super) fn report(&mut self) -> Option<&mut Report> {
        self.report.as_mut()
    }

    /// Holds a JSON value to a rule.
    pub(super) fn value(&mut self, id: RuleId, json: &str) -> Walked {
        let mut deserializer = serde_json::Deserializer::from_str(json);
        self.seed(id).deserialize(&mut deserializer)?;
        deserializer.end()
    }

    pub(super) fn seed(&mut self, id: RuleId) -> Held<'_, 'c> {
        let rule = self.rule(id);
        Held { walk: self, rule }
    }

    /// The value held to what the rule says of it alone, without its alternatives.
    pub(super) fn simple(&mut self, rule: &'c Rule, json: &str) -> Walked {
        let mut deserializer = serde_json::Deserializer::from_str(json);
        (&mut deserializer).deserialize_any(Held { walk: self, rule })
    }

    /// Whether a rule holds, found out without a report. The error is that the walk cannot go on.
    pub(super) fn holds(&mut self, id: RuleId, json: &str) -> Result<bool, serde_json::Error> {
        let (report, depth) = (self.report.take(), self.depth);
        let met_before = self.met_integral_float;
        let walked = self.value(id, json);
        (self.report, self.depth) = (report, depth);
        match walked {
            Ok(()) => Ok(true),
            Err(error) if self.given_up.is_some() => Err(error),
            Err(_) => {
                self.met_integral_float = met_before;
                Ok(false)
            }
        }
    }

    /// Ends the walk, or says what is wrong and lets it go on.
    #[cold]
    pub(super) fn fault(&mut self, problem: impl FnOnce(&Checker) -> String) -> Walked {
        match &mut self.report {
            None => Err(serde_json::Error::custom("refused")),
            Some(report) => {
                let problem = problem(self.checker);
                report.invalid(problem);
                Ok(())
            }
        }
    }

    fn mismatch(&mut self, rule: &Rule, got: &Got<'_>) -> Walked {
        self.fault(|checker| format!("expected {}, got {got}", expected::of_rule(checker, rule)))
    }

    pub(super) fn deeper(&mut self) -> Walked {
        self.depth += 1;
        if self.depth > DEEPEST { self.give_up("recursion limit exceeded") } else { Ok(()) }
    }

    pub(super) fn up(&mut self) {
        self.depth -= 1;
    }

    /// Pays for looking at a value once more.
    pub(super) fn spend(&mut self, json: &str) -> Walked {
        if self.budget.spend(json) { Ok(()) } else { self.give_up("too many alternatives to check") }
    }

    #[cold]
    fn give_up(&mut self, why: &'static str) -> Walked {
        self.given_up = Some(why);
        Err(serde_json::Error::custom(why))
    }

    fn scalar(&mut self, rule: &Rule, got: &Got<'_>) -> Walked {
        if !rule.kinds.meets(got.kind()) {
            return self.mismatch(rule, got);
        }
        if let Some(listed) = &rule.listed {
            if !listed.iter().any(|value| got.is(value)) {
                return self.unlisted(rule, listed, got);
            }
        }
        let holds = match got {
            Got::Number(number) => {
                rule.bounds.iter().all(|bound| bound.admits(*number))
                    && rule.multiple_of.is_none_or(|divisor| number.is_multiple_of(divisor))
            }
            Got::Text(text) => {
                (rule.length == Count::ANY || rule.length.admits(text.chars().count()))
                    && rule.pattern.as_ref().is_none_or(|(_, pattern)| pattern.matches(text))
            }
            _ => true,
        };
        if holds { Ok(()) } else { self.mismatch(rule, got) }
    }

    #[cold]
    fn unlisted(&mut self, rule: &Rule, listed: &[Value], got: &Got<'_>) -> Walked {
        self.fault(|checker| {
            let texts = listed.iter().filter_map(Value::as_str);
            expected::instead_of(&expected::of_rule(checker, rule), got, texts)
        })
    }

    /// A number that the parser reads as a float.
    fn float(&mut self, rule: &Rule, float: f64) -> Walked {
        let number = Number::from(float);
        if number.is_integer() && !rule.kinds.meets(Kinds::FRACTION) {
            self.met_integral_float = true;
        }
        self.scalar(rule, &Got::Number(number))
    }

    fn list<'de, A: SeqAccess<'de>>(&mut self, rule: &'c Rule, mut items: A) -> Result<(), A::Error> {
        if !rule.kinds.meets(Kinds::LIST) {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return self.mismatch(rule, &Got::List).map_err(A::Error::custom);
        }
        let ListRule { count, unique, .. } = rule.list;
        let mut seen = HashSet::new();
        let mut length = 0;
        loop {
            let outside = self.report.as_mut().map(|report| report.enter_item(length));
            let more = if unique {
                match items.next_element::<&RawValue>()? {
                    Some(item) => {
                        self.value(rule.item(length), item.get()).map_err(A::Error::custom)?;
                        if !seen.insert(canonical(item.get()).map_err(A::Error::custom)?) {
                            self.fault(|_| "is there twice".to_owned()).map_err(A::Error::custom)?;
                        }
                        true
                    }
                    None => false,
                }
            } else {
                let id = rule.item(length);
                items.next_element_seed(self.seed(id))?.is_some()
            };
            if let (Some(outside), Some(report)) = (outside, &mut self.report) {
                report.leave_to(outside);
            }
            if !more {
                break;
            }
            length += 1;
        }
        if count.admits(length) {
            Ok(())
        } else {
            self.fault(|checker| format!("expected {}, got {length}", expected::of_rule(checker, rule)))
                .map_err(A::Error::custom)
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

/// A value written so that equal ones are equal texts: keys in order, integers as such.
fn canonical(json: &str) -> serde_json::Result<String> {
    fn settled(value: Value) -> Value {
        match value {
            Value::Number(number) => match number.as_f64().map(Number::from) {
                // What is an integer already is exact, which its float may not be.
                Some(Number::Integer(integer)) if number.is_f64() => integer.to_string().into(),
                _ => number.to_string().into(),
            },
            // Told from the numbers above.
            Value::String(text) => format!("\"{text}").into(),
            Value::Array(items) => items.into_iter().map(settled).collect(),
            Value::Object(entries) => {
                let mut entries: Vec<(String, Value)> = entries.into_iter().collect();
                entries.sort_by(|(a, _), (b, _)| a.cmp(b));
                entries
                    .into_iter()
                    .map(|(key, value)| Value::from(vec![key.into(), settled(value)]))
                    .collect()
            }
            other => other,
        }
    }
    serde_json::to_string(&settled(serde_json::from_str(json)?))
}

/// A value that is being held to a rule.
pub(super) struct Held<'w, 'c> {
    walk: &'w mut Walk<'c>,
    rule: &'c Rule,
}

impl<'de> DeserializeSeed<'de> for Held<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.rule.is_compound() {
            let json = <&RawValue>::deserialize(deserializer)?;
            self.walk.compound(self.rule, json.get()).map_err(D::Error::custom)
        } else {
            deserializer.deserialize_any(self)
        }
    }
}

impl<'de> Visitor<'de> for Held<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.walk.scalar(self.rule, &Got::Null).map_err(E::custom)
    }

    fn visit_bool<E: serde::de::Error>(self, boolean: bool) -> Result<(), E> {
        self.walk.scalar(self.rule, &Got::Boolean(boolean)).map_err(E::custom)
    }

    fn visit_i64<E: serde::de::Error>(self, integer: i64) -> Result<(), E> {
        self.walk.scalar(self.rule, &Got::Number(Number::Integer(integer.into()))).map_err(E::custom)
    }

    fn visit_u64<E: serde::de::Error>(self, integer: u64) -> Result<(), E> {
        self.walk.scalar(self.rule, &Got::Number(Number::Integer(integer.into()))).map_err(E::custom)
    }

    fn visit_f64<E: serde::de::Error>(self, float: f64) -> Result<(), E> {
        self.walk.float(self.rule, float).map_err(E::custom)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.walk.scalar(self.rule, &Got::Text(text.into())).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        self.walk.deeper().map_err(A::Error::custom)?;
        self.walk.list(self.rule, items)?;
        self.walk.up();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<(), A::Error> {
        self.walk.deeper().map_err(A::Error::custom)?;
        object::held(self.walk, self.rule, entries)?;
        self.walk.up();
        Ok(())
    }
}
