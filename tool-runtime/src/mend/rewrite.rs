//! A value written anew by the rules that it is to keep to.

use super::{Mending, integer, slips};
use crate::check::{Admitted, Budget, Checker, Kinds, Rule, RuleId};
use crate::json::Pairs;
use crate::outcome::{ShortPath, Shortened};
use serde_json::value::RawValue;
use std::fmt::Write as _;

pub(super) struct Rewriting<'c> {
    checker: &'c Checker,
    mending: Mending,
    pub(super) repairs: Vec<String>,
    path: String,
    /// Whether the value is an entry of a list: `[1, 2]` may be a list of lists in two ways.
    is_entry: bool,
    /// A value that fits no alternative is tried with each of them.
    budget: Budget,
}

/// The rules that say something of a value: its own, and those that it refers to.
type Guides<'c> = Vec<&'c Rule>;

impl<'c> Rewriting<'c> {
    pub(super) fn new(checker: &'c Checker, mending: Mending, arguments: &str) -> Self {
        let budget = Budget::for_trials(arguments);
        Rewriting { checker, mending, repairs: Vec::new(), path: String::new(), is_entry: false, budget }
    }

    /// An object of arguments.
    pub(super) fn arguments(&mut self, object: &str) -> String {
        self.value(self.checker.root(), object)
    }

    fn value(&mut self, rule: RuleId, json: &str) -> String {
        if !self.budget.spend(json) {
            return json.to_owned();
        }
        let guides = self.guides(rule, json);
        let wanted = guides.iter().map(|rule| rule.kinds()).fold(Kinds::ALL, Kinds::both);
        match Kinds::of(json) {
            Kinds::OBJECT if wanted.meets(Kinds::OBJECT) => self.object(&guides, json),
            Kinds::LIST if wanted.meets(Kinds::LIST) => self.list(&guides, json),
            Kinds::NUMBER if wanted.meets(Kinds::NUMBER) => {
                let integer = match self.admits(rule, json) {
                    Some(Admitted::WithIntegralFloats) => integer::of_float(json),
                    _ => None,
                };
                integer.unwrap_or_else(|| json.to_owned())
            }
            kind if self.mending.slips && !wanted.meets(kind) => self.slip(rule, wanted, &guides, json),
            _ => json.to_owned(),
        }
    }

    /// The rule itself, what it refers to, and of each set of alternatives the one that is meant.
    fn guides(&mut self, id: RuleId, json: &str) -> Guides<'c> {
        let rule = self.checker.rule(id);
        let mut guides = vec![rule];
        for &other in rule.all() {
            guides.extend(self.guides(other, json));
        }
        if let Some(meant) = self.meant(rule, json) {
            guides.extend(self.guides(meant, json));
        }
        guides
    }

    /// The alternative that admits the value or, where none does, the only one that admits it once it is mended.
    fn meant(&mut self, rule: &Rule, json: &str) -> Option<RuleId> {
        let mut readings: Vec<(RuleId, String)> = Vec::new();
        let mut with_floats = None;
        let branches = self.checker.branches(rule, json);
        // No other can hold, mended or not.
        if let (&[only], Kinds::OBJECT | Kinds::LIST) = (&branches[..], Kinds::of(json)) {
            return Some(only);
        }
        for &branch in &branches {
            match self.admits(branch, json) {
                Some(Admitted::AsWritten) => return Some(branch),
                Some(Admitted::WithIntegralFloats) => with_floats = with_floats.or(Some(branch)),
                None => {}
            }
        }
        if with_floats.is_some() {
            return with_floats;
        }
        // Text may hold what another kind of value is wanted for.
        let tried = if Kinds::of(json) == Kinds::OBJECT { branches } else { rule.branches().collect() };
        if let &[only] = &tried[..] {
            return Some(only);
        }
        for branch in tried {
            if self.budget.is_spent() {
                return None;
            }
            let before = self.repairs.len();
            let written = self.value(branch, json);
            self.repairs.truncate(before);
            if self.admits(branch, &written).is_some() && readings.iter().all(|(_, other)| *other != written)
            {
                readings.push((branch, written));
            }
        }
        match &readings[..] {
            &[(branch, _)] => Some(branch),
            _ => None,
        }
    }

    fn object(&mut self, guides: &[&'c Rule], json: &str) -> String {
        let Ok(Pairs(pairs)) = serde_json::from_str(json) else { return json.to_owned() };
        let mut written = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            let known = guides.iter().find_map(|rule| rule.named_property(&key));
            let other = || guides.iter().find_map(|rule| rule.other_property(&key));
            let value = match known {
                Some((_, false)) if self.mending.null_is_absent && value.get() == "null" => continue,
                _ => match known.map(|(rule, _)| rule).or_else(other) {
                    Some(rule) => self.within(&key, false, |this| this.value(rule, value.get())),
                    None => value.get().to_owned(),
                },
            };
            written.push(format!("{}:{value}", serde_json::Value::from(&*key)));
        }
        format!("{{{}}}", written.join(","))
    }

    fn list(&mut self, guides: &[&'c Rule], json: &str) -> String {
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(json) else { return json.to_owned() };
        let mut written = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let rule = guides.iter().map(|rule| rule.item(index)).find(|&rule| rule != RuleId::ANYTHING);
            written.push(match rule {
                Some(rule) => self.within(&format!("[{index}]"), true, |this| this.value(rule, item.get())),
                None => item.get().to_owned(),
            });
        }
        format!("[{}]", written.join(","))
    }

    /// A value of a kind that is not wanted, as one that is, if that is what it says.
    fn slip(&mut self, rule: RuleId, wanted: Kinds, guides: &[&'c Rule], json: &str) -> String {
        let (before, is_entry) = (self.repairs.len(), self.is_entry);
        let item = guides.iter().map(|rule| rule.item(0)).find(|&rule| rule != RuleId::ANYTHING);
        let written = match (slips::in_text(wanted, json), item) {
            (Some(inner), _) => self.value(rule, &inner),
            // Not where a list of lists is wanted, since one value could be either.
            (None, Some(item))
                if !is_entry
                    && slips::may_stand_alone(wanted, json)
                    && !self.checker.admits_kind(item, Kinds::LIST)
                    && self.is_by_its_keys(item, json) =>
            {
                format!("[{}]", self.value(item, json))
            }
            _ => return json.to_owned(),
        };
        self.repairs.truncate(before);
        if self.admits(rule, &written).is_none() {
            return json.to_owned();
        }
        self.repairs.push(format!(
            "`{}`: {} was read as {}",
            ShortPath(&self.path),
            Shortened(json),
            Shortened(&written)
        ));
        written
    }

    /// Whether an object has keys, and none but those that the rule names: `{"items": [..]}` is not an item of its own.
    fn is_by_its_keys(&mut self, rule: RuleId, json: &str) -> bool {
        let Ok(Pairs(pairs)) = serde_json::from_str(json) else { return true };
        let guides = self.guides(rule, json);
        let is_named = |key: &str| guides.iter().any(|rule| rule.named_property(key).is_some());
        !pairs.is_empty() && pairs.iter().all(|(key, _)| is_named(key))
    }

    fn admits(&mut self, rule: RuleId, json: &str) -> Option<Admitted> {
        self.checker.admits_within(rule, json, &mut self.budget)
    }

    fn within<T>(&mut self, step: &str, is_entry: bool, work: impl FnOnce(&mut Self) -> T) -> T {
        let outside = (self.path.len(), self.is_entry);
        if outside.0 > 0 && !is_entry {
            self.path.push('.');
        }
        // Each repair tells its path, and a key of the model's own may be of any length. Writing to a text never fails.
        let _ = write!(self.path, "{}", Shortened(step));
        self.is_entry = is_entry;
        let done = work(self);
        self.path.truncate(outside.0);
        self.is_entry = outside.1;
        done
    }
}
