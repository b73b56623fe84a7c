//! The groups of messages that stay or are removed as a whole.

use super::provider_items::{calls_with_defined_result, joined_replies};
use super::summary::is_summary;
use std::ops::Range;
use tool_runtime::AssistantMessage;
use tool_runtime::message::Message;

/// Messages that stay or are removed as a whole, by their indices.
pub(super) struct Group {
    pub(super) messages: Vec<usize>,
    pub(super) stays: bool,
}

/// The groups of the messages. System and developer messages, which always stay, are in none.
pub(super) struct MessageGroups {
    /// From the oldest. User messages that stay are in none.
    pub(super) groups: Vec<Group>,
    /// The indices of tool messages that are not of the newest replies, and whose format no API defines.
    pub(super) old_results: Vec<usize>,
    /// The index of the summary of an earlier compaction.
    pub(super) summary: Option<usize>,
}

/// User messages, and the replies up to the next ones.
#[derive(Default)]
struct Exchange {
    users: Vec<usize>,
    replies: Range<usize>,
}

/// A reply and its tool messages.
struct Reply<'m> {
    messages: Range<usize>,
    message: &'m AssistantMessage,
}

impl MessageGroups {
    pub(super) fn new(messages: &[Message], keep_replies: usize, is_pinned: &[bool]) -> Self {
        let (exchanges, replies, summary) = exchanges(messages);
        // `joined[i]`: reply `i + 1` must stay with reply `i`.
        let joined = joined_replies(&replies.iter().map(|reply| reply.message).collect::<Vec<_>>());
        let first_kept = replies.len().saturating_sub(keep_replies);
        let mut is_kept: Vec<bool> = (0..replies.len()).map(|index| index >= first_kept).collect();
        spread(&mut is_kept, &joined);
        let mut stays: Vec<bool> =
            replies.iter().map(|reply| is_pinned[reply.messages.clone()].contains(&true)).collect();
        stays.iter_mut().zip(&is_kept).for_each(|(stays, is_kept)| *stays |= is_kept);
        spread(&mut stays, &joined);
        let results = replies[..first_kept].iter().flat_map(|reply| {
            let defined = calls_with_defined_result(reply.message);
            reply.messages.clone().filter(move |index| match &messages[*index] {
                Message::Tool(result) => !defined.contains(&result.tool_call_id),
                _ => false,
            })
        });
        let old_results = results.collect();

        let mut groups: Vec<Group> = Vec::new();
        for (number, exchange) in exchanges.iter().enumerate() {
            // Its replies stay or are removed one by one, and its user messages stay.
            let is_divided =
                number + 1 == exchanges.len() || is_kept[exchange.replies.clone()].contains(&true);
            if !is_divided {
                let is_joined = exchange.replies.start.checked_sub(1).is_some_and(|before| joined[before]);
                let users = exchange.users.iter().copied().filter(|user| !is_pinned[*user]).collect();
                join_or_push(&mut groups, Group { messages: users, stays: false }, is_joined);
            }
            for index in exchange.replies.clone() {
                let is_joined = !is_divided || index.checked_sub(1).is_some_and(|before| joined[before]);
                let messages = replies[index].messages.clone().collect();
                join_or_push(&mut groups, Group { messages, stays: stays[index] }, is_joined);
            }
        }
        MessageGroups { groups, old_results, summary }
    }
}

fn join_or_push(groups: &mut Vec<Group>, group: Group, is_joined: bool) {
    match groups.last_mut().filter(|_| is_joined) {
        Some(last) => {
            last.messages.extend(group.messages);
            last.stays |= group.stays;
        }
        None => groups.push(group),
    }
}

/// Sets a flag of a reply for each reply that is joined with it.
fn spread(flags: &mut [bool], joined: &[bool]) {
    for index in 1..flags.len() {
        flags[index] |= flags[index - 1] && joined[index - 1];
    }
    for index in (1..flags.len()).rev() {
        flags[index - 1] |= flags[index] && joined[index - 1];
    }
}

/// The exchanges, the replies, and the index of the summary.
fn exchanges(messages: &[Message]) -> (Vec<Exchange>, Vec<Reply<'_>>, Option<usize>) {
    let (mut exchanges, mut replies, mut summary): (Vec<Exchange>, Vec<Reply<'_>>, _) =
        (Vec::new(), Vec::new(), None);
    let newest = messages.iter().rposition(|message| matches!(message, Message::Assistant(_)));
    for (index, message) in messages.iter().enumerate() {
        match message {
            Message::User(_) if summary.is_none() && Some(index) < newest && is_summary(message) => {
                summary = Some(index);
            }
            Message::User(_) => {
                // Consecutive user messages are one input.
                if exchanges.last().is_none_or(|newest| !newest.replies.is_empty()) {
                    exchanges.push(Exchange { users: Vec::new(), replies: replies.len()..replies.len() });
                }
                if let Some(newest) = exchanges.last_mut() {
                    newest.users.push(index);
                }
            }
            Message::Assistant(reply) => {
                if exchanges.is_empty() {
                    exchanges.push(Exchange::default());
                }
                replies.push(Reply { messages: index..index + 1, message: reply });
                if let Some(newest) = exchanges.last_mut() {
                    newest.replies.end = replies.len();
                }
            }
            Message::Tool(_) => {
                if let Some(newest) = replies.last_mut() {
                    newest.messages.end = index + 1;
                }
            }
            _ => {}
        }
    }
    (exchanges, replies, summary)
}
