//! References among nodes that validate the same value.

use super::node::{Node, NodeId};
use crate::json::TypeSet;

/// The nodes that validate one value, followed to their ends.
#[derive(Debug, Default)]
pub(super) struct InPlace {
    /// How many self-references were removed.
    pub(super) cycles: usize,
    /// The longest chain.
    pub(super) max_depth: usize,
}

/// Removes each reference from a node to itself, since it adds no constraint and would recurse forever, and computes the types
/// that each node may accept. Without recursion: a schema may refer to the next a thousand times.
pub(super) fn break_cycles(nodes: &mut [Node]) -> InPlace {
    let applicators: Vec<Vec<NodeId>> =
        nodes.iter().map(|node| node.in_place_applicators().collect()).collect();
    let mut states = vec![State::New; nodes.len()];
    let mut found = InPlace::default();
    for start in 0..nodes.len() {
        let mut path = vec![Step { id: NodeId(start), next: 0, cleared: Vec::new() }];
        while let Some(mut step) = path.pop() {
            let id = step.id.0;
            match states[id] {
                State::Done { .. } => continue,
                State::New => states[id] = State::OnPath,
                State::OnPath => {}
            }
            let Some(&next) = applicators[id].get(step.next) else {
                nodes[id].clear_applicators(&step.cleared);
                let depth = depth(&applicators[id], &states);
                found.cycles += step.cleared.len();
                found.max_depth = found.max_depth.max(depth);
                states[id] = State::Done { depth };
                nodes[id].possible_types = possible_types(&nodes[id], nodes);
                continue;
            };
            let is_cycle = states[next.0] == State::OnPath;
            if is_cycle {
                step.cleared.push(step.next);
            }
            step.next += 1;
            path.push(step);
            if !is_cycle {
                path.push(Step { id: next, next: 0, cleared: Vec::new() });
            }
        }
    }
    found
}

/// A node on the path, and the applicators of it that are done.
struct Step {
    id: NodeId,
    next: usize,
    cleared: Vec<usize>,
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

/// The types of a node whose applicators are computed.
fn possible_types(node: &Node, nodes: &[Node]) -> TypeSet {
    let of = |id: &NodeId| nodes[id.0].possible_types;
    let in_all = node.all_of.iter().map(of).fold(node.types, TypeSet::intersection);
    node.unions.iter().fold(in_all, |types, union| {
        let branches = union.branches.iter().chain(&union.absent);
        types.intersection(branches.map(of).fold(TypeSet::NONE, TypeSet::union))
    })
}
