//! The cycles of references in a schema.

use crate::json::{definition_name, remove_entry};
use crate::keywords::each_subschema;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The nodes are the root of a schema, its properties, and its definitions.
pub(super) struct Cycles {
    properties: HashMap<String, usize>,
    definitions: HashMap<String, usize>,
    /// The number of the cycle that each node is in. Nodes have the same number if each refers to the other.
    numbers: Vec<usize>,
}

impl Cycles {
    pub(super) const ROOT: usize = 0;

    pub(super) fn new(root: &mut Map<String, Value>) -> Self {
        let mut cycles =
            Cycles { properties: HashMap::new(), definitions: HashMap::new(), numbers: Vec::new() };
        let mut count = 1;
        for (keyword, value) in &*root {
            let nodes = match keyword.as_str() {
                "properties" => &mut cycles.properties,
                "$defs" | "definitions" => &mut cycles.definitions,
                _ => continue,
            };
            for name in value.as_object().into_iter().flat_map(Map::keys) {
                nodes.entry(name.clone()).or_insert_with(|| {
                    count += 1;
                    count - 1
                });
            }
        }
        let mut targets = vec![Vec::new(); count];
        // A reference to the root refers to everything in it except its definitions.
        targets[Self::ROOT].extend(cycles.properties.values());
        for (keyword, value) in root {
            let nodes = match keyword.as_str() {
                "properties" => &cycles.properties,
                "$defs" | "definitions" => &cycles.definitions,
                _ => {
                    let mut rest = Map::from_iter([(keyword.clone(), value.take())]);
                    each_subschema(&mut rest, &mut |schema| cycles.collect(schema, &mut targets[Self::ROOT]));
                    *value = remove_entry(&mut rest, keyword).unwrap_or_default();
                    continue;
                }
            };
            for (name, schema) in value.as_object_mut().into_iter().flatten() {
                if let Some(targets) = nodes.get(name).and_then(|node| targets.get_mut(*node)) {
                    cycles.collect(schema, targets);
                }
            }
        }
        cycles.numbers = strong_components(&targets);
        cycles
    }

    /// Collects the nodes to which a schema refers.
    fn collect(&self, schema: &mut Value, targets: &mut Vec<usize>) {
        let Value::Object(keywords) = schema else { return };
        let reference = keywords.get("$ref").and_then(Value::as_str);
        targets.extend(reference.and_then(|reference| self.target(reference)));
        each_subschema(keywords, &mut |schema| self.collect(schema, targets));
    }

    /// The node that a reference refers to, or that contains it.
    fn target(&self, reference: &str) -> Option<usize> {
        let mut parts = reference.strip_prefix('#')?.split('/').skip(1);
        let (Some(keyword), Some(name)) = (parts.next(), parts.next()) else { return Some(Self::ROOT) };
        let name = definition_name(&format!("#/$defs/{name}"))?;
        match keyword {
            "properties" => self.properties.get(&name).copied(),
            "$defs" | "definitions" => self.definitions.get(&name).copied(),
            _ => Some(Self::ROOT),
        }
    }

    pub(super) fn property_cycle(&self, name: &str) -> usize {
        self.properties.get(name).copied().unwrap_or(Self::ROOT)
    }

    pub(super) fn definition_cycle(&self, name: &str) -> usize {
        self.definitions.get(name).copied().unwrap_or(Self::ROOT)
    }

    /// Whether this reference inside a node leads back to the node.
    pub(super) fn is_in_cycle(&self, node: usize, reference: &str) -> bool {
        let target = self.target(reference).and_then(|target| self.numbers.get(target));
        target.is_some() && target == self.numbers.get(node)
    }
}

/// A number for each node, equal for nodes that reach each other (the algorithm of Kosaraju). Without recursion, since a
/// chain of references may be long.
fn strong_components(targets: &[Vec<usize>]) -> Vec<usize> {
    let mut sources = vec![Vec::new(); targets.len()];
    for (node, targets) in targets.iter().enumerate() {
        for &target in targets {
            sources[target].push(node);
        }
    }
    let mut left = Vec::with_capacity(targets.len());
    let mut is_entered = vec![false; targets.len()];
    for start in 0..targets.len() {
        let mut path = vec![(start, true)];
        while let Some((node, enters)) = path.pop() {
            if !enters {
                left.push(node);
            } else if !std::mem::replace(&mut is_entered[node], true) {
                path.push((node, false));
                path.extend(targets[node].iter().map(|&target| (target, true)));
            }
        }
    }
    let mut numbers: Vec<Option<usize>> = vec![None; targets.len()];
    for &start in left.iter().rev() {
        let mut path = vec![start];
        while let Some(node) = path.pop() {
            if numbers[node].is_none() {
                numbers[node] = Some(start);
                path.extend(&sources[node]);
            }
        }
    }
    numbers.into_iter().flatten().collect()
}
