//! Removal of self-references among nodes that validate the same value.

use super::node::{Node, NodeId};
use crate::json::TypeSet;

/// The result of [`break_cycles`].
#[derive(Debug, Default)]
pub(super) struct InPlace {
    /// How many self-references were removed.
    pub(super) cycles: usize,
    /// The length of the longest chain of nodes that validate the same value.
    pub(super) max_depth: usize,
}

/// Removes each self-reference, since it adds no constraint and would recurse forever, and computes the types that each
/// node may accept. Without recursion, since a chain of references may be long.
pub(super) fn break_cycles(nodes: &mut [Node]) -> InPlace {
    let applicators: Vec<Vec<NodeId>> =
        nodes.iter().map(|node| node.in_place_applicators().collect()).collect();
    let mut states = vec![State::New; nodes.len()];
    let mut found = InPlace::default();
    for start in 0..nodes.len() {
        // The nodes of the path, each with the index of its next applicator.
        let mut path = vec![(start, 0)];
        while let Some((id, next)) = path.pop() {
            match states[id] {
                State::Done { .. } => continue,
                State::New => states[id] = State::OnPath,
                State::OnPath => {}
            }
            if let Some(&target) = applicators[id].get(next) {
                path.push((id, next + 1));
                if states[target.0] != State::OnPath {
                    path.push((target.0, 0));
                }
                continue;
            }
            let references = nodes[id].in_place_applicators_mut();
            for reference in references.filter(|reference| states[reference.0] == State::OnPath) {
                *reference = NodeId::UNKNOWN;
                found.cycles += 1;
            }
            let depth = depth(&applicators[id], &states);
            found.max_depth = found.max_depth.max(depth);
            states[id] = State::Done { depth };
            nodes[id].possible_types = possible_types(&nodes[id], nodes);
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    OnPath,
    /// With the length of the longest chain from here.
    Done {
        depth: usize,
    },
}

fn depth(applicators: &[NodeId], states: &[State]) -> usize {
    let depth_of = |id: &NodeId| match states[id.0] {
        State::Done { depth } => depth,
        State::New | State::OnPath => 0,
    };
    applicators.iter().map(depth_of).max().unwrap_or(0) + 1
}

/// The possible types of a node, after those of its applicators are known.
fn possible_types(node: &Node, nodes: &[Node]) -> TypeSet {
    let types_of = |id: &NodeId| nodes[id.0].possible_types;
    let in_all = node.all_of.iter().map(types_of).fold(node.types, TypeSet::intersection);
    node.unions.iter().fold(in_all, |types, union| {
        let branches = union.branches.iter().chain(&union.absent);
        types.intersection(branches.map(types_of).fold(TypeSet::NONE, TypeSet::union))
    })
}
