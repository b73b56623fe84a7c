//! A history made shorter, without parting a call from its answer.

use super::exchange::exchanges;
use super::repair::{Repair, repair};
use crate::message::{Message, ToolMessage};
use crate::output::cut;
use std::fmt;
use std::ops::Range;

/// How much of a history [`trim`] keeps.
pub struct TrimBudget<'a> {
    limit: usize,
    measure: Box<dyn Fn(&Message) -> usize + 'a>,
    longest_output: Option<usize>,
    keeps_newest_exchange: bool,
}

impl<'a> TrimBudget<'a> {
    /// At most this many messages.
    #[must_use]
    pub fn messages(limit: usize) -> Self {
        TrimBudget::tokens(limit, |_| 1)
    }

    /// At most this many tokens, as the program counts them: a tokenizer, or an estimate. It is asked once for each
    /// message, and once more for each that is truncated.
    #[must_use]
    pub fn tokens(limit: usize, count: impl Fn(&Message) -> usize + 'a) -> Self {
        TrimBudget { limit, measure: Box::new(count), longest_output: None, keeps_newest_exchange: true }
    }

    /// Answers to calls are cut to this many bytes, the oldest first and as far as needed: the head and the tail stay.
    /// Those of older turns before a turn is taken out, those of the newest turn if it is too much alone, and those to
    /// its newest reply never; nor is an answer that has more than text. Not done unless it is asked for.
    #[must_use]
    pub fn shorten_outputs(mut self, bytes: usize) -> Self {
        self.longest_output = Some(bytes);
        self
    }

    /// Whether the newest turn stays whole, which it does by default. If not, only what the user said in it and its
    /// newest reply with its answers must stay, and older replies go with their answers: for a program whose one
    /// question leads to hundreds of calls.
    #[must_use]
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

/// What [`trim`] did.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Trimmed {
    /// Whether what is left is within the budget; if not, what must stay is too much.
    pub is_within_budget: bool,
    /// What was taken out, in order, so that it can be summarised.
    pub removed: Vec<Message>,
    /// The answers that were truncated, as they were.
    pub truncated: Vec<ToolMessage>,
    /// What was mended first, of a history that was not valid.
    pub repairs: Vec<Repair>,
}

/// Takes the oldest turns out until the rest is within the budget. A turn is what a user says, and all that follows up
/// to the next time.
///
/// System and developer messages stay, and so does the newest turn, even where it is over the budget alone. A call and
/// its answer stay or go together. A list that is not valid is [repaired](super::repair()) first.
///
/// ```
/// use tool_runtime::message::Message;
/// use tool_runtime::{AssistantMessage, history};
///
/// let messages = vec![
///     Message::system("You are brief."),
///     Message::user("Hello!"),
///     AssistantMessage::saying("Hello.").into(),
///     Message::user("How are you?"),
///     AssistantMessage::saying("Fine.").into(),
/// ];
/// let (messages, trimmed) = history::trim(messages, &history::TrimBudget::messages(3));
/// assert_eq!(messages[0].text(), "You are brief.");
/// assert_eq!(messages[1].text(), "How are you?");
/// assert_eq!(trimmed.removed[0].text(), "Hello!");
/// ```
#[must_use]
pub fn trim(messages: Vec<Message>, budget: &TrimBudget<'_>) -> (Vec<Message>, Trimmed) {
    let (messages, repairs) = repair(messages);
    let parts = Parts::of(&messages);
    let mut trimming = Trimming::new(messages, budget);
    trimming.shorten(0..parts.newest_turn);
    for turn in parts.older_turns {
        trimming.remove(turn);
    }
    trimming.shorten(parts.newest_turn..parts.newest_reply);
    if !budget.keeps_newest_exchange {
        for reply in parts.older_replies {
            trimming.remove(reply);
        }
    }
    let is_within_budget = !trimming.is_over();
    let messages = trimming.messages.into_iter().flatten().collect();
    (messages, Trimmed { is_within_budget, repairs, ..trimming.trimmed })
}

/// What a history is made of, as places in it.
struct Parts {
    older_turns: Vec<Range<usize>>,
    newest_turn: usize,
    /// Those of the newest turn, each with its answers.
    older_replies: Vec<Range<usize>>,
    newest_reply: usize,
}

impl Parts {
    fn of(messages: &[Message]) -> Self {
        let is_system = |message: &Message| matches!(message, Message::System(_) | Message::Developer(_));
        let mut turns = Vec::new();
        let mut goes_on = false;
        for (place, message) in messages.iter().enumerate().filter(|(_, message)| !is_system(message)) {
            let is_user = matches!(message, Message::User(_));
            if turns.is_empty() || (is_user && !goes_on) {
                turns.push(place);
            }
            // What is said in several messages is said at once.
            goes_on = is_user;
        }
        let newest_turn = turns.last().copied().unwrap_or(messages.len());
        let replies = exchanges(messages).filter_map(|exchange| Some(exchange.reply?..exchange.answers.end));
        let replies: Vec<Range<usize>> = replies.filter(|reply| reply.start >= newest_turn).collect();
        let newest_reply = replies.last().map_or(messages.len(), |reply| reply.start);
        Parts {
            older_turns: turns.windows(2).map(|turns| turns[0]..turns[1]).collect(),
            newest_turn,
            older_replies: replies.into_iter().filter(|reply| reply.start < newest_reply).collect(),
            newest_reply,
        }
    }
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
            let Some(Message::Tool(answer)) = &mut self.messages[place] else { continue };
            if answer.content.has_more_than_text() {
                continue;
            }
            let Some(text) = cut(answer.text(), longest) else { continue };
            self.trimmed.truncated.push(answer.clone());
            answer.content = text.into();
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

    /// Counts a message anew.
    fn resize(&mut self, place: usize) {
        let size = self.messages[place].as_ref().map_or(0, &self.budget.measure);
        self.size = self.size.saturating_sub(self.sizes[place]).saturating_add(size);
        self.sizes[place] = size;
    }
}
