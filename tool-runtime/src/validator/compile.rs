//! The compiler of schemas into nodes. It lists the keywords that are not supported.

use super::cycles::{InPlace, break_cycles};
use super::limits::ExceededLimit;
use super::node::{Node, NodeId, Tag, Union};
use super::pattern::{Pattern, PatternMemory};
use super::{EnumValues, Validator};
use crate::json::{Number, canonical};
use crate::json::{TypeSet, referenced, to_text};
use crate::outcome::{Truncated, TruncatedPath};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

pub(super) fn compile(schema: &Value) -> Result<Validator, ExceededLimit> {
    let mut compiler = Compiler {
        document: schema,
        nodes: vec![Node::new(TypeSet::ALL), Node::new(TypeSet::NONE), Node::unknown()],
        known: HashMap::new(),
        pending: VecDeque::new(),
        locations: Vec::new(),
        unsupported: Vec::new(),
        patterns: PatternMemory::new(),
    };
    let root = compiler.node(schema, Location { parent: None, keyword: "", entry: "".into() });
    // A queue instead of recursion, since a schema may be of any depth.
    while let Some(pending) = compiler.pending.pop_front() {
        compiler.fill(&pending);
    }
    if compiler.patterns.is_exceeded {
        return Err(ExceededLimit::Patterns);
    }
    let Compiler { mut nodes, mut unsupported, .. } = compiler;
    let InPlace { cycles, max_depth } = break_cycles(&mut nodes);
    if max_depth > ExceededLimit::MAX_REFERENCES {
        return Err(ExceededLimit::References);
    }
    for index in 0..nodes.len() {
        nodes[index].id = NodeId(index);
        nodes[index].is_streamable = nodes[index].can_be_streamed();
        let mut unions = std::mem::take(&mut nodes[index].unions);
        for union in &mut unions {
            find_special_branches(union, &nodes);
        }
        nodes[index].unions = unions;
    }
    unsupported.extend((0..cycles).map(|_| "`$ref` that leads back to itself".to_owned()));
    Ok(Validator { nodes, root, unsupported_keywords: unsupported })
}

struct Compiler<'s> {
    document: &'s Value,
    nodes: Vec<Node>,
    /// The node of each schema by its address: references with different spellings may point to the same schema.
    known: HashMap<*const Value, NodeId>,
    /// Schemas whose keywords are not read yet.
    pending: VecDeque<Pending<'s>>,
    locations: Vec<Location<'s>>,
    unsupported: Vec<String>,
    patterns: PatternMemory,
}

struct Pending<'s> {
    id: NodeId,
    keywords: &'s Map<String, Value>,
    location: usize,
}

/// The location of a schema in its document.
struct Location<'s> {
    parent: Option<usize>,
    keyword: &'s str,
    /// The name or the index inside the keyword.
    entry: Cow<'s, str>,
}

/// Keywords that do not constrain a value.
const ANNOTATIONS: [&[&str]; 4] = [
    &["$schema", "$id", "$anchor", "$dynamicAnchor", "$comment"],
    &["$defs", "definitions"],
    &["title", "description", "default", "examples", "format", "deprecated", "readOnly", "writeOnly"],
    &["contentEncoding", "contentMediaType", "contentSchema"],
];

fn is_annotation(keyword: &str) -> bool {
    ANNOTATIONS.iter().any(|keywords| keywords.contains(&keyword))
}

impl<'s> Compiler<'s> {
    /// Returns the node of a schema, which may be filled later.
    fn node(&mut self, schema: &'s Value, location: Location<'s>) -> NodeId {
        let mut schema = schema;
        let mut chain = Vec::new();
        let id = loop {
            if let Some(&known) = self.known.get(&std::ptr::from_ref(schema)) {
                break known;
            }
            let keywords = match schema {
                Value::Object(keywords) if keywords.is_empty() => break NodeId::ANYTHING,
                Value::Object(keywords) => keywords,
                Value::Bool(true) => break NodeId::ANYTHING,
                Value::Bool(false) => break NodeId::NOTHING,
                _ => return self.not_a_schema(location),
            };
            let is_only_reference =
                keywords.keys().all(|keyword| keyword == "$ref" || is_annotation(keyword));
            let target = keywords.get("$ref").filter(|_| is_only_reference).map(|value| self.target(value));
            match target {
                Some(Some(target)) if chain.len() < ExceededLimit::MAX_REFERENCES => {
                    chain.push(std::ptr::from_ref(schema));
                    schema = target;
                }
                _ => {
                    self.nodes.push(Node::new(TypeSet::ALL));
                    let id = NodeId(self.nodes.len() - 1);
                    self.known.insert(std::ptr::from_ref(schema), id);
                    self.locations.push(location);
                    self.pending.push_back(Pending { id, keywords, location: self.locations.len() - 1 });
                    break id;
                }
            }
        };
        self.known.extend(chain.into_iter().map(|schema| (schema, id)));
        id
    }

    /// The schema that a reference points to, if it is in the document.
    fn target(&self, reference: &Value) -> Option<&'s Value> {
        let target = referenced(self.document, reference.as_str()?)?;
        Some(target).filter(|target| target.is_object() || target.is_boolean())
    }

    fn child(&mut self, schema: &'s Value, parent: usize, keyword: &'s str, entry: &'s str) -> NodeId {
        self.node(schema, Location { parent: Some(parent), keyword, entry: entry.into() })
    }

    fn each(&mut self, schemas: &'s [Value], parent: usize, keyword: &'s str) -> Vec<NodeId> {
        let node = |(index, schema): (usize, &'s Value)| {
            self.node(schema, Location { parent: Some(parent), keyword, entry: index.to_string().into() })
        };
        schemas.iter().enumerate().map(node).collect()
    }

    /// Lists an unsupported keyword, and marks the types of the values that it may reject.
    fn unsupported(&mut self, node: &mut Node, keyword: &str, location: usize) {
        let types = match keyword {
            "pattern" => TypeSet::STRING,
            "contains" | "minContains" | "maxContains" | "unevaluatedItems" => TypeSet::ARRAY,
            "patternProperties" | "dependentRequired" | "dependentSchemas" | "unevaluatedProperties" => {
                TypeSet::OBJECT
            }
            _ => TypeSet::ALL,
        };
        node.unsupported = node.unsupported.union(types);
        self.unsupported.push(match self.path(location) {
            path if path.is_empty() => format!("`{}`", Truncated(keyword)),
            path => format!("`{}` at `{path}`", Truncated(keyword)),
        });
    }

    /// A value such as `"string"` in place of a schema.
    fn not_a_schema(&mut self, location: Location<'s>) -> NodeId {
        self.locations.push(location);
        let path = self.path(self.locations.len() - 1);
        self.unsupported.push(format!("the value at `{path}`, which is not a schema"));
        NodeId::UNKNOWN
    }

    /// `/properties/city`
    fn path(&self, location: usize) -> String {
        let mut steps = Vec::new();
        let mut next = Some(location);
        while let Some(Location { parent, keyword, entry }) = next.map(|location| &self.locations[location]) {
            let own = [&**entry, keyword].into_iter().filter(|step| !step.is_empty());
            steps.extend(own.map(|step| format!("/{}", Truncated(step))));
            next = *parent;
        }
        steps.reverse();
        TruncatedPath(&steps.concat()).to_string()
    }

    fn fill(&mut self, pending: &Pending<'s>) {
        let &Pending { id, keywords, location } = pending;
        let mut node = Node::new(TypeSet::ALL);
        let dialect = keywords.get("$schema").and_then(Value::as_str);
        if dialect.is_some_and(|dialect| !dialect.contains("json-schema.org/")) {
            self.unsupported(&mut node, "$schema", location);
            self.nodes[id.0] = Node::unknown();
            return;
        }
        self.properties(&mut node, keywords, location);
        for (keyword, value) in keywords {
            if is_annotation(keyword) {
                continue;
            }
            if self.keyword(&mut node, keyword, value, location).is_none() {
                self.unsupported(&mut node, keyword, location);
            } else if !matches!(&**keyword, "allOf" | "anyOf" | "oneOf" | "not" | "$ref") {
                node.has_own_constraint = true;
            }
        }
        self.other_properties(&mut node, keywords, location);
        // `simple` compares only scalars with an enum.
        let may_be_nested = node.types.intersects(TypeSet::ARRAY.union(TypeSet::OBJECT));
        node.is_compound = !node.all_of.is_empty()
            || !node.unions.is_empty()
            || node.not.is_some()
            || node.unsupported != TypeSet::NONE
            || (node.enum_values.is_some() && may_be_nested);
        self.nodes[id.0] = node;
    }

    /// Compiles one keyword; `None` if the keyword, or its value, is not supported.
    fn keyword(
        &mut self,
        node: &mut Node,
        keyword: &'s str,
        value: &'s Value,
        location: usize,
    ) -> Option<()> {
        match keyword {
            "type" => node.types = types(value)?,
            "enum" => restrict_values(node, value.as_array()?),
            "const" => restrict_values(node, std::slice::from_ref(value)),
            "minimum" => node.bounds.get_or_insert_default().minimum = Some(number(value)?),
            "maximum" => node.bounds.get_or_insert_default().maximum = Some(number(value)?),
            "exclusiveMinimum" => {
                node.bounds.get_or_insert_default().exclusive_minimum = Some(number(value)?);
            }
            "exclusiveMaximum" => {
                node.bounds.get_or_insert_default().exclusive_maximum = Some(number(value)?);
            }
            "multipleOf" => {
                let is_zero = |divisor: &Number| divisor.compare(Number::Integer(0)).is_eq();
                node.multiple_of = Some(number(value).filter(|divisor| !is_zero(divisor))?);
            }
            "minLength" => node.length.min = count(value)?,
            "maxLength" => node.length.max = count(value)?,
            "pattern" => node.pattern = Some(Pattern::new(value.as_str()?, &mut self.patterns)?),
            "minItems" => node.array.count.min = count(value)?,
            "maxItems" => node.array.count.max = count(value)?,
            "uniqueItems" => node.array.unique = value.as_bool()?,
            "items" => node.array.items = self.child(value, location, keyword, ""),
            "prefixItems" => node.array.prefix = self.each(value.as_array()?, location, keyword),
            "minProperties" => node.object.count.min = count(value)?,
            "maxProperties" => node.object.count.max = count(value)?,
            "propertyNames" => node.object.property_names = Some(self.child(value, location, keyword, "")),
            "allOf" => node.all_of.extend(self.each(value.as_array()?, location, keyword)),
            "anyOf" | "oneOf" => {
                let branches = self.each(value.as_array()?, location, keyword);
                let exactly_one = keyword == "oneOf";
                node.unions.push(Union { branches, exactly_one, absent: None, tag: None });
            }
            "not" => node.not = Some(self.child(value, location, keyword, "")),
            "$ref" => {
                let target = self.target(value)?;
                let entry = value.as_str()?.trim_start_matches("#/");
                node.all_of
                    .push(self.node(target, Location { parent: None, keyword: "", entry: entry.into() }));
            }
            // Read by `properties` and `other_properties`.
            "properties" => drop(value.as_object()?),
            "required" => drop(value.as_array()?),
            "additionalProperties" | "patternProperties" => {}
            _ => return None,
        }
        Some(())
    }

    fn properties(&mut self, node: &mut Node, keywords: &'s Map<String, Value>, location: usize) {
        let properties = keywords.get("properties").and_then(Value::as_object);
        let object = &mut node.object;
        object.names = properties.into_iter().flat_map(Map::keys).cloned().collect();
        object.keys = object.names.iter().map(|name| to_text(&name.as_str().into())).collect();
        object.by_name = (0..object.names.len()).collect();
        object.by_name.sort_unstable_by_key(|&index| &object.names[index]);
        for (name, schema) in properties.into_iter().flatten() {
            object.properties.push(self.child(schema, location, "properties", name));
        }
        let required = keywords.get("required").and_then(Value::as_array);
        let required: HashSet<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
        object.required =
            (0..object.names.len()).filter(|&index| required.contains(&*object.names[index])).collect();
        let others = required.into_iter().filter(|key| object.position(key).is_none());
        object.required_others = others.map(str::to_owned).collect();
        object.required_others.sort_unstable();
    }

    /// Compiles `patternProperties` and `additionalProperties`. If a pattern cannot be enforced, the additional keys
    /// are unknown.
    fn other_properties(&mut self, node: &mut Node, keywords: &'s Map<String, Value>, location: usize) {
        let mut all_enforced = true;
        let patterns = keywords.get("patternProperties").and_then(Value::as_object);
        for (source, schema) in patterns.into_iter().flatten() {
            let id = self.child(schema, location, "patternProperties", source);
            if let Some(pattern) = Pattern::new(source, &mut self.patterns) {
                node.object.patterns.push((pattern, id));
            } else {
                self.unsupported(node, "patternProperties", location);
                all_enforced = false;
            }
        }
        if let Some(schema) = keywords.get("additionalProperties").filter(|_| all_enforced) {
            node.object.additional_properties = self.child(schema, location, "additionalProperties", "");
        }
    }
}

/// Finds the special branches of a union, after all nodes are filled and cycles are removed.
fn find_special_branches(union: &mut Union, nodes: &[Node]) {
    let is_absence = |last: &NodeId| nodes[last.0].only_forbids_properties();
    if union.branches.len() > 1 && union.branches.last().is_some_and(is_absence) {
        union.absent = union.branches.pop();
    }
    union.tag = tag(&union.branches, nodes);
}

/// The property that is a required constant in each branch for objects, as in serde's tagged enums.
fn tag(branches: &[NodeId], nodes: &[Node]) -> Option<Tag> {
    // A tag is among the first few constants. Testing all of them would take too long.
    const MAX_CANDIDATES: usize = 8;
    let mut objects = branches.iter().copied().filter(|id| nodes[id.0].types.intersects(TypeSet::OBJECT));
    let first = objects.next()?;
    let others: Vec<NodeId> = objects.collect();
    let constant = |id: NodeId, property: &str| {
        let object = &nodes[id.0].object;
        let index = object.position(property)?;
        object.required.binary_search(&index).ok()?;
        let values = nodes[object.properties[index].0].enum_values.as_ref()?;
        let [Value::String(constant)] = &values.values[..] else { return None };
        Some((constant.clone(), id))
    };
    let names = nodes[first.0].object.names.iter();
    let candidates = names.filter_map(|property| Some((property, constant(first, property)?)));
    candidates.take(MAX_CANDIDATES).find_map(|(property, value)| {
        let values = others.iter().map(|&id| constant(id, property));
        let values = std::iter::once(Some(value)).chain(values).collect::<Option<_>>()?;
        Some(Tag { property: property.clone(), values })
    })
}

/// Adds the values of `enum` or `const`. With both keywords, a value must be in both.
fn restrict_values(node: &mut Node, values: &[Value]) {
    let is_known = |value: &&Value| match &node.enum_values {
        Some(known) => known.values.iter().any(|known| canonical(known) == canonical(value)),
        None => true,
    };
    node.enum_values = Some(EnumValues::new(values.iter().filter(is_known).cloned().collect()));
}

fn types(value: &Value) -> Option<TypeSet> {
    let named = |value: &Value| value.as_str().and_then(TypeSet::from_name);
    match value {
        Value::Array(several) => {
            several.iter().try_fold(TypeSet::NONE, |types, name| named(name).map(|named| types.union(named)))
        }
        name => named(name),
    }
}

fn number(value: &Value) -> Option<Number> {
    value.as_number().and_then(Number::from_json)
}

fn count(value: &Value) -> Option<usize> {
    match number(value)? {
        Number::Integer(count) if count >= 0 => Some(usize::try_from(count).unwrap_or(usize::MAX)),
        _ => None,
    }
}
