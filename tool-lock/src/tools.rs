//! The comparison of two locks, tool by tool.

use super::change::{Change, Role};
use super::file::{Lock, LockedTool};
use super::line_diff::line_diff;
use super::renames::{Named, renames, without_description};
use super::schemas::compare_schemas;
use serde_json::Value;

/// The changes of one tool.
#[derive(Debug)]
pub(super) struct ToolChanges<'a> {
    pub(super) tool: &'a str,
    pub(super) changes: Vec<Change>,
}

/// The tools that change, sorted by name.
pub(super) fn compare_tools<'a>(old: &'a Lock, new: &'a Lock) -> Vec<ToolChanges<'a>> {
    let only = |one: &'a Lock, other: &Lock| -> Vec<&'a LockedTool> {
        one.tools.iter().filter(|tool| find(other, &tool.name).is_none()).collect()
    };
    let (removed, added) = (only(old, new), only(new, old));
    let named = |tools: &[&'a LockedTool]| tools.iter().map(|tool| identify(tool)).collect::<Vec<_>>();
    let renamed = renames(named(&removed), named(&added));
    let mut all = Vec::new();
    for tool in removed.iter().filter(|tool| renamed.iter().all(|(old, _)| *old != tool.name)) {
        all.push(single(&tool.name, Change::breaking("the tool is removed")));
    }
    for tool in added.iter().filter(|tool| renamed.iter().all(|(_, new)| *new != tool.name)) {
        all.push(single(&tool.name, Change::compatible("the tool is new")));
    }
    for (before, after) in &renamed {
        let (Some(before), Some(after)) = (find(old, before), find(new, after)) else { continue };
        let mut tool =
            single(&before.name, Change::breaking(format!("the tool is renamed to `{}`", after.name)));
        tool.changes.extend(compare_tool(before, after));
        all.push(tool);
    }
    for tool in &new.tools {
        let changes = find(old, &tool.name).map(|before| compare_tool(before, tool)).unwrap_or_default();
        if !changes.is_empty() {
            all.push(ToolChanges { tool: &tool.name, changes });
        }
    }
    all.sort_by_key(|changes| changes.tool);
    all
}

fn find<'a>(lock: &'a Lock, name: &str) -> Option<&'a LockedTool> {
    lock.tools.iter().find(|tool| tool.name == name)
}

fn single(tool: &str, change: Change) -> ToolChanges<'_> {
    ToolChanges { tool, changes: vec![change] }
}

fn identify(tool: &LockedTool) -> Named {
    let properties = tool.parameters.get("properties").and_then(Value::as_object);
    let identity = match properties {
        Some(properties) if !properties.is_empty() => Some(without_description(&tool.parameters)),
        // Many tools have no parameters.
        _ => Some(&tool.description)
            .filter(|description| !description.is_empty())
            .map(|text| text.as_str().into()),
    };
    Named { name: tool.name.clone(), identity }
}

fn compare_tool(old: &LockedTool, new: &LockedTool) -> Vec<Change> {
    let mut changes = Vec::new();
    let title = |tool: &LockedTool| tool.title.clone().unwrap_or_default();
    for (words, before, after) in
        [("title", title(old), title(new)), ("description", old.description.clone(), new.description.clone())]
    {
        if before != after {
            let diff = line_diff(&before, &after);
            changes.push(Change { diff, ..Change::compatible(format!("the {words} changes")) });
        }
    }
    for name in ["read_only", "destructive", "idempotent", "open_world", "requires_approval"] {
        changes.extend(compare_annotation(name, old.annotations.get(name), new.annotations.get(name)));
    }
    changes.extend(compare_schemas(&old.parameters, &new.parameters, Role::Arguments));
    match (&old.output_schema, &new.output_schema) {
        (Some(before), Some(after)) => changes.extend(compare_schemas(before, after, Role::Result)),
        (None, None) => {}
        (None, Some(_)) => changes.push(Change::compatible("an output schema is declared")),
        (Some(_), None) => changes.push(Change::breaking("the output schema is not declared any more")),
    }
    changes
}

/// A change is breaking if the tool promises less.
fn compare_annotation(name: &str, old: Option<&bool>, new: Option<&bool>) -> Option<Change> {
    if old == new {
        return None;
    }
    // In the Model Context Protocol, a tool that declares nothing is destructive and open, so `false` is a promise:
    // https://modelcontextprotocol.io/specification/2025-06-18/schema#toolannotations
    let promise = |declared: Option<&bool>| match (name, declared) {
        ("read_only" | "idempotent" | "requires_approval", declared) => u8::from(declared == Some(&true)),
        (_, Some(true)) => 0,
        (_, None) => 1,
        (_, Some(false)) => 2,
    };
    let words = |declared: Option<&bool>| match declared {
        Some(true) => "`true`",
        Some(false) => "`false`",
        None => "not declared",
    };
    let line = format!("`{name}` changes from {} to {}", words(old), words(new));
    Some(if promise(new) < promise(old) { Change::breaking(line) } else { Change::compatible(line) })
}
