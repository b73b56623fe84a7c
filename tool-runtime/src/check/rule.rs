//! What one schema says, in the form that is quick to hold a value to.

use super::number::{Number, canonical};
use super::pattern::Pattern;
use serde_json::Value;

/// A rule of a checker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RuleId(pub(super) usize);

impl RuleId {
    /// The rule that everything keeps to; it stands first in every checker.
    pub(crate) const ANYTHING: RuleId = RuleId(0);
    /// The rule that nothing keeps to; it stands second.
    pub(super) const NOTHING: RuleId = RuleId(1);
}

/// A set of the kinds of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const NONE: Kinds = Kinds(0);
    pub(crate) const NULL: Kinds = Kinds(1);
    pub(crate) const BOOLEAN: Kinds = Kinds(1 << 1);
    /// A number without a fraction, however it is written.
    pub(crate) const INTEGER: Kinds = Kinds(1 << 2);
    pub(crate) const FRACTION: Kinds = Kinds(1 << 3);
    pub(crate) const NUMBER: Kinds = Kinds(Self::INTEGER.0 | Self::FRACTION.0);
    pub(crate) const TEXT: Kinds = Kinds(1 << 4);
    pub(crate) const LIST: Kinds = Kinds(1 << 5);
    pub(crate) const OBJECT: Kinds = Kinds(1 << 6);
    pub(crate) const ALL: Kinds = Kinds((1 << 7) - 1);

    /// As the keyword `type` names it.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::TEXT,
            "array" => Self::LIST,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    /// The kind of a JSON text by its first byte; a number may be of both its kinds.
    pub(crate) fn of(json: &str) -> Self {
        match json.trim_start().as_bytes().first() {
            Some(b'n') => Self::NULL,
            Some(b't' | b'f') => Self::BOOLEAN,
            Some(b'"') => Self::TEXT,
            Some(b'[') => Self::LIST,
            Some(b'{') => Self::OBJECT,
            _ => Self::NUMBER,
        }
    }

    pub(crate) fn with(self, other: Self) -> Self {
        Kinds(self.0 | other.0)
    }

    pub(crate) fn both(self, other: Self) -> Self {
        Kinds(self.0 & other.0)
    }

    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// One schema.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(super) kinds: Kinds,
    /// `enum` and `const`.
    pub(super) listed: Option<Vec<Value>>,
    pub(super) bounds: Vec<Bound>,
    pub(super) multiple_of: Option<Number>,
    pub(super) length: Count,
    pub(super) pattern: Option<(String, Pattern)>,
    pub(super) list: ListRule,
    pub(super) object: ObjectRule,
    /// `allOf`, and a `$ref` beside other keywords.
    pub(super) all: Vec<RuleId>,
    /// `anyOf` and `oneOf`.
    pub(super) alternatives: Vec<Alternatives>,
    pub(super) not: Option<RuleId>,
    /// Whether a value must be looked at more than once.
    pub(super) is_compound: bool,
}

impl Rule {
    pub(super) fn of_kinds(kinds: Kinds) -> Self {
        Rule {
            kinds,
            listed: None,
            bounds: Vec::new(),
            multiple_of: None,
            length: Count::ANY,
            pattern: None,
            list: ListRule::default(),
            object: ObjectRule::default(),
            all: Vec::new(),
            alternatives: Vec::new(),
            not: None,
            is_compound: false,
        }
    }

    /// `enum` and `const`; where both stand, what is in both.
    pub(super) fn list_only(&mut self, values: &[Value]) {
        let is_listed = |value: &&Value| match &self.listed {
            Some(listed) => listed.iter().any(|other| canonical(other) == canonical(value)),
            None => true,
        };
        self.listed = Some(values.iter().filter(is_listed).cloned().collect());
    }

    /// The rule once nothing more is to be said.
    pub(super) fn complete(mut self) -> Self {
        let lists_more_than_scalars = self
            .listed
            .as_ref()
            .is_some_and(|listed| listed.iter().any(|value| value.is_array() || value.is_object()));
        self.is_compound = !self.all.is_empty()
            || !self.alternatives.is_empty()
            || self.not.is_some()
            || lists_more_than_scalars
            // A list or an object is equal to none of the scalars that are listed.
            || (self.listed.is_some() && self.kinds.meets(Kinds::LIST.with(Kinds::OBJECT)));
        let object = &mut self.object;
        let is_told_in_bits = object.required.is_empty() && object.properties.len() <= u64::BITS as usize;
        object.needed = is_told_in_bits.then(|| {
            let needed = object.properties.iter().enumerate().filter(|(_, property)| property.is_required);
            needed.filter_map(|(index, _)| bit(index)).sum()
        });
        self
    }

    /// The rules that the same value must keep to, one after the other.
    pub(super) fn same_value(&self, step: usize) -> Option<RuleId> {
        let branches = self.alternatives.iter().flat_map(|alternatives| &alternatives.branches);
        self.all.iter().chain(branches).chain(&self.not).nth(step).copied()
    }

    /// Says nothing more by the rule that stands there: it is none of the alternatives, and nothing is forbidden by it.
    pub(super) fn forget(&mut self, step: usize) {
        if let Some(id) = self.all.get_mut(step) {
            *id = RuleId::ANYTHING;
            return;
        }
        let branches = self.alternatives.iter_mut().flat_map(|alternatives| &mut alternatives.branches);
        if let Some(id) = branches.chain(&mut self.not).nth(step - self.all.len()) {
            *id = RuleId::NOTHING;
        }
    }

    /// Whether it forbids some properties of an object, and nothing else.
    pub(super) fn only_forbids_properties(&self) -> bool {
        let object = &self.object;
        !self.is_compound
            && self.kinds == Kinds::OBJECT
            && !object.properties.is_empty()
            && object.properties.iter().all(|property| property.rule == RuleId::NOTHING)
            && (object.required.is_empty() && object.patterns.is_empty() && object.names.is_none())
            && object.additional == Some(RuleId::ANYTHING)
            && object.count == Count::ANY
    }

    pub(super) fn takes_any_text(&self) -> bool {
        self.listed.is_none() && self.pattern.is_none() && self.length == Count::ANY
    }

    pub(super) fn takes_any_number(&self) -> bool {
        self.listed.is_none()
            && self.bounds.is_empty()
            && self.multiple_of.is_none()
            && self.kinds.both(Kinds::NUMBER) == Kinds::NUMBER
    }

    /// Whether it says more than its alternatives and the rules that it refers to.
    pub(super) fn says_something_itself(&self) -> bool {
        let object = &self.object;
        self.kinds != Kinds::ALL
            || self.listed.is_some()
            || !self.bounds.is_empty()
            || self.multiple_of.is_some()
            || self.length != Count::ANY
            || self.pattern.is_some()
            || self.list != ListRule::default()
            || !(object.properties.is_empty() && object.required.is_empty() && object.patterns.is_empty())
            || object.additional != Some(RuleId::ANYTHING)
            || object.names.is_some()
            || object.count != Count::ANY
    }

    pub(crate) fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// The rule of an entry of a list.
    pub(crate) fn item(&self, index: usize) -> RuleId {
        self.list.prefix.get(index).copied().unwrap_or(self.list.items)
    }

    /// The rule of a property that is named, and whether it must be there.
    pub(crate) fn named_property(&self, key: &str) -> Option<(RuleId, bool)> {
        self.object.position(key).map(|index| {
            let property = &self.object.properties[index];
            (property.rule, property.is_required)
        })
    }

    /// The rule of any other property, where something is said of it.
    pub(crate) fn other_property(&self, key: &str) -> Option<RuleId> {
        let of_pattern =
            self.object.patterns.iter().find(|(pattern, _)| pattern.matches(key)).map(|&(_, rule)| rule);
        of_pattern.or(self.object.additional).filter(|&rule| rule != RuleId::ANYTHING)
    }

    /// The rules that a value must keep to beside this one.
    pub(crate) fn all(&self) -> &[RuleId] {
        &self.all
    }

    /// The rules of which a value must keep to one.
    pub(crate) fn branches(&self) -> impl Iterator<Item = RuleId> {
        self.alternatives.iter().flat_map(|alternatives| alternatives.branches.iter().copied())
    }
}

/// A limit of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bound {
    AtLeast(Number),
    MoreThan(Number),
    AtMost(Number),
    LessThan(Number),
}

/// How many there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) least: usize,
    pub(super) most: usize,
}

impl Count {
    pub(super) const ANY: Count = Count { least: 0, most: usize::MAX };

    pub(super) fn admits(self, count: usize) -> bool {
        (self.least..=self.most).contains(&count)
    }
}

#[derive(Debug, PartialEq)]
pub(super) struct ListRule {
    pub(super) prefix: Vec<RuleId>,
    pub(super) items: RuleId,
    pub(super) count: Count,
    pub(super) unique: bool,
}

impl Default for ListRule {
    fn default() -> Self {
        ListRule { prefix: Vec::new(), items: RuleId::ANYTHING, count: Count::ANY, unique: false }
    }
}

#[derive(Debug)]
pub(super) struct ObjectRule {
    pub(super) properties: Vec<Property>,
    /// Keys that must be there and of which nothing else is said.
    pub(super) required: Vec<String>,
    /// The properties that must be there, a bit for each, where these are all keys that must.
    needed: Option<u64>,
    pub(super) patterns: Vec<(Pattern, RuleId)>,
    /// What holds for every other key; `None` where there may be none.
    pub(super) additional: Option<RuleId>,
    pub(super) names: Option<RuleId>,
    pub(super) count: Count,
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    /// The name as JSON, in its quotes.
    pub(super) key: String,
    pub(super) rule: RuleId,
    pub(super) is_required: bool,
}

impl ObjectRule {
    pub(super) fn position(&self, key: &str) -> Option<usize> {
        self.properties.iter().position(|property| property.name == key)
    }

    /// Whether nothing is missing where there are these properties, by their bits; `false` also where bits do not tell.
    pub(super) fn is_complete_with(&self, given: u64) -> bool {
        self.needed.is_some_and(|needed| given & needed == needed)
    }
}

impl Default for ObjectRule {
    fn default() -> Self {
        ObjectRule {
            properties: Vec::new(),
            required: Vec::new(),
            needed: None,
            patterns: Vec::new(),
            additional: Some(RuleId::ANYTHING),
            names: None,
            count: Count::ANY,
        }
    }
}

/// What stands for a property of a rule in a set of them. Only the first have one, which are most often all.
pub(super) fn bit(place: usize) -> Option<u64> {
    (place < u64::BITS as usize).then(|| 1 << place)
}

/// Several rules for one value.
#[derive(Debug)]
pub(super) struct Alternatives {
    pub(super) branches: Vec<RuleId>,
    /// Exactly one must hold, or at least one.
    pub(super) exactly_one: bool,
    /// The alternative that only forbids the properties of the others: the absence of a flattened `Option`. It is none of
    /// the branches: an error about a value that is present must not mention it.
    pub(super) absent: Option<RuleId>,
    /// The property that says which one is meant, where every object among them has a constant in it.
    pub(super) tag: Option<Tag>,
}

#[derive(Debug)]
pub(super) struct Tag {
    pub(super) property: String,
    pub(super) values: Vec<(String, RuleId)>,
}
