//! A compiled schema without its subschemas.

use super::budget::{Budget, Stop};
use super::enum_values::EnumValues;
use super::pattern::Pattern;
use crate::json::Number;
use crate::json::TypeSet;
use serde_json::Value;
use std::sync::Arc;

/// The index of a node in its validator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NodeId(pub(super) usize);

impl NodeId {
    /// Accepts every value; the first node of each validator.
    pub(crate) const ANYTHING: NodeId = NodeId(0);
    /// Accepts no value; the second node.
    pub(super) const NOTHING: NodeId = NodeId(1);
    /// Accepts every value, since its schema is not supported; the third node.
    pub(super) const UNKNOWN: NodeId = NodeId(2);
}

/// The keywords of one schema.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) id: NodeId,
    pub(crate) types: TypeSet,
    /// The types that the node may accept, with `all_of` and the unions applied.
    pub(super) possible_types: TypeSet,
    /// `enum` and `const`.
    pub(super) enum_values: Option<EnumValues>,
    /// The bounds of numbers; `None` if there are none.
    pub(super) bounds: Option<Box<Bounds>>,
    pub(super) multiple_of: Option<Number>,
    pub(super) length: Count,
    pub(super) pattern: Option<Pattern>,
    pub(super) array: ArrayKeywords,
    pub(super) object: ObjectKeywords,
    /// `allOf`, and a `$ref` next to other keywords.
    pub(crate) all_of: Vec<NodeId>,
    /// `anyOf` and `oneOf`.
    pub(crate) unions: Vec<Union>,
    pub(super) not: Option<NodeId>,
    /// The types of the values that an unsupported keyword may reject.
    pub(super) unsupported: TypeSet,
    /// Whether a value must be read more than once.
    pub(super) is_compound: bool,
    /// Whether a value can be validated while it is decoded, without its text.
    pub(crate) is_streamable: bool,
    /// Whether the node has constraints apart from its applicators.
    pub(super) has_own_constraint: bool,
}

impl Node {
    pub(super) fn new(types: TypeSet) -> Self {
        let has_own_constraint = types != TypeSet::ALL;
        Node { types, possible_types: types, has_own_constraint, ..Node::default() }
    }

    /// The constraint of a schema that is not supported at all.
    pub(super) fn unknown() -> Self {
        Node { unsupported: TypeSet::ALL, is_compound: true, ..Node::new(TypeSet::ALL) }
    }

    /// The nodes that validate the same value.
    pub(super) fn in_place_applicators(&self) -> impl Iterator<Item = NodeId> {
        let branches = self.unions.iter().flat_map(|union| union.branches.iter().chain(&union.absent));
        self.all_of.iter().chain(branches).chain(&self.not).copied()
    }

    pub(super) fn in_place_applicators_mut(&mut self) -> impl Iterator<Item = &mut NodeId> {
        let branches =
            self.unions.iter_mut().flat_map(|union| union.branches.iter_mut().chain(&mut union.absent));
        self.all_of.iter_mut().chain(branches).chain(&mut self.not)
    }

    /// Whether the node only forbids some properties of an object.
    pub(super) fn only_forbids_properties(&self) -> bool {
        let object = &self.object;
        !self.is_compound
            && self.types == TypeSet::OBJECT
            && !object.properties.is_empty()
            && object.properties.iter().all(|&property| property == NodeId::NOTHING)
            && (object.required.is_empty() && object.required_others.is_empty())
            && (object.patterns.is_empty() && object.property_names.is_none())
            && object.additional_properties == NodeId::ANYTHING
            && object.count == Count::ANY
    }

    /// Whether only its types, the bounds of numbers, the items of arrays and the declared properties of objects are
    /// constrained.
    pub(super) fn can_be_streamed(&self) -> bool {
        let object = &self.object;
        let is_struct = (1..=u64::BITS as usize).contains(&object.names.len())
            && (object.patterns.is_empty() && object.property_names.is_none())
            && object.required_others.is_empty()
            && [NodeId::ANYTHING, NodeId::NOTHING].contains(&object.additional_properties)
            && object.count == Count::ANY;
        !self.is_compound
            && self.enum_values.is_none()
            && self.pattern.is_none()
            && self.length == Count::ANY
            && !self.array.unique
            && (is_struct || !self.types.intersects(TypeSet::OBJECT))
    }

    /// The name of a declared property as JSON, in its quotes.
    pub(crate) fn key(&self, index: usize) -> Option<&str> {
        self.object.keys.get(index).map(String::as_str)
    }

    /// The index of a declared property.
    pub(crate) fn property(&self, name: &str) -> Option<usize> {
        self.object.position(name)
    }

    /// The node of a declared property.
    pub(crate) fn property_at(&self, index: usize) -> NodeId {
        self.object.properties[index]
    }

    /// Whether all required properties are in a set that has a bit for each declared one.
    pub(crate) fn has_required(&self, seen: u64) -> bool {
        self.object.required.iter().all(|index| seen & (1 << index) != 0)
    }

    pub(crate) fn accepts_length(&self, length: usize) -> bool {
        self.array.count.accepts(length)
    }

    pub(crate) fn accepts_number(&self, number: Number) -> bool {
        let types = if number.is_integer() { TypeSet::INTEGER } else { TypeSet::NON_INTEGER };
        self.types.intersects(types)
            && self.bounds.as_ref().is_none_or(|bounds| bounds.accept(number))
            && self.multiple_of.is_none_or(|divisor| number.is_multiple_of(divisor))
    }

    pub(super) fn accepts_any_string(&self) -> bool {
        self.enum_values.is_none() && self.pattern.is_none() && self.length == Count::ANY
    }

    pub(super) fn accepts_any_number(&self) -> bool {
        self.enum_values.is_none()
            && self.bounds.is_none()
            && self.multiple_of.is_none()
            && self.types.intersection(TypeSet::NUMBER) == TypeSet::NUMBER
    }

    /// Whether the node may accept a value of one of these types.
    pub(crate) fn may_accept(&self, types: TypeSet) -> bool {
        self.possible_types.intersects(types)
    }

    /// The strings of `enum` and `const`.
    pub(crate) fn enum_strings(&self) -> impl Iterator<Item = &str> {
        self.enum_values.iter().flat_map(|values| values.values.iter().filter_map(Value::as_str))
    }

    /// The node of an item of an array.
    pub(crate) fn item(&self, index: usize) -> NodeId {
        self.array.prefix.get(index).copied().unwrap_or(self.array.items)
    }

    /// Whether arrays that match all these nodes have a fixed length, or items that differ by position.
    pub(crate) fn are_of_fixed_length(nodes: &[&Node]) -> bool {
        let min = nodes.iter().map(|node| node.array.count.min).max();
        let max = nodes.iter().map(|node| node.array.count.max).min();
        min == max || nodes.iter().any(|node| !node.array.prefix.is_empty() || node.enum_values.is_some())
    }

    /// The node of a declared property, and whether it is required.
    pub(crate) fn declared_property(&self, key: &str) -> Option<(NodeId, bool)> {
        let index = self.object.position(key)?;
        Some((self.object.properties[index], self.object.required.binary_search(&index).is_ok()))
    }

    pub(crate) fn declared_names(&self) -> &Arc<[String]> {
        &self.object.names
    }

    /// The node of any other property, if it has a constraint.
    pub(crate) fn other_property(&self, key: &str, budget: &mut Budget) -> Result<Option<NodeId>, Stop> {
        for (pattern, node) in &self.object.patterns {
            if pattern.matches(key, budget)? {
                return Ok(Some(*node));
            }
        }
        Ok(Some(self.object.additional_properties).filter(|&node| node != NodeId::ANYTHING))
    }

    /// The branches of its unions.
    pub(crate) fn branches(&self) -> impl Iterator<Item = NodeId> {
        self.unions.iter().flat_map(|union| union.branches.iter().copied())
    }
}

/// The limits of a number.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    pub(super) minimum: Option<Number>,
    pub(super) exclusive_minimum: Option<Number>,
    pub(super) maximum: Option<Number>,
    pub(super) exclusive_maximum: Option<Number>,
}

impl Bounds {
    pub(super) fn accept(&self, number: Number) -> bool {
        self.minimum.is_none_or(|bound| number.compare(bound).is_ge())
            && self.exclusive_minimum.is_none_or(|bound| number.compare(bound).is_gt())
            && self.maximum.is_none_or(|bound| number.compare(bound).is_le())
            && self.exclusive_maximum.is_none_or(|bound| number.compare(bound).is_lt())
    }
}

/// A limit of a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) min: usize,
    pub(super) max: usize,
}

impl Default for Count {
    fn default() -> Self {
        Count::ANY
    }
}

impl Count {
    pub(super) const ANY: Count = Count { min: 0, max: usize::MAX };

    pub(super) fn accepts(self, count: usize) -> bool {
        (self.min..=self.max).contains(&count)
    }
}

#[derive(Debug, Default)]
pub(super) struct ArrayKeywords {
    pub(super) prefix: Vec<NodeId>,
    pub(super) items: NodeId,
    pub(super) count: Count,
    pub(super) unique: bool,
}

#[derive(Debug, Default)]
pub(super) struct ObjectKeywords {
    /// The names of the declared properties in the order of the schema; shared with error messages.
    pub(super) names: Arc<[String]>,
    /// Their indexes, sorted by name.
    pub(super) by_name: Vec<usize>,
    /// Each name as JSON, in its quotes.
    pub(super) keys: Vec<String>,
    /// The node of each property.
    pub(super) properties: Vec<NodeId>,
    /// The indexes of the required properties, sorted.
    pub(super) required: Vec<usize>,
    /// Required keys that are not declared properties.
    pub(super) required_others: Vec<String>,
    pub(super) patterns: Vec<(Pattern, NodeId)>,
    /// The node of every other property; [`NodeId::NOTHING`] if no other is allowed.
    pub(super) additional_properties: NodeId,
    /// The node of the keys themselves.
    pub(super) property_names: Option<NodeId>,
    pub(super) count: Count,
}

impl ObjectKeywords {
    pub(super) fn position(&self, key: &str) -> Option<usize> {
        let position = self.by_name.binary_search_by(|&index| self.names[index].as_str().cmp(key));
        position.ok().map(|position| self.by_name[position])
    }

    /// The only property, if it is required: as in `{"Circle": {..}}`.
    pub(super) fn only_required(&self) -> Option<&str> {
        match (&self.names[..], &self.required[..]) {
            ([name], [_]) => Some(name),
            _ => None,
        }
    }
}

/// `anyOf` or `oneOf`.
#[derive(Debug)]
pub(crate) struct Union {
    pub(super) branches: Vec<NodeId>,
    /// Whether it is a `oneOf`.
    pub(super) exactly_one: bool,
    /// The branch that only forbids the properties of the others, for an absent flattened `Option`. It is not in
    /// `branches`, since an error about a value that is present must not mention it.
    pub(super) absent: Option<NodeId>,
    /// The property that selects the branch, if it is a constant in every branch for objects.
    pub(super) tag: Option<Tag>,
}

#[derive(Debug)]
pub(super) struct Tag {
    pub(super) property: String,
    pub(super) values: Vec<(String, NodeId)>,
}
