//! From a schema to rules. A keyword that is not known is passed over, and listed.

use super::number::Number;
use super::pattern::Pattern;
use super::rule::{Alternatives, Bound, Kinds, Property, Rule, RuleId, Tag};
use super::{Checker, cycles};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashMap;

pub(super) fn checker(schema: &Value) -> Checker {
    let mut compiler = Compiler {
        document: schema,
        rules: vec![Some(Rule::of_kinds(Kinds::ALL)), Some(Rule::of_kinds(Kinds::NONE))],
        references: HashMap::new(),
        passed_over: Vec::new(),
    };
    let root = compiler.schema(schema, "");
    let nothing = || Rule::of_kinds(Kinds::NONE);
    let mut rules: Vec<Rule> = compiler.rules.into_iter().map(|rule| rule.unwrap_or_else(nothing)).collect();
    let mut passed_over = compiler.passed_over;
    let circles = cycles::break_up(&mut rules);
    passed_over.extend((0..circles).map(|_| "`$ref` that leads back to itself".to_owned()));
    Checker { rules, root, passed_over }
}

struct Compiler<'s> {
    document: &'s Value,
    /// `None` while a rule is compiled.
    rules: Vec<Option<Rule>>,
    references: HashMap<&'s str, RuleId>,
    passed_over: Vec<String>,
}

/// What a schema may say of itself, and a checker need not know.
const ANNOTATIONS: [&str; 16] = [
    "$schema",
    "$id",
    "$anchor",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "format",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentEncoding",
    "contentMediaType",
];

impl<'s> Compiler<'s> {
    fn schema(&mut self, schema: &'s Value, at: &str) -> RuleId {
        match schema {
            Value::Object(keywords) => {
                let means_only_its_reference = keywords
                    .keys()
                    .all(|keyword| keyword == "$ref" || ANNOTATIONS.contains(&keyword.as_str()));
                match keywords.get("$ref").and_then(Value::as_str) {
                    Some(reference) if means_only_its_reference => self.reference(reference, at),
                    _ => {
                        let id = self.reserve();
                        self.fill(id, keywords, at);
                        id
                    }
                }
            }
            Value::Bool(false) => RuleId::NOTHING,
            _ => RuleId::ANYTHING,
        }
    }

    fn reserve(&mut self) -> RuleId {
        self.rules.push(None);
        RuleId(self.rules.len() - 1)
    }

    /// The rule that a reference into the same document names.
    fn reference(&mut self, reference: &'s str, at: &str) -> RuleId {
        if let Some(&known) = self.references.get(reference) {
            return known;
        }
        let pointer = reference.strip_prefix('#').map(percent_decoded);
        let target = pointer.and_then(|pointer| self.document.pointer(&pointer));
        match target {
            Some(Value::Object(keywords)) => {
                let id = self.reserve();
                self.references.insert(reference, id);
                self.fill(id, keywords, reference);
                id
            }
            Some(schema @ Value::Bool(_)) => self.schema(schema, reference),
            _ => {
                self.pass_over("$ref", at);
                RuleId::ANYTHING
            }
        }
    }

    fn pass_over(&mut self, keyword: &str, at: &str) {
        self.passed_over.push(match at {
            "" => format!("`{keyword}`"),
            _ => format!("`{keyword}` at `{at}`"),
        });
    }

    fn fill(&mut self, id: RuleId, keywords: &'s Map<String, Value>, at: &str) {
        let mut rule = Rule::of_kinds(Kinds::ALL);
        for (keyword, value) in keywords {
            if ANNOTATIONS.contains(&keyword.as_str()) {
                continue;
            }
            if self.keyword(&mut rule, id, (keyword, value), keywords, at).is_none() {
                self.pass_over(keyword, at);
            }
        }
        self.additional(&mut rule, keywords, at);
        for key in keywords.get("required").and_then(Value::as_array).into_iter().flatten() {
            let Some(key) = key.as_str() else { continue };
            match rule.object.position(key) {
                Some(index) => rule.object.properties[index].is_required = true,
                None => rule.object.required.push(key.to_owned()),
            }
        }
        self.rules[id.0] = Some(rule.complete());
    }

    /// What one keyword says; `None` if it is not known, or not with this value.
    fn keyword(
        &mut self,
        rule: &mut Rule,
        id: RuleId,
        (keyword, value): (&str, &'s Value),
        siblings: &'s Map<String, Value>,
        at: &str,
    ) -> Option<()> {
        match keyword {
            "type" => rule.kinds = kinds(value)?,
            "enum" => rule.list_only(value.as_array()?),
            "const" => rule.list_only(std::slice::from_ref(value)),
            "minimum" => rule.bounds.push(Bound::AtLeast(number(value)?)),
            "maximum" => rule.bounds.push(Bound::AtMost(number(value)?)),
            "exclusiveMinimum" => rule.bounds.push(Bound::MoreThan(number(value)?)),
            "exclusiveMaximum" => rule.bounds.push(Bound::LessThan(number(value)?)),
            "multipleOf" => rule.multiple_of = Some(number(value)?),
            "minLength" => rule.length.least = count(value)?,
            "maxLength" => rule.length.most = count(value)?,
            "pattern" => {
                let pattern = value.as_str()?;
                rule.pattern = Some((pattern.to_owned(), Pattern::new(pattern)?));
            }
            "minItems" => rule.list.count.least = count(value)?,
            "maxItems" => rule.list.count.most = count(value)?,
            "uniqueItems" => rule.list.unique = value.as_bool()?,
            // A list of them is how drafts before 2020-12 write `prefixItems`.
            "items" if value.is_array() => {
                rule.list.prefix = self.each(value.as_array()?, keyword, at);
                if let Some(others) = siblings.get("additionalItems") {
                    rule.list.items = self.schema(others, &within(at, "additionalItems"));
                }
            }
            "items" => rule.list.items = self.schema(value, &within(at, keyword)),
            "prefixItems" => rule.list.prefix = self.each(value.as_array()?, keyword, at),
            "properties" => {
                for (name, schema) in value.as_object()? {
                    let of_property = self.schema(schema, &within(&within(at, keyword), name));
                    let name = name.clone();
                    let key = Value::from(&*name).to_string();
                    rule.object.properties.push(Property {
                        name,
                        key,
                        rule: of_property,
                        is_required: false,
                    });
                }
            }
            "required" => drop(value.as_array()?),
            // Read with those that they stand beside.
            "additionalItems" | "additionalProperties" | "patternProperties" => {}
            "propertyNames" => rule.object.names = Some(self.schema(value, &within(at, keyword))),
            "minProperties" => rule.object.count.least = count(value)?,
            "maxProperties" => rule.object.count.most = count(value)?,
            "allOf" => rule.all.extend(self.each(value.as_array()?, keyword, at)),
            "anyOf" | "oneOf" => {
                let mut branches = self.each(value.as_array()?, keyword, at);
                let is_absent =
                    |&last: &RuleId| self.rules[last.0].as_ref().is_some_and(Rule::only_forbids_properties);
                let absent = branches.last().copied().filter(is_absent).filter(|_| branches.len() > 1);
                branches.truncate(branches.len() - usize::from(absent.is_some()));
                let (exactly_one, tag) = (keyword == "oneOf", self.tag(&branches));
                rule.alternatives.push(Alternatives { branches, exactly_one, absent, tag });
            }
            "not" => rule.not = Some(self.schema(value, &within(at, keyword))),
            "$ref" => {
                let target = self.reference(value.as_str()?, at);
                // That everything is what it is says nothing, and would be asked for ever.
                if target == id {
                    return None;
                }
                rule.all.push(target);
            }
            _ => return None,
        }
        Some(())
    }

    fn each(&mut self, schemas: &'s [Value], keyword: &str, at: &str) -> Vec<RuleId> {
        let at = within(at, keyword);
        schemas
            .iter()
            .enumerate()
            .map(|(index, schema)| self.schema(schema, &within(&at, &index.to_string())))
            .collect()
    }

    /// A pattern that cannot be held to leaves open which keys are the additional ones.
    fn additional(&mut self, rule: &mut Rule, keywords: &'s Map<String, Value>, at: &str) {
        let mut all_known = true;
        for (pattern, schema) in
            keywords.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
        {
            let id = self.schema(schema, &within(&within(at, "patternProperties"), pattern));
            if let Some(pattern) = Pattern::new(pattern) {
                rule.object.patterns.push((pattern, id));
            } else {
                self.pass_over("patternProperties", at);
                all_known = false;
            }
        }
        if let Some(schema) = keywords.get("additionalProperties").filter(|_| all_known) {
            rule.object.additional = match schema {
                Value::Bool(false) => None,
                _ => Some(self.schema(schema, &within(at, "additionalProperties"))),
            };
        }
    }

    /// The property that tells the objects among the branches apart, as in serde's tagged enums.
    fn tag(&self, branches: &[RuleId]) -> Option<Tag> {
        let rules: Option<Vec<(RuleId, &Rule)>> =
            branches.iter().map(|&id| self.rules[id.0].as_ref().map(|rule| (id, rule))).collect();
        let mut objects = rules?.into_iter().filter(|(_, rule)| rule.kinds.meets(Kinds::OBJECT));
        let (first_id, first) = objects.next()?;
        let others: Vec<(RuleId, &Rule)> = objects.collect();
        first.object.properties.iter().find_map(|property| {
            let mut values = vec![(self.constant(first, &property.name)?, first_id)];
            for &(id, rule) in &others {
                values.push((self.constant(rule, &property.name)?, id));
            }
            Some(Tag { property: property.name.clone(), values })
        })
    }

    /// The one text that a required property can hold.
    fn constant(&self, rule: &Rule, name: &str) -> Option<String> {
        let property = &rule.object.properties[rule.object.position(name)?];
        if !property.is_required {
            return None;
        }
        match self.rules[property.rule.0].as_ref()?.listed.as_deref() {
            Some([Value::String(constant)]) => Some(constant.clone()),
            _ => None,
        }
    }
}

fn within(at: &str, step: &str) -> String {
    format!("{at}/{step}")
}

fn kinds(value: &Value) -> Option<Kinds> {
    let named = |value: &Value| value.as_str().and_then(Kinds::named);
    match value {
        Value::Array(several) => {
            several.iter().try_fold(Kinds::NONE, |kinds, name| named(name).map(|kind| kinds.with(kind)))
        }
        name => named(name),
    }
}

fn number(value: &Value) -> Option<Number> {
    value.as_number().and_then(Number::of)
}

fn count(value: &Value) -> Option<usize> {
    match number(value)? {
        Number::Integer(count) if count >= 0 => Some(usize::try_from(count).unwrap_or(usize::MAX)),
        _ => None,
    }
}

/// A reference is a URI, in which most letters of a name are written as bytes.
pub(crate) fn percent_decoded(pointer: &str) -> Cow<'_, str> {
    if !pointer.contains('%') {
        return pointer.into();
    }
    let mut bytes = Vec::with_capacity(pointer.len());
    let mut rest = pointer.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escaped =
            after.get(..2).filter(|_| byte == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(escaped) = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(escaped);
            rest = &after[2..];
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned().into()
}
