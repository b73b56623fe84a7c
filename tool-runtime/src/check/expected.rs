//! What was expected and what came, in the words that a model is told.

use super::Checker;
use super::number::Number;
use super::object::only_required;
use super::rule::{Bound, Count, Kinds, Rule, RuleId};
use crate::json::{Pairs, Quoted};
use crate::nearest::nearest;
use crate::outcome::Shortened;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// A value, as far as it is told again.
#[derive(Debug)]
pub(super) enum Got<'a> {
    Null,
    Boolean(bool),
    Number(Number),
    Text(Cow<'a, str>),
    List,
    /// With these keys, as far as they are told.
    Object(String),
}

impl<'a> Got<'a> {
    pub(super) fn of(json: &'a str) -> Self {
        match Kinds::of(json) {
            Kinds::LIST => Got::List,
            Kinds::OBJECT => Got::Object(first_keys(json)),
            Kinds::TEXT => Got::Text(Quoted::of(json).and_then(Quoted::unquoted).unwrap_or(json.into())),
            Kinds::BOOLEAN => Got::Boolean(json.trim() == "true"),
            Kinds::NULL => Got::Null,
            _ => Got::Number(Number::read(json.trim()).0),
        }
    }

    pub(super) fn kind(&self) -> Kinds {
        match self {
            Got::Null => Kinds::NULL,
            Got::Boolean(_) => Kinds::BOOLEAN,
            Got::Number(number) if number.is_integer() => Kinds::INTEGER,
            Got::Number(_) => Kinds::FRACTION,
            Got::Text(_) => Kinds::TEXT,
            Got::List => Kinds::LIST,
            Got::Object(_) => Kinds::OBJECT,
        }
    }

    /// Whether it is this scalar.
    pub(super) fn is(&self, value: &Value) -> bool {
        match (self, value) {
            (Got::Null, Value::Null) => true,
            (Got::Boolean(got), Value::Bool(boolean)) => got == boolean,
            (Got::Number(got), Value::Number(number)) => {
                Number::of(number).is_some_and(|number| got.compare(number).is_eq())
            }
            (Got::Text(got), Value::String(text)) => got == text,
            _ => false,
        }
    }
}

impl fmt::Display for Got<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Got::Null => f.write_str("null"),
            Got::Boolean(boolean) => write!(f, "boolean `{boolean}`"),
            Got::Number(number) if number.is_integer() => write!(f, "integer `{number}`"),
            Got::Number(number) => write!(f, "number `{number}`"),
            Got::Text(text) => write!(f, "string \"{}\"", Shortened(text)),
            Got::List => f.write_str("a list"),
            Got::Object(keys) => write!(f, "an object{keys}"),
        }
    }
}

/// The only key of an object, so that one sees that it is wrong; of an object with many keys none.
fn first_keys(object: &str) -> String {
    match serde_json::from_str(object) {
        Ok(Pairs(pairs)) if pairs.len() == 1 => format!(" with the key `{}`", Shortened(&pairs[0].0)),
        Ok(Pairs(pairs)) if pairs.is_empty() => " without keys".to_owned(),
        _ => String::new(),
    }
}

/// What came instead of what was expected, and which of the texts that are possible was probably meant.
pub(super) fn instead_of<'a>(expected: &str, got: &Got<'_>, texts: impl Iterator<Item = &'a str>) -> String {
    let told = format!("expected {expected}, got {got}");
    let meant = match got {
        Got::Text(text) => nearest(text, texts),
        _ => None,
    };
    match meant {
        Some(meant) => format!("{told}, did you mean `{meant}`?"),
        None => told,
    }
}

/// How deep alternatives of alternatives are told.
const DEEPEST: usize = 4;

/// What a rule expects of a value like this one: of a schema that names no type, only what concerns its kind.
pub(super) fn of_rule(checker: &Checker, rule: &Rule, got: &Got<'_>) -> String {
    let told = |rule: &Rule| {
        let mut words = Words { checker, kind: got.kind(), told: Vec::new(), known: HashSet::new() };
        words.of_rule(rule, DEEPEST);
        list(words.told)
    };
    match rule.not.map(|id| checker.rule(id)) {
        Some(not) => format!("{} other than {}", told(rule), told(not)),
        None => told(rule),
    }
}

/// What is expected, each once, in order.
struct Words<'c> {
    checker: &'c Checker,
    kind: Kinds,
    told: Vec<String>,
    /// An enum may have thousands of values.
    known: HashSet<String>,
}

impl Words<'_> {
    fn of_rule(&mut self, rule: &Rule, deepest: usize) {
        let others: Vec<RuleId> = rule.branches().chain(rule.all.iter().copied()).collect();
        if let Some(listed) = &rule.listed {
            for value in listed {
                self.add(format!("`{}`", shown(value)));
            }
        } else if !others.is_empty() && deepest > 0 && matches!(rule.kinds, Kinds::ALL | Kinds::OBJECT) {
            for id in others {
                self.of_rule(self.checker.rule(id), deepest - 1);
            }
        } else {
            self.of_kinds(rule);
        }
    }

    fn add(&mut self, word: String) {
        if self.known.insert(word.clone()) {
            self.told.push(word);
        }
    }

    fn of_kinds(&mut self, rule: &Rule) {
        let kinds = match rule.kinds {
            Kinds::ALL if rule.says_something_itself() => self.kind,
            Kinds::ALL => return self.add("anything".to_owned()),
            kinds => kinds,
        };
        let mut of_kind = |kind: Kinds, word: String| {
            if kinds.meets(kind) {
                self.add(word);
            }
        };
        of_kind(Kinds::BOOLEAN, "a boolean".to_owned());
        let number = if rule.kinds.meets(Kinds::FRACTION) { "a number" } else { "an integer" };
        let multiple =
            rule.multiple_of.map_or_else(String::new, |divisor| format!(", a multiple of {divisor}"));
        of_kind(Kinds::NUMBER, format!("{number}{}{multiple}", Range(&rule.bounds)));
        let pattern =
            rule.pattern.as_ref().map(|(pattern, _)| format!(" that matches `{}`", Shortened(pattern)));
        let pattern = pattern.unwrap_or_default();
        of_kind(Kinds::TEXT, format!("a string{}{pattern}", Counted(rule.length, "character")));
        of_kind(Kinds::LIST, format!("a list{}", Counted(rule.list.count, "item")));
        of_kind(Kinds::OBJECT, format!("an object{}{}", Counted(rule.object.count, "key"), Keys(rule)));
        of_kind(Kinds::NULL, "null".to_owned());
    }
}

/// Of an object that has nothing but one key, as the content of an enum's variant, which key that is.
struct Keys<'r>(&'r Rule);

impl fmt::Display for Keys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match only_required(self.0) {
            Some(key) => write!(f, " with the key `{key}`"),
            None => Ok(()),
        }
    }
}

/// How many of the values that are possible are told.
const MOST: usize = 20;

/// `` `a`, `b` or `c` ``
pub(super) fn one_of<T: fmt::Display>(values: impl Iterator<Item = T>) -> String {
    list(values.map(|value| format!("`{value}`")).collect())
}

fn list(mut told: Vec<String>) -> String {
    let more = told.len().saturating_sub(MOST);
    told.truncate(MOST);
    match told.split_last() {
        None => "nothing".to_owned(),
        Some(_) if more > 0 => format!("one of {} and {more} more", told.join(", ")),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

fn shown(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.into(),
        other => other.to_string().into(),
    }
}

/// ` from 1 to 10`
struct Range<'a>(&'a [Bound]);

impl fmt::Display for Range<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut least, mut most) = (None, None);
        for bound in self.0 {
            match bound {
                Bound::AtLeast(bound) => least = Some(bound),
                Bound::AtMost(bound) => most = Some(bound),
                Bound::MoreThan(_) | Bound::LessThan(_) => {}
            }
        }
        match (least, most) {
            (Some(least), Some(most)) => write!(f, " from {least} to {most}")?,
            (Some(least), None) => write!(f, " of at least {least}")?,
            (None, Some(most)) => write!(f, " of at most {most}")?,
            (None, None) => {}
        }
        let mut joint = if (least, most) == (None, None) { " " } else { " and " };
        for bound in self.0 {
            match bound {
                Bound::MoreThan(bound) => write!(f, "{joint}greater than {bound}")?,
                Bound::LessThan(bound) => write!(f, "{joint}less than {bound}")?,
                Bound::AtLeast(_) | Bound::AtMost(_) => continue,
            }
            joint = " and ";
        }
        Ok(())
    }
}

/// ` of 1 to 5 items`
struct Counted(Count, &'static str);

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counted(Count { least, most }, unit) = *self;
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        match (least, most) {
            (0, usize::MAX) => Ok(()),
            (0, most) => write!(f, " of at most {most} {unit}{}", plural(most)),
            (least, usize::MAX) => write!(f, " of at least {least} {unit}{}", plural(least)),
            (least, most) if least == most => write!(f, " of {least} {unit}{}", plural(least)),
            (least, most) => write!(f, " of {least} to {most} {unit}s"),
        }
    }
}
