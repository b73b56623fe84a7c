//! Shortening a history without separating a call from its tool message.

use super::exchange::exchanges;
use crate::message::{Message, ToolMessage};
use crate::output::truncate_middle;
use std::fmt;
use std::ops::Range;

/// The limits to which [`Session::trim`](crate::Session::trim), [`Conversation::trim`](crate::Conversation::trim) and
/// [`Request::trim`](crate::conversation::Request::trim) shorten their messages.
///
/// The oldest exchanges are removed until the rest is within the budget. An exchange consists of consecutive user messages
/// and all messages up to the next user message. System and developer messages stay, and so does the newest exchange, even
/// if it exceeds the budget. A call and its tool message stay or are removed together.
#[must_use = "pass it to `trim`"]
pub struct TrimBudget<'a> {
    limit: usize,
    measure: Box<dyn Fn(&Message) -> usize + 'a>,
    longest_output: Option<usize>,
    keeps_newest_exchange: bool,
}

impl<'a> TrimBudget<'a> {
    /// At most `limit` messages.
    pub fn max_messages(limit: usize) -> Self {
        TrimBudget::max_tokens(limit, |_| 1)
    }

    /// At most `limit` tokens. `count` is a tokenizer or an estimate; it is called once for each message, and once more
    /// for each truncated message.
    pub fn max_tokens(limit: usize, count: impl Fn(&Message) -> usize + 'a) -> Self {
        TrimBudget { limit, measure: Box::new(count), longest_output: None, keeps_newest_exchange: true }
    }

    /// Truncates the results of tools in the middle to this many bytes, the oldest first and only as many as needed: in
    /// older exchanges before an exchange is removed, and in the newest exchange if it alone exceeds the limit. Results
    /// of the newest reply and results with images or files are never truncated. Off by default.
    pub fn truncate_results(mut self, bytes: usize) -> Self {
        self.longest_output = Some(bytes);
        self
    }

    /// Whether the newest exchange stays complete; true by default. If false, only its user messages and its newest
    /// reply with the tool messages must stay, and older replies are removed with their tool messages: for programs in
    /// which one user message leads to hundreds of calls.
    pub fn keep_newest_exchange(mut self, keeps: bool) -> Self {
        self.keeps_newest_exchange = keeps;
        self
    }
}

impl fmt::Debug for TrimBudget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrimBudget")
            .field("limit", &self.limit)
            .field("longest_output", &self.longest_output)
            .field("keeps_newest_exchange", &self.keeps_newest_exchange)
            .finish_non_exhaustive()
    }
}

/// The changes that `trim` of a session or a conversation, or a [compaction](crate::session::Run::compact), has made.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
#[must_use = "it has the only copy of the removed messages"]
pub struct Trimmed {
    /// Whether the rest is within the budget. If false, the messages that must stay exceed it.
    pub is_within_budget: bool,
    /// The removed messages, in order, for a summary.
    pub removed: Vec<Message>,
    /// The tool messages that were truncated or replaced by notices, as they were before.
    pub truncated: Vec<ToolMessage>,
}

/// Removes the oldest exchanges of a valid history until the rest is within the budget.
pub(crate) fn trim(messages: Vec<Message>, budget: &TrimBudget<'_>) -> (Vec<Message>, Trimmed) {
    let starts = exchange_starts(&messages);
    let newest_exchange = starts.last().copied().unwrap_or(messages.len());
    // The replies of the newest exchange, each with its tool messages.
    let replies = exchanges(&messages).filter_map(|exchange| Some(exchange.reply?..exchange.results.end));
    let mut replies: Vec<Range<usize>> = replies.filter(|reply| reply.start >= newest_exchange).collect();
    let newest_reply = replies.pop().map_or(messages.len(), |reply| reply.start);
    let mut trimming = Trimming::new(messages, budget);
    trimming.shorten(0..newest_exchange);
    for exchange in starts.windows(2) {
        trimming.remove(exchange[0]..exchange[1]);
    }
    trimming.shorten(newest_exchange..newest_reply);
    if !budget.keeps_newest_exchange {
        for older_reply in replies {
            trimming.remove(older_reply);
        }
    }
    let is_within_budget = !trimming.is_over();
    let messages = trimming.messages.into_iter().flatten().collect();
    (messages, Trimmed { is_within_budget, ..trimming.trimmed })
}

/// The index of the first message of each exchange.
fn exchange_starts(messages: &[Message]) -> Vec<usize> {
    let is_system = |message: &Message| matches!(message, Message::System(_) | Message::Developer(_));
    let mut starts = Vec::new();
    let mut goes_on = false;
    for (place, message) in messages.iter().enumerate().filter(|(_, message)| !is_system(message)) {
        let is_user = matches!(message, Message::User(_));
        if starts.is_empty() || (is_user && !goes_on) {
            starts.push(place);
        }
        // Consecutive user messages are one input.
        goes_on = is_user;
    }
    starts
}

struct Trimming<'a> {
    budget: &'a TrimBudget<'a>,
    messages: Vec<Option<Message>>,
    sizes: Vec<usize>,
    size: usize,
    trimmed: Trimmed,
}

impl<'a> Trimming<'a> {
    fn new(messages: Vec<Message>, budget: &'a TrimBudget<'a>) -> Self {
        let sizes: Vec<usize> = messages.iter().map(&budget.measure).collect();
        Trimming {
            budget,
            size: sizes.iter().fold(0, |sum, size| sum.saturating_add(*size)),
            sizes,
            messages: messages.into_iter().map(Some).collect(),
            trimmed: Trimmed::default(),
        }
    }

    fn is_over(&self) -> bool {
        self.size > self.budget.limit
    }

    fn shorten(&mut self, places: Range<usize>) {
        let Some(longest) = self.budget.longest_output else { return };
        for place in places {
            if !self.is_over() {
                return;
            }
            let Some(Message::Tool(result)) = &mut self.messages[place] else { continue };
            if result.content.has_more_than_text() {
                continue;
            }
            let Some(text) = truncate_middle(result.text(), longest) else { continue };
            self.trimmed.truncated.push(result.clone());
            result.content = text.into();
            self.resize(place);
        }
    }

    fn remove(&mut self, places: Range<usize>) {
        if !self.is_over() {
            return;
        }
        for place in places {
            if !matches!(self.messages[place], Some(Message::System(_) | Message::Developer(_)) | None) {
                self.trimmed.removed.extend(self.messages[place].take());
                self.resize(place);
            }
        }
    }

    /// Measures a message again.
    fn resize(&mut self, place: usize) {
        let size = self.messages[place].as_ref().map_or(0, &self.budget.measure);
        self.size = self.size.saturating_sub(self.sizes[place]).saturating_add(size);
        self.sizes[place] = size;
    }
}
