//! A value written anew by the rules that it is to keep to.

use super::{Leniency, integer, slips};
use crate::check::{Admitted, Budget, Checker, Kinds, Rule, RuleId};
use crate::json::Pairs;
use serde_json::value::RawValue;

pub(super) struct Rewriting<'c> {
    checker: &'c Checker,
    leniency: Leniency,
    pub(super) repairs: Vec<String>,
    path: String,
    /// A value that fits no alternative is tried with each of them.
    budget: Budget,
}

/// The rules that say something of a value: its own, and those that it refers to.
type Guides<'c> = Vec<&'c Rule>;

impl<'c> Rewriting<'c> {
    pub(super) fn new(checker: &'c Checker, leniency: Leniency, arguments: &str) -> Self {
        let budget = Budget::of(arguments);
        Rewriting { checker, leniency, repairs: Vec::new(), path: String::new(), budget }
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
        let kinds =
            |guides: &Guides<'_>| guides.iter().map(|rule| rule.kinds()).fold(Kinds::ALL, Kinds::both);
        let wanted = kinds(&guides);
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
            kind if self.leniency.slips && !wanted.meets(kind) => self.slip(rule, wanted, &guides, json),
            _ => json.to_owned(),
        }
    }

    /// The rule itself, what it refers to, and of each set of alternatives the one that is meant.
    fn guides(&mut self, id: RuleId, json: &str) -> Guides<'c> {
        let rule = self.checker.rule(id);
        let mut guides = vec![rule];
        for &other in rule.all() {
            if guides.len() < 100 {
                guides.extend(self.guides(other, json));
            }
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
        for branch in rule.branches() {
            match self.admits(branch, json) {
                Some(Admitted::AsWritten) => return Some(branch),
                Some(Admitted::WithIntegralFloats) => with_floats = with_floats.or(Some(branch)),
                None => {}
            }
        }
        if with_floats.is_some() {
            return with_floats;
        }
        for branch in rule.branches() {
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

    fn object(&mut self, guides: &Guides<'c>, json: &str) -> String {
        let Ok(Pairs(pairs)) = serde_json::from_str(json) else { return json.to_owned() };
        let mut written = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            let known = guides.iter().find_map(|rule| rule.named_property(&key));
            let other = || guides.iter().find_map(|rule| rule.other_property(&key));
            let value = match known {
                Some((_, false)) if self.leniency.null_is_absent && value.get() == "null" => continue,
                _ => match known.map(|(rule, _)| rule).or_else(other) {
                    Some(rule) => self.within(&key, |this| this.value(rule, value.get())),
                    None => value.get().to_owned(),
                },
            };
            written.push(format!("{}:{value}", serde_json::Value::from(&*key)));
        }
        format!("{{{}}}", written.join(","))
    }

    fn list(&mut self, guides: &Guides<'c>, json: &str) -> String {
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(json) else { return json.to_owned() };
        let mut written = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let rule = guides.iter().map(|rule| rule.item(index)).find(|&rule| rule != RuleId::ANYTHING);
            written.push(match rule {
                Some(rule) => self.within(&format!("[{index}]"), |this| this.value(rule, item.get())),
                None => item.get().to_owned(),
            });
        }
        format!("[{}]", written.join(","))
    }

    /// A value of a kind that is not wanted, as one that is, if that is what it says.
    fn slip(&mut self, rule: RuleId, wanted: Kinds, guides: &Guides<'c>, json: &str) -> String {
        let before = self.repairs.len();
        if let Some(inner) = slips::in_text(wanted, json) {
            let written = self.value(rule, &inner);
            if self.admits(rule, &written).is_some() {
                return self.repaired(before, &format!("the string {json} was read as {written}"), written);
            }
        }
        let item = guides.iter().map(|rule| rule.item(0)).find(|&rule| rule != RuleId::ANYTHING);
        if let (Some(item), true) = (item, slips::may_stand_alone(wanted, json)) {
            let written = format!("[{}]", self.value(item, json));
            if self.admits(rule, &written).is_some() {
                return self.repaired(before, "one value was read as a list of it", written);
            }
        }
        self.repairs.truncate(before);
        json.to_owned()
    }

    fn repaired(&mut self, before: usize, what: &str, written: String) -> String {
        self.repairs.truncate(before);
        self.repairs.push(format!("`{}`: {what}", self.path));
        written
    }

    fn admits(&mut self, rule: RuleId, json: &str) -> Option<Admitted> {
        self.checker.admits_within(rule, json, &mut self.budget)
    }

    fn within<T>(&mut self, step: &str, work: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.path.len();
        if outside > 0 && !step.starts_with('[') {
            self.path.push('.');
        }
        self.path.push_str(step);
        let done = work(self);
        self.path.truncate(outside);
        done
    }
}
