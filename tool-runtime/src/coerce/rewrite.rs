//! Rewriting of values so that they match their schema.

use super::{Coercion, CoercionOptions};
use crate::json::{TypeSet, integer_from_float, json_in_string, may_be_only_item, pairs, to_text};
use crate::outcome::TruncatedPath;
use crate::suggest::fold;
use crate::validator::{Budget, Node, NodeId, Stop, Validator, Validity, push_index, push_key};
use serde_json::value::RawValue;
use std::borrow::Cow;

struct Rewrite<'v> {
    validator: &'v Validator,
    options: CoercionOptions<'v>,
    coercions: Vec<Coercion>,
    path: String,
    /// Whether the value is an item of an array: `[1, 2]` has two readings as an array of arrays.
    is_item: bool,
    depth: usize,
    /// A value that matches no branch of a union is rewritten for each branch.
    budget: Budget,
}

/// How deep values, and readings of one value, may be nested. Limits the stack.
const MAX_DEPTH: usize = 200;

/// The nodes that apply to a value: its own, those that it refers to, and the matching branch of each union.
type Guides<'v> = Vec<&'v Node>;

/// Rewrites the object of arguments. Once the budget is spent, the rest is not rewritten.
pub(super) fn rewrite<'v>(
    validator: &'v Validator,
    options: CoercionOptions<'v>,
    object: &str,
    coercions: &mut Vec<Coercion>,
) -> String {
    let mut rewrite = Rewrite {
        validator,
        options,
        coercions: Vec::new(),
        path: String::new(),
        is_item: false,
        depth: 0,
        budget: Budget::new(object),
    };
    let mut written = rewrite.value(validator.root, object);
    if options.lenient && rewrite.validity(validator.root, &written) == Validity::Invalid {
        written = rewrite.unwrapped(object).unwrap_or(written);
    }
    coercions.append(&mut rewrite.coercions);
    written
}

impl<'v> Rewrite<'v> {
    fn value(&mut self, id: NodeId, json: &str) -> String {
        if self.depth >= MAX_DEPTH {
            return json.to_owned();
        }
        self.depth += 1;
        let written = self.rewritten(id, json);
        self.depth -= 1;
        written.unwrap_or_else(|_| json.to_owned())
    }

    fn rewritten(&mut self, id: NodeId, json: &str) -> Result<String, Stop> {
        self.budget.spend_reading(json)?;
        let guides = self.guides(id, json)?;
        let wanted = guides.iter().map(|node| node.types).fold(TypeSet::ALL, TypeSet::intersection);
        Ok(match TypeSet::from_json(json) {
            TypeSet::OBJECT if wanted.intersects(TypeSet::OBJECT) => self.object(&guides, json)?,
            TypeSet::ARRAY if wanted.intersects(TypeSet::ARRAY) => self.array(&guides, json),
            TypeSet::NUMBER if wanted.intersects(TypeSet::NUMBER) => {
                let integer = match self.validity(id, json) {
                    Validity::WithIntegralFloats => integer_from_float(json),
                    Validity::Valid | Validity::Invalid => None,
                };
                integer.unwrap_or_else(|| json.to_owned())
            }
            types if self.options.lenient && !wanted.intersects(types) => {
                self.convert(id, wanted, &guides, json)?
            }
            TypeSet::STRING if self.options.lenient => self.enum_value(id, &guides, json)?,
            _ => json.to_owned(),
        })
    }

    fn guides(&mut self, id: NodeId, json: &str) -> Result<Guides<'v>, Stop> {
        let mut guides = Vec::new();
        let (mut pending, mut known) = (vec![id], Vec::new());
        while let Some(id) = pending.pop().filter(|_| guides.len() < MAX_DEPTH) {
            if known.contains(&id) {
                continue;
            }
            known.push(id);
            self.budget.spend(4)?;
            let node = self.validator.node(id);
            guides.push(node);
            pending.extend(self.matching_branch(node, json)?);
            pending.extend(node.all_of.iter().rev());
        }
        Ok(guides)
    }

    /// The branch that accepts the value or, if there is none, the only branch that accepts the rewritten value.
    fn matching_branch(&mut self, node: &Node, json: &str) -> Result<Option<NodeId>, Stop> {
        let mut branches = Vec::new();
        for union in &node.unions {
            branches.extend(self.validator.candidates(union, json, &mut self.budget)?);
        }
        let types = TypeSet::from_json(json);
        // No other branch can match, even after a rewrite.
        if let (&[only], TypeSet::OBJECT | TypeSet::ARRAY) = (&branches[..], types) {
            return Ok(Some(only));
        }
        let mut with_floats = None;
        for &branch in &branches {
            match self.validity(branch, json) {
                Validity::Valid => return Ok(Some(branch)),
                Validity::WithIntegralFloats => with_floats = with_floats.or(Some(branch)),
                Validity::Invalid => {}
            }
        }
        if with_floats.is_some() {
            return Ok(with_floats);
        }
        // A string may contain a value of another type.
        let tried = if types == TypeSet::OBJECT { branches } else { node.branches().collect() };
        if let &[only] = &tried[..] {
            return Ok(Some(only));
        }
        let mut readings: Vec<(NodeId, String)> = Vec::new();
        for branch in tried {
            self.budget.spend_reading(json)?;
            let before = self.coercions.len();
            let written = self.value(branch, json);
            self.coercions.truncate(before);
            let is_new = readings.iter().all(|(_, other)| *other != written);
            if is_new && self.validity(branch, &written) != Validity::Invalid {
                readings.push((branch, written));
            }
            if readings.len() > 1 {
                return Ok(None);
            }
        }
        Ok(readings.first().map(|&(branch, _)| branch))
    }

    fn object(&mut self, guides: &[&'v Node], json: &str) -> Result<String, Stop> {
        let Some(pairs) = pairs(json) else { return Ok(json.to_owned()) };
        let mut written = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            self.budget.spend(guides.len())?;
            let declared = guides.iter().find_map(|node| node.declared_property(&key));
            let value = match declared {
                Some((_, false)) if self.options.null_is_absent && value == "null" => continue,
                Some((node, _)) => self.property(&key, node, value),
                None => match self.other_property(guides, &key)? {
                    Some(node) => self.property(&key, node, value),
                    None => value.to_owned(),
                },
            };
            written.push(format!("{}: {value}", to_text(&(*key).into())));
        }
        // With spaces, as models write: an error message may contain it.
        Ok(format!("{{{}}}", written.join(", ")))
    }

    /// The arguments inside the only key, if models write it around arguments and the tool does not declare it:
    /// `{"parameters": {"city": ..}}` becomes `{"city": ..}`. The value of the key may be a string that contains the object.
    fn unwrapped(&mut self, object: &str) -> Option<String> {
        const WRAPPERS: [&str; 7] =
            ["arguments", "args", "parameters", "params", "input", "kwargs", "properties"];
        let outer = pairs(object)?;
        let [(wrapper, value)] = &outer[..] else { return None };
        let root = self.validator.root;
        let guides = self.guides(root, object).ok()?;
        let is_declared = |key: &str| guides.iter().any(|node| node.declared_property(key).is_some());
        let is_wrapper = WRAPPERS.contains(&&**wrapper) || **wrapper == *self.options.tool;
        let in_string = json_in_string(TypeSet::OBJECT, value);
        let value = in_string.map_or(Cow::Borrowed(*value), Cow::Owned);
        let inside = pairs(&value).filter(|_| is_wrapper && !is_declared(wrapper))?;
        if inside.is_empty() || !inside.iter().all(|(key, _)| is_declared(key)) {
            return None;
        }
        let before = std::mem::take(&mut self.coercions);
        self.coercions.push(Coercion::Unwrapped { key: wrapper.clone().into_owned() });
        let written = self.value(root, &value);
        if self.validity(root, &written) == Validity::Invalid {
            self.coercions = before;
            return None;
        }
        Some(written)
    }

    /// The only value of an enum that differs from a string only in case, `_`, `-` and spaces.
    fn enum_value(&mut self, id: NodeId, guides: &[&'v Node], json: &str) -> Result<String, Stop> {
        if self.validity(id, json) != Validity::Invalid {
            return Ok(json.to_owned());
        }
        let text: String = serde_json::from_str(json).unwrap_or_default();
        let (folded, mut readings) = (fold(&text), Vec::new());
        for value in guides.iter().flat_map(|node| node.enum_strings()) {
            self.budget.spend(1 + value.len() / 8)?;
            if fold(value) == folded && !readings.contains(&value) {
                readings.push(value);
            }
        }
        let &[reading] = &readings[..] else { return Ok(json.to_owned()) };
        Ok(self.read_as(id, json, to_text(&reading.into())))
    }

    fn other_property(&mut self, guides: &[&'v Node], key: &str) -> Result<Option<NodeId>, Stop> {
        for node in guides {
            if let Some(id) = node.other_property(key, &mut self.budget)? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    fn property(&mut self, key: &str, node: NodeId, json: &str) -> String {
        let (length, is_item) = (self.path.len(), std::mem::replace(&mut self.is_item, false));
        push_key(&mut self.path, key);
        let written = self.value(node, json);
        self.path.truncate(length);
        self.is_item = is_item;
        written
    }

    fn array(&mut self, guides: &[&'v Node], json: &str) -> String {
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(json) else { return json.to_owned() };
        let is_item = std::mem::replace(&mut self.is_item, true);
        let mut written = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let node = guides.iter().map(|node| node.item(index)).find(|&node| node != NodeId::ANYTHING);
            let length = self.path.len();
            push_index(&mut self.path, index);
            written.push(node.map_or_else(|| item.get().to_owned(), |node| self.value(node, item.get())));
            self.path.truncate(length);
        }
        self.is_item = is_item;
        format!("[{}]", written.join(", "))
    }

    /// Converts a value of a type that is not wanted to a type that is wanted.
    fn convert(
        &mut self,
        id: NodeId,
        wanted: TypeSet,
        guides: &[&'v Node],
        json: &str,
    ) -> Result<String, Stop> {
        let (before, is_item) = (self.coercions.len(), self.is_item);
        let item = guides.iter().map(|node| node.item(0)).find(|&node| node != NodeId::ANYTHING);
        let written = match (json_in_string(wanted, json), item) {
            (Some(inner), _) => self.value(id, &inner),
            // Not for an array of arrays, where one value has two readings, nor for an array of fixed length.
            (None, Some(item))
                if !is_item
                    && may_be_only_item(wanted, json)
                    && !Node::are_of_fixed_length(guides)
                    && !self.validator.node(item).may_accept(TypeSet::ARRAY)
                    && self.has_only_declared_keys(item, json)? =>
            {
                format!("[{}]", self.value(item, json))
            }
            _ => return Ok(json.to_owned()),
        };
        self.coercions.truncate(before);
        Ok(self.read_as(id, json, written))
    }

    /// Returns the reading of a value if it is valid, otherwise the value.
    fn read_as(&mut self, id: NodeId, json: &str, written: String) -> String {
        if self.validity(id, &written) == Validity::Invalid {
            return json.to_owned();
        }
        let (path, from, to) = (TruncatedPath(&self.path).to_string(), json.to_owned(), written.clone());
        self.coercions.push(Coercion::Value { path, from, to });
        written
    }

    /// Whether an object has keys and the schema declares all of them: `{"items": [..]}` is not an item itself.
    fn has_only_declared_keys(&mut self, id: NodeId, json: &str) -> Result<bool, Stop> {
        let Some(pairs) = pairs(json) else { return Ok(true) };
        let guides = self.guides(id, json)?;
        self.budget.spend(pairs.len().saturating_mul(guides.len()))?;
        let is_declared = |key: &str| guides.iter().any(|node| node.declared_property(key).is_some());
        Ok(!pairs.is_empty() && pairs.iter().all(|(key, _)| is_declared(key)))
    }

    fn validity(&mut self, id: NodeId, json: &str) -> Validity {
        self.validator.validity(id, json, &mut self.budget)
    }
}
