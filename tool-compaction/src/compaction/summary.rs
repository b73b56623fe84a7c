//! The message in place of removed messages.

use crate::notice::{handles, is_handle};
use crate::part_limit::max_part_len;
use std::collections::{BTreeMap, HashMap, HashSet};
use tool_runtime::message::Message;

/// The first sentence of the message. The next compaction recognizes the message by it.
const SUMMARY: &str = "Summary of earlier messages, which were removed:";
/// The message without a summary begins with it.
const REMOVED: &str = "Earlier messages were removed.";
/// The line before the handles, which end the message.
const STORED: &str = "Stored results, which read_result reads by their handles:";
/// For results whose tool has no known name, or one with unusual characters.
const OTHER_TOOLS: &str = "other tools";
/// The most handles in a message, which would become longer with each compaction otherwise.
const MAX_HANDLES: usize = 100;

/// Whether a message has the form of one of an earlier compaction. Only the first of a session that is before the newest reply is
/// one: compaction leaves no other, and a user may write such a message.
pub(super) fn is_summary(message: &Message) -> bool {
    let Message::User(input) = message else { return false };
    let has_form = |rest: &str| rest.is_empty() || rest.starts_with("\n\n");
    let rest = [SUMMARY, REMOVED].into_iter().find_map(|sentence| input.text().strip_prefix(sentence));
    input.content.parts().is_none() && rest.is_some_and(has_form)
}

/// The message in place of others.
pub(super) fn summary_message(summary: Option<&str>, stored: &StoredResults) -> Message {
    let mut text = match summary {
        Some(summary) => [SUMMARY, "\n\n", summary.trim_end()].concat(),
        None => REMOVED.to_owned(),
    };
    if !stored.handles.is_empty() {
        text.push_str("\n\n");
        text.push_str(STORED);
    }
    for (tool, handles) in &stored.handles {
        text.push_str("\n- ");
        text.push_str(tool);
        for (position, handle) in handles.iter().enumerate() {
            text.push_str(if position == 0 { ": \"" } else { ", \"" });
            text.push_str(handle);
            text.push('"');
        }
    }
    Message::user(text)
}

/// The handles of the stored results among removed messages, by tool, the oldest first.
#[derive(Default)]
pub(super) struct StoredResults {
    handles: BTreeMap<String, Vec<String>>,
    known: HashSet<String>,
}

impl StoredResults {
    pub(super) fn new(removed: &[Message]) -> Self {
        let mut stored = StoredResults::default();
        // The names of the tools, by the ids of the calls of the newest reply so far.
        let mut names: HashMap<&str, &str> = HashMap::new();
        let mut has_summary = false;
        for message in removed {
            match message {
                Message::Assistant(reply) => {
                    names = reply.tool_calls.iter().map(|call| (&*call.id, &*call.name)).collect();
                }
                Message::Tool(result) => {
                    let name = result.tool().or_else(|| names.get(&*result.tool_call_id).copied());
                    for handle in handles(&result.content) {
                        stored.add(name.unwrap_or(OTHER_TOOLS), handle);
                    }
                }
                message if !has_summary && is_summary(message) => {
                    has_summary = true;
                    stored.add_listed(message.text());
                }
                _ => {}
            }
        }
        stored.keep_newest();
        stored
    }

    /// Adds the handles that an earlier summary lists.
    fn add_listed(&mut self, summary: &str) {
        let Some((_, listed)) = summary.rsplit_once(STORED) else { return };
        let lines = listed.lines().filter_map(|line| line.strip_prefix("- ")?.split_once(": "));
        for (tool, handles) in lines {
            for handle in
                handles.split(", ").map(|handle| handle.trim_matches('"')).filter(|text| is_handle(text))
            {
                self.add(tool, handle);
            }
        }
    }

    fn add(&mut self, tool: &str, handle: &str) {
        if self.known.insert(handle.to_owned()) {
            let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
            let tool = if !tool.is_empty() && tool.bytes().all(is_usual) { tool } else { OTHER_TOOLS };
            self.handles.entry(tool.to_owned()).or_default().push(handle.to_owned());
        }
    }

    /// Keeps at most [`MAX_HANDLES`]. A tool with few handles loses none to a tool with many, which may have forged its notices.
    fn keep_newest(&mut self) {
        while self.handles.len() > MAX_HANDLES {
            self.handles.pop_first();
        }
        let max = max_part_len(self.handles.values().map(Vec::len), MAX_HANDLES);
        for handles in self.handles.values_mut() {
            handles.drain(..handles.len().saturating_sub(max));
        }
    }
}
