//! The report: each violation with the error message of a provider and its repairs, and the warnings.

use crate::input::History;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::{self, Display};
use tool_runtime::history::{Violation, ViolationKind};
use tool_runtime::wire::Wire as _;
use tool_runtime_repair::{Repair, quoted_error, rejected_by};

pub(crate) struct Report<'a> {
    pub(crate) history: &'a History<'a>,
    pub(crate) violations: &'a [Violation],
    pub(crate) warnings: &'a [Violation],
    pub(crate) repairs: &'a [Repair],
    /// The parts that a repaired history does not contain, each as its place and its type.
    pub(crate) dropped: &'a [(String, String)],
    /// The error message with which the provider rejects the repaired history.
    pub(crate) rejected: Option<&'a str>,
    /// Whether the wire writes all messages anew for this reason.
    pub(crate) is_rewritten: bool,
}

/// Repairs by the index and id of the violations that they repair.
#[derive(Default)]
struct RepairIndex<'a> {
    exact: HashMap<(usize, &'a str), Vec<&'a Repair>>,
    /// Tool messages that were moved after their calls: by id, then by the index of the reply.
    moved: HashMap<&'a str, BTreeMap<usize, &'a Repair>>,
}

impl<'a> RepairIndex<'a> {
    fn new(repairs: &'a [Repair]) -> Self {
        let mut index = RepairIndex::default();
        for repair in repairs {
            index.exact.entry((repair.index(), repair.id())).or_default().push(repair);
            match repair {
                Repair::ResultMoved { reply, id, .. } => {
                    index.exact.entry((*reply, id)).or_default().push(repair);
                    index.moved.entry(id).or_default().insert(*reply, repair);
                }
                // The violation has the new id of the tool message, which is the id of its call.
                Repair::ResultIdChanged { reply, id, .. } => {
                    index.exact.entry((*reply, id)).or_default().push(repair);
                }
                _ => {}
            }
        }
        index
    }

    /// The repairs of this violation.
    fn repairs_of(&self, violation: &Violation) -> Vec<&'a Repair> {
        let (index, id) = (violation.index, &*violation.id);
        if violation.kind != ViolationKind::MessageBetween {
            return self.exact.get(&(index, id)).cloned().unwrap_or_default();
        }
        // The index is that of the message between, which is after the reply.
        let before = self.moved.get(id).and_then(|moved| moved.range(..index).next_back());
        before.map(|(_, repair)| *repair).into_iter().collect()
    }
}

/// A line with escaped control characters, since ids come from the input.
pub(crate) fn line(text: impl Display) -> String {
    let plain = |letter: char| {
        if letter.is_control() { letter.escape_default().to_string() } else { letter.to_string() }
    };
    text.to_string().chars().map(plain).chain(["\n".to_owned()]).collect()
}

impl Report<'_> {
    /// The violation with its place in the input.
    fn violation(&self, violation: &Violation) -> String {
        let place = self.history.place(violation.index);
        let id = if violation.id.is_empty() { String::new() } else { format!(" ({})", violation.id) };
        format!("{place}: {}{id}", violation.kind)
    }

    /// The repair with its places in the input.
    fn repair(&self, repair: &Repair) -> String {
        let text = repair.to_string();
        let text = text.strip_prefix(&format!("messages[{}]", repair.index())).unwrap_or(&text);
        let place = self.history.place(repair.index());
        let moved = match repair {
            Repair::ResultMoved { reply, .. } => {
                text.strip_suffix(&format!("messages[{reply}]")).map(|text| (text, *reply))
            }
            _ => None,
        };
        match moved {
            Some((text, reply)) => format!("{place}{text}{}", self.history.place(reply)),
            None => format!("{place}{text}"),
        }
    }
}

impl Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut write = |text: fmt::Arguments<'_>| f.write_str(&line(text));
        let error = |violation: &Violation| {
            let quoted = quoted_error(violation, &self.history.wire);
            quoted.map_or_else(String::new, |quoted| format!("    {} error: {}", quoted.by, quoted.text))
        };
        let index = RepairIndex::new(self.repairs);
        let mut shown = HashSet::new();
        for violation in self.violations {
            write(format_args!("{}", self.violation(violation)))?;
            write(format_args!("{}", error(violation)))?;
            for repair in index.repairs_of(violation) {
                write(format_args!("    repair: {}", self.repair(repair)))?;
                shown.insert(std::ptr::from_ref(repair));
            }
        }
        // Repairs that follow from other repairs.
        for repair in self.repairs.iter().filter(|repair| !shown.contains(&std::ptr::from_ref(*repair))) {
            write(format_args!("repair: {}", self.repair(repair)))?;
        }
        for (place, kind) in self.dropped {
            write(format_args!("repair: {place}: cannot be written again without a part: {kind}"))?;
        }
        for warning in self.warnings {
            write(format_args!("warning: {}", self.violation(warning)))?;
            write(format_args!("{}", error(warning)))?;
            if self.history.wire.name() == "chat_completions" {
                write(format_args!("    rejected by {}", rejected_by(warning.kind).join(", ")))?;
            }
        }
        let wire = self.history.wire.name();
        let unit = match wire {
            "responses" => "items",
            "gemini" => "contents",
            "gemini_interactions" => "steps",
            _ => "messages",
        };
        if let Some(message) = self.rejected {
            let history = if self.repairs.is_empty() { "history" } else { "repaired history" };
            write(format_args!("warning: the provider rejects the {history}: {message}"))?;
            if self.is_rewritten {
                write(format_args!("    repair: all {unit} are written anew"))?;
            }
        }
        let warnings = self.warnings.len() + usize::from(self.rejected.is_some());
        // The input of a response may be text.
        let count = self.history.elements.len().max(self.history.messages.len().min(1));
        match (self.violations.len(), warnings) {
            (0, 0) => write(format_args!("No violations. Wire: {wire}; {unit}: {count}.")),
            (violations, warnings) => write(format_args!(
                "Violations: {violations}; warnings: {warnings}; wire: {wire}; {unit}: {count}."
            )),
        }
    }
}
