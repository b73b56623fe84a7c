//! The words of error messages: the expected value and the actual value.

use super::budget::Budget;
use super::node::{Bounds, Count, Node};
use super::suggestion::suggest_within;
use super::validation::Validation;
use super::{EnumValues, Validator};
use crate::json::Number;
use crate::json::{JsonString, Scanner, TypeSet, to_text};
use crate::outcome::{MAX_QUOTED, Problem, Truncated, from_to};
use crate::suggest::{fold, misspells};
use serde::de::IgnoredAny;
use serde_json::Value;
use std::borrow::Cow;

/// The type of a JSON value.
fn type_of(json: &str) -> TypeSet {
    match TypeSet::from_json(json) {
        TypeSet::NUMBER if Number::read(json.trim()).is_integer() => TypeSet::INTEGER,
        TypeSet::NUMBER => TypeSet::NON_INTEGER,
        other => other,
    }
}

fn string_value(json: &str) -> Option<Cow<'_, str>> {
    JsonString::from_value(json).and_then(JsonString::value)
}

/// A JSON value in words: `string "x"`, ``an object with the key `a` ``.
fn describe(json: &str) -> String {
    match type_of(json) {
        scalar @ (TypeSet::BOOLEAN | TypeSet::INTEGER | TypeSet::NON_INTEGER) => {
            format!("{} `{}`", scalar.name(), Truncated(json.trim()))
        }
        TypeSet::STRING => {
            format!("string \"{}\"", Truncated(&string_value(json).unwrap_or_default()))
        }
        TypeSet::OBJECT => match &Scanner::entries(json).take(2).collect::<Vec<_>>()[..] {
            [] => "an object without keys".to_owned(),
            [(Some(key), _)] => format!("an object with the key `{}`", Truncated(key)),
            _ => "an object".to_owned(),
        },
        other => other.with_article().to_owned(),
    }
}

/// The problem of a value that a node rejects.
pub(super) fn mismatch<'v>(validation: &mut Validation<'v>, node: &'v Node, json: &str) -> Problem {
    let mut expectation = Expectation::new(validation, json);
    let (words, enums) = (expectation.words(node), expectation.enums);
    let has_enum = !enums.is_empty();
    let strings = enums.into_iter().flat_map(|values| values.values.iter().filter_map(Value::as_str));
    let mut problem = with_suggestion(&words, json, strings, validation.budget);
    if !has_enum {
        let is_short = words.len() <= MAX_QUOTED && node.not.is_none();
        problem.change = is_short.then(|| format!("to {words}"));
    }
    let inner = string_value(json).filter(|_| !node.may_accept(TypeSet::STRING)).unwrap_or_default();
    let types = TypeSet::from_json(&inner);
    if types == TypeSet::OBJECT
        && node.may_accept(types)
        && serde_json::from_str::<IgnoredAny>(&inner).is_ok()
    {
        problem.change = Some("to the object itself, not a string".to_owned());
    }
    problem
}

/// The problem of a value that is not one of these strings, with the nearest one.
pub(super) fn with_suggestion<'a>(
    expected: &str,
    json: &str,
    strings: impl Iterator<Item = &'a str>,
    budget: &mut Budget,
) -> Problem {
    // `unread` is near `read`, and `1m` near `1M`, but they have another meaning.
    let is_other_spelling =
        |text: &str, value: &str| misspells(text, value) && (text.len() > 3 || fold(text) == fold(value));
    let suggestion = string_value(json).and_then(|text| {
        suggest_within(&text, strings, budget).filter(|value| is_other_spelling(&text, value))
    });
    let change = match suggestion {
        Some(value) => from_to(json, &to_text(&value.into())),
        None => "to one of these values".to_owned(),
    };
    Problem { text: format!("expected {expected}, got {}", describe(json)), change: Some(change) }
}

/// The depth to which nested branches are described.
const MAX_DEPTH: usize = 4;

/// The expected values in order.
pub(super) struct Expectation<'v, 'b> {
    validator: &'v Validator,
    instance: TypeSet,
    /// The value, if it is a number or a string that contains one.
    number: Option<Number>,
    /// The first ones, each once.
    values: Vec<String>,
    /// The number of further values.
    more: usize,
    enums: Vec<&'v EnumValues>,
    budget: &'b mut Budget,
}

impl<'v, 'b> Expectation<'v, 'b> {
    pub(super) fn new(validation: &'b mut Validation<'v>, json: &str) -> Self {
        let Validation { validator, budget, .. } = validation;
        let (values, enums, instance) = (Vec::new(), Vec::new(), type_of(json));
        let text = json.trim_matches('"');
        let number = text.parse::<f64>().is_ok().then(|| Number::read(text));
        Expectation { validator, instance, number, values, more: 0, enums, budget }
    }

    /// The values that a node accepts. If the schema has no type, those of the same type as the actual value.
    pub(super) fn words(&mut self, node: &'v Node) -> String {
        self.add_node(node, MAX_DEPTH);
        // A null is not suggested: an optional argument can be left out.
        if self.values.len() > 1 {
            self.values.retain(|words| words != "null");
        }
        let accepted = self.take_list();
        let Some(not) = node.not else { return accepted };
        // A forbidden value is never suggested.
        let enums = self.enums.len();
        self.add_node(self.validator.node(not), MAX_DEPTH);
        self.enums.truncate(enums);
        format!("{accepted} other than {}", self.take_list())
    }

    fn take_list(&mut self) -> String {
        list(&std::mem::take(&mut self.values), std::mem::take(&mut self.more))
    }

    fn add_node(&mut self, node: &'v Node, max_depth: usize) {
        if self.budget.spend(10).is_err() {
            return;
        }
        let mut applicators = node.branches().chain(node.all_of.iter().copied()).peekable();
        if let Some(values) = &node.enum_values {
            self.add_enum(values);
        } else if applicators.peek().is_some()
            && max_depth > 0
            && matches!(node.types, TypeSet::ALL | TypeSet::OBJECT)
        {
            for id in applicators {
                self.add_node(self.validator.node(id), max_depth - 1);
            }
        } else {
            self.add_types(node, max_depth < MAX_DEPTH);
        }
    }

    fn add_enum(&mut self, values: &'v EnumValues) {
        self.enums.push(values);
        for (index, value) in values.values.iter().enumerate() {
            if self.is_full() {
                self.more += values.values.len() - index;
                return;
            }
            self.add(match value {
                Value::String(text) => format!("`{}`", Truncated(text)),
                other => format!("`{}`", Truncated(&to_text(other))),
            });
        }
    }

    fn is_full(&self) -> bool {
        self.values.len() == MAX_LISTED || self.values.iter().map(String::len).sum::<usize>() > MAX_BYTES
    }

    fn add(&mut self, words: String) {
        if self.values.contains(&words) {
            return;
        }
        if self.is_full() {
            self.more += 1;
        } else {
            self.values.push(words);
        }
    }

    fn add_types(&mut self, node: &Node, is_branch: bool) {
        let types = match node.types {
            TypeSet::ALL if node.has_own_constraint => self.instance,
            TypeSet::ALL => return self.add("anything".to_owned()),
            types => types,
        };
        let number =
            if node.types.intersects(TypeSet::NON_INTEGER) { TypeSet::NUMBER } else { TypeSet::INTEGER };
        for (kind, article, constraint) in [
            (TypeSet::BOOLEAN, TypeSet::BOOLEAN, String::new()),
            (TypeSet::NUMBER, number, self.number_constraint(node)),
            (TypeSet::STRING, TypeSet::STRING, string_constraint(node)),
            (TypeSet::ARRAY, TypeSet::ARRAY, self.items(node)),
            (TypeSet::OBJECT, TypeSet::OBJECT, object_constraint(node, is_branch)),
            (TypeSet::NULL, TypeSet::NULL, String::new()),
        ] {
            if types.intersects(kind) {
                self.add(format!("{}{constraint}", article.with_article()));
            }
        }
    }

    /// ` of strings`, ` of 1 to 5 items`
    fn items(&self, node: &Node) -> String {
        let types = self.validator.node(node.array.items).types;
        let unit = match types {
            _ if !node.array.prefix.is_empty() => "item",
            TypeSet::STRING | TypeSet::INTEGER | TypeSet::NUMBER | TypeSet::OBJECT => types.name(),
            _ => "item",
        };
        match node.array.count {
            Count::ANY if unit != "item" => format!(" of {unit}s"),
            count => counted(count, unit),
        }
    }

    /// The range is left out unless the value is a number, or the text of a number outside of it: small models would send a
    /// bound of the range as the value.
    fn number_constraint(&self, node: &Node) -> String {
        let is_shown = |bounds: &&Bounds| match self.number {
            Some(number) => self.instance.intersects(TypeSet::NUMBER) || !bounds.accept(number),
            None => false,
        };
        let bounds = node.bounds.as_deref().filter(is_shown);
        let bound = |of: fn(&Bounds) -> Option<Number>| bounds.and_then(of);
        let inclusive = match (bound(|bounds| bounds.minimum), bound(|bounds| bounds.maximum)) {
            (Some(min), Some(max)) => Some(format!("from {min} to {max}")),
            (Some(min), None) => Some(format!("of at least {min}")),
            (None, Some(max)) => Some(format!("of at most {max}")),
            (None, None) => None,
        };
        let above = bound(|bounds| bounds.exclusive_minimum).map(|min| format!("greater than {min}"));
        let below = bound(|bounds| bounds.exclusive_maximum).map(|max| format!("less than {max}"));
        let range: Vec<String> = [inclusive, above, below].into_iter().flatten().collect();
        let joint = if range.is_empty() { "" } else { " " };
        let multiple = node.multiple_of.map(|divisor| format!(", a multiple of {divisor}"));
        format!("{joint}{}{}", range.join(" and "), multiple.unwrap_or_default())
    }
}

fn string_constraint(node: &Node) -> String {
    let pattern =
        node.pattern.as_ref().map(|pattern| format!(" that matches `{}`", Truncated(&pattern.source)));
    format!("{}{}", counted(node.length, "character"), pattern.unwrap_or_default())
}

/// The required keys distinguish the branches of a union.
fn object_constraint(node: &Node, is_branch: bool) -> String {
    const MAX_KEYS: usize = 3;
    let object = &node.object;
    let max = if is_branch { MAX_KEYS } else { usize::from(object.only_required().is_some()) };
    let declared = object.required.iter().map(|&index| &object.names[index]);
    let required = declared.chain(&object.required_others).take(MAX_KEYS + 1);
    let keys: Vec<String> = required.map(|key| format!("`{}`", Truncated(key))).collect();
    let is_shown = (1..=max).contains(&keys.len());
    let unit = if keys.len() == 1 { "key" } else { "keys" };
    let keys = is_shown.then(|| format!(" with the {unit} {}", keys.join(" and ")));
    format!("{}{}", counted(object.count, "key"), keys.unwrap_or_default())
}

/// The maximum number of possible values that a message lists.
const MAX_LISTED: usize = 20;
/// A message lists no further values after this many bytes.
const MAX_BYTES: usize = 1_000;

/// `` `a`, `b` or `c` ``
pub(super) fn one_of(values: impl Iterator<Item = String> + Clone) -> String {
    let more = values.clone().skip(MAX_LISTED).count();
    list(&values.take(MAX_LISTED).collect::<Vec<_>>(), more)
}

fn list(values: &[String], more: usize) -> String {
    match values.split_last() {
        None => "nothing".to_owned(),
        Some(_) if more > 0 => format!("one of {} and {more} more", values.join(", ")),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

/// ` of 1 to 5 items`
fn counted(Count { min, max }: Count, unit: &str) -> String {
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    match (min, max) {
        (0, usize::MAX) => String::new(),
        (0, max) => format!(" of at most {max} {unit}{}", plural(max)),
        (min, usize::MAX) => format!(" of at least {min} {unit}{}", plural(min)),
        (min, max) if min == max => format!(" of {min} {unit}{}", plural(min)),
        (min, max) => format!(" of {min} to {max} {unit}s"),
    }
}
