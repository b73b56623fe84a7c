//! What a registry refuses to be made of.

use super::entry::Candidate;
use super::fault::BuildFault;
use crate::invocation::Need;
use crate::schema::{NotStrict, strict_parameters};
use crate::tool::DynamicTool;
use crate::tool_name;
use serde_json::Value;

/// What the macro checks of a function, and cannot check here.
pub(super) fn dynamic(tool: &DynamicTool, faults: &mut Vec<BuildFault>) {
    if tool.parameters.get("type").and_then(Value::as_str) != Some("object") && !tool.parameters.is_null() {
        faults.push(BuildFault::InvalidParameters { tool: tool.name.clone() });
    }
    if tool.options.hints.timeout.is_some_and(|allowed| allowed.is_zero()) {
        faults.push(BuildFault::ZeroTimeout { tool: tool.name.clone() });
    }
    if tool.options.hints.read_only && tool.options.hints.destructive {
        faults.push(BuildFault::ContradictingHints { tool: tool.name.clone() });
    }
}

/// Two tools of one name; the candidates are sorted.
pub(super) fn duplicates(candidates: &[Candidate], faults: &mut Vec<BuildFault>) {
    for pair in candidates.windows(2) {
        let [first, second] = [&pair[0].entry, &pair[1].entry];
        if first.name == second.name {
            let name = first.name.to_string();
            let (first, second) = (first.place(), second.place());
            faults.push(BuildFault::DuplicateName { name, first, second });
        }
    }
}

pub(super) fn name(candidate: &Candidate, faults: &mut Vec<BuildFault>) {
    if !tool_name::is_valid(&candidate.entry.name) {
        faults.push(BuildFault::InvalidName { name: candidate.entry.name.to_string() });
    }
}

pub(super) fn missing_states(
    candidate: &Candidate,
    is_missing: impl Fn(&&Need) -> bool,
    faults: &mut Vec<BuildFault>,
) {
    faults.extend(candidate.needs.iter().filter(is_missing).map(|need| BuildFault::MissingState {
        tool: candidate.entry.name.to_string(),
        parameter: need.parameter,
        state: need.type_name,
    }));
}

pub(super) fn not_strict(candidate: &Candidate, faults: &mut Vec<BuildFault>) {
    let against = strict_parameters(candidate.schema.parameters()).err().unwrap_or_default();
    let tool = candidate.entry.name.to_string();
    faults.extend(against.into_iter().map(|NotStrict { path, reason }| BuildFault::NotStrict {
        tool: tool.clone(),
        path,
        reason,
    }));
}
