//! The message in place of removed messages.

use crate::notice::{handles, is_handle};
use std::collections::HashMap;
use tool_runtime::message::Message;

/// The first sentence of the message. The next compaction recognizes the message by it.
const SUMMARY: &str = "Summary of earlier messages, which were removed:";
/// The message without a summary begins with it.
const REMOVED: &str = "Earlier messages were removed.";
/// The line before the handles, which end the message.
const STORED: &str = "Stored results, which read_result reads by their handles:";
/// For results whose tool has no known name, or one with unusual characters.
const OTHER_TOOLS: &str = "other tools";

/// Whether a message is that of an earlier compaction.
pub(super) fn is_summary(message: &Message) -> bool {
    let Message::User(input) = message else { return false };
    let is_text = input.content.parts().is_none();
    is_text && (input.text().starts_with(SUMMARY) || input.text().starts_with(REMOVED))
}

/// The message in place of others.
pub(super) fn summary_message(summary: Option<&str>, stored: &StoredResults) -> Message {
    let mut text = match summary {
        Some(summary) => [SUMMARY, "\n\n", summary.trim_end()].concat(),
        None => REMOVED.to_owned(),
    };
    if !stored.0.is_empty() {
        text.push_str("\n\n");
        text.push_str(STORED);
    }
    for (tool, handles) in &stored.0 {
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

/// The handles of the stored results among removed messages, by tool, in the order in which they first appear.
#[derive(Default)]
pub(super) struct StoredResults(Vec<(String, Vec<String>)>);

impl StoredResults {
    pub(super) fn new(removed: &[Message]) -> Self {
        let mut stored = StoredResults::default();
        // The names of the tools, by the ids of the calls of the newest reply so far.
        let mut names: HashMap<&str, &str> = HashMap::new();
        for message in removed {
            match message {
                Message::Assistant(reply) => {
                    names = reply.tool_calls.iter().map(|call| (&*call.id, &*call.name)).collect();
                }
                Message::Tool(result) => {
                    let name = result.tool().or_else(|| names.get(&*result.tool_call_id).copied());
                    for handle in handles(result.text()) {
                        stored.add(name.unwrap_or(OTHER_TOOLS), handle);
                    }
                }
                message if is_summary(message) => stored.add_listed(message.text()),
                _ => {}
            }
        }
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
        if self.0.iter().any(|(_, handles)| handles.iter().any(|known| known == handle)) {
            return;
        }
        let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let tool = if !tool.is_empty() && tool.bytes().all(is_usual) { tool } else { OTHER_TOOLS };
        match self.0.iter_mut().find(|(name, _)| name == tool) {
            Some((_, handles)) => handles.push(handle.to_owned()),
            None => self.0.push((tool.to_owned(), vec![handle.to_owned()])),
        }
    }
}
