//! The changes of one compaction.

use super::groups::MessageGroups;
use super::old_results::with_notice;
use super::summary::{StoredResults, summary_message};
use std::collections::{BTreeMap, BTreeSet};
use tool_runtime::ToolMessage;
use tool_runtime::history::Trimmed;
use tool_runtime::message::Message;

/// Messages are removed only if they have at least this part of the lower mark together: otherwise, a session whose other messages
/// must stay would get a new summary before each request. The summary may be as long.
const MIN_SHARE_DIVISOR: usize = 8;

pub(super) struct Limits {
    /// The size to reach.
    pub(super) target: usize,
    pub(super) keep_replies: usize,
    /// Whether the program writes a summary.
    pub(super) has_summary: bool,
}

/// The changes that are decided, before the summary is written.
pub(super) struct Plan {
    messages: Vec<Message>,
    /// The results that become notices, as they were, by index.
    shortened: BTreeMap<usize, ToolMessage>,
    /// The indices of the removed messages.
    removed_indices: BTreeSet<usize>,
    removed: Vec<Message>,
    summary: Option<String>,
}

impl Plan {
    pub(super) fn new(
        messages: &[Message],
        count: &dyn Fn(&Message) -> usize,
        pin: Option<&(dyn Fn(&Message) -> bool + Send + '_)>,
        limits: &Limits,
    ) -> Self {
        let is_pinned: Vec<bool> =
            messages.iter().map(|message| pin.is_some_and(|pin| pin(message))).collect();
        let groups = MessageGroups::new(messages, limits.keep_replies, &is_pinned);
        let mut sizes = Sizes::new(messages, count);
        let mut plan = Plan {
            messages: messages.to_vec(),
            shortened: BTreeMap::new(),
            removed_indices: BTreeSet::new(),
            removed: Vec::new(),
            summary: None,
        };
        for index in groups.old_results.iter().copied().filter(|index| !is_pinned[*index]) {
            if sizes.sum <= limits.target {
                break;
            }
            plan.shorten(index, &mut sizes, count);
        }
        if sizes.sum > limits.target {
            plan.choose_removed(&groups, &sizes, count, limits);
        }
        plan
    }

    /// Puts a notice in place of a result, if that is smaller.
    fn shorten(&mut self, index: usize, sizes: &mut Sizes, count: &dyn Fn(&Message) -> usize) {
        let Message::Tool(result) = &self.messages[index] else { return };
        let Some(shorter) = with_notice(result).map(Message::Tool) else { return };
        let size = count(&shorter);
        if size < sizes.of[index] {
            sizes.replace(index, size);
            if let Message::Tool(result) = std::mem::replace(&mut self.messages[index], shorter) {
                self.shortened.insert(index, result);
            }
        }
    }

    /// Chooses the oldest groups until the rest and the summary are small enough.
    fn choose_removed(
        &mut self,
        groups: &MessageGroups,
        sizes: &Sizes,
        count: &dyn Fn(&Message) -> usize,
        limits: &Limits,
    ) {
        let share = limits.target / MIN_SHARE_DIVISOR;
        let min_summary = count(&summary_message(None, &StoredResults::default()));
        let reserve = if limits.has_summary { share.max(min_summary) } else { min_summary };
        let mut removed: BTreeSet<usize> = groups.summary.into_iter().collect();
        let replaced = groups.summary.map_or(0, |summary| sizes.of[summary]);
        let mut left = sizes.sum.saturating_sub(replaced).saturating_add(reserve);
        let mut gained: usize = 0;
        for group in groups.groups.iter().filter(|group| !group.stays && !group.messages.is_empty()) {
            if left <= limits.target {
                break;
            }
            let size = sizes.sum_of(&group.messages);
            left = left.saturating_sub(size);
            gained = gained.saturating_add(size);
            removed.extend(&group.messages);
        }
        if gained == 0 || gained < share || gained.saturating_add(replaced) <= min_summary {
            return;
        }
        let original = |index: &usize| match self.shortened.remove(index) {
            Some(result) => Message::Tool(result),
            None => self.messages[*index].clone(),
        };
        self.removed = removed.iter().map(original).collect();
        self.removed_indices = removed;
    }

    pub(super) fn changes_nothing(&self) -> bool {
        self.shortened.is_empty() && self.removed.is_empty()
    }

    pub(super) fn removes_messages(&self) -> bool {
        !self.removed.is_empty()
    }

    /// The removed messages, as they were.
    pub(super) fn removed(&self) -> &[Message] {
        &self.removed
    }

    pub(super) fn set_summary(&mut self, summary: String) {
        self.summary = Some(summary);
    }

    /// The messages after the compaction, and the changes.
    pub(super) fn finish(self) -> (Vec<Message>, Trimmed) {
        let Plan { messages, shortened, removed_indices, removed, summary } = self;
        let place = removed_indices.first().copied();
        let mut rest = Vec::with_capacity(messages.len());
        for (index, message) in messages.into_iter().enumerate() {
            if place == Some(index) {
                rest.push(summary_message(summary.as_deref(), &StoredResults::new(&removed)));
            }
            if !removed_indices.contains(&index) {
                rest.push(message);
            }
        }
        let mut trimmed = Trimmed::default();
        trimmed.removed = removed;
        trimmed.truncated = shortened.into_values().collect();
        (rest, trimmed)
    }
}

/// The size of messages together.
pub(super) fn size_of(messages: &[Message], count: &dyn Fn(&Message) -> usize) -> usize {
    sum(messages.iter().map(count))
}

fn sum(sizes: impl Iterator<Item = usize>) -> usize {
    sizes.fold(0, usize::saturating_add)
}

/// The sizes of the messages.
struct Sizes {
    of: Vec<usize>,
    sum: usize,
}

impl Sizes {
    fn new(messages: &[Message], count: &dyn Fn(&Message) -> usize) -> Self {
        let of: Vec<usize> = messages.iter().map(count).collect();
        let sum = sum(of.iter().copied());
        Sizes { of, sum }
    }

    fn replace(&mut self, index: usize, size: usize) {
        self.sum = self.sum.saturating_sub(self.of[index]).saturating_add(size);
        self.of[index] = size;
    }

    fn sum_of(&self, indices: &[usize]) -> usize {
        sum(indices.iter().map(|index| self.of[*index]))
    }
}
