//! Builds the views of messages in their order.

use super::reasoning::reasoning;
use super::retries::Retries;
use super::{CachedPrefix, CallStatus, CallView, MessageView, Place, ReplyView, ResultView, Waiting};
use crate::parts::part_views;
use std::collections::{HashMap, HashSet};
use std::ptr::from_ref;
use tool_runtime::conversation::PendingCalls;
use tool_runtime::history;
use tool_runtime::message::{Content, Message, Prices, Usage};
use tool_runtime::{AssistantMessage, ToolCall, ToolMessage};

pub(super) struct Builder<'a> {
    prices: Option<&'a Prices>,
    pub(super) views: Vec<MessageView>,
    /// The sum of all replies; `None` if no reply has its tokens.
    pub(super) usage: Option<Usage>,
    /// The tokens of the request before.
    last_input: Option<u64>,
    retries: Retries,
}

/// The result of a call, and its approval, as far as they are known.
struct CallState<'a> {
    status: CallStatus,
    result: Option<(Option<usize>, &'a ToolMessage)>,
    is_approved: bool,
}

impl<'a> Builder<'a> {
    pub(super) fn new(prices: Option<&'a Prices>) -> Self {
        Builder { prices, views: Vec::new(), usage: None, last_input: None, retries: Retries::default() }
    }

    pub(super) fn add_messages(&mut self, messages: &[Message]) {
        let results = indices_of_results(messages);
        let paired: HashSet<usize> = results.values().copied().collect();
        for (index, message) in messages.iter().enumerate() {
            match message {
                Message::System(input) => self.add_input(index, "system", &input.content),
                Message::Developer(input) => self.add_input(index, "developer", &input.content),
                Message::User(input) => {
                    self.retries.clear();
                    self.add_input(index, "user", &input.content);
                }
                Message::Assistant(reply) => self.add_reply(index, reply, |call| {
                    let index = results.get(&from_ref(call)).copied();
                    let result = index.and_then(|index| Some((Some(index), as_result(&messages[index])?)));
                    CallState { status: CallStatus::Missing, result, is_approved: false }
                }),
                Message::Tool(_) if paired.contains(&index) => {}
                Message::Tool(result) => {
                    let mut view = MessageView::new(index, "tool", &result.content);
                    view.tool_call_id = Some(result.tool_call_id.clone());
                    self.views.push(view);
                }
                _ => {}
            }
        }
    }

    /// Adds the reply whose calls are pending.
    pub(super) fn add_pending(&mut self, index: usize, pending: &PendingCalls, waiting: &Waiting) {
        self.add_reply(index, pending.reply(), |call| CallState {
            status: waiting.status(&call.id),
            result: pending.result_of(&call.id).map(|result| (None, result)),
            is_approved: pending.is_approved(&call.id),
        });
    }

    fn add_input(&mut self, index: usize, role: &'static str, content: &Content) {
        self.views.push(MessageView::new(index, role, content));
    }

    fn add_reply<'s>(
        &mut self,
        index: usize,
        reply: &AssistantMessage,
        state: impl Fn(&ToolCall) -> CallState<'s>,
    ) {
        let calls = reply.tool_calls.iter().enumerate().map(|(position, call)| {
            let state = state(call);
            let is_error = state.result.is_some_and(|(_, result)| result.is_error());
            let retry_of = self.retries.add(&call.name, Place { index, position }, is_error);
            CallView::new(call, &state, retry_of)
        });
        let calls = calls.collect();
        self.retries.end_reply();

        let usage = reply.usage();
        let cache = usage
            .zip(self.last_input)
            .filter(|(_, of)| *of > 0)
            .map(|(usage, of)| CachedPrefix { kept: usage.cached_input_tokens.min(of), of });
        if let Some(usage) = usage {
            self.last_input = Some(usage.input_tokens);
            add_usage(self.usage.get_or_insert_default(), &usage);
        }
        let content = reply.content.as_ref();
        let mut view = MessageView::new(index, "assistant", content.unwrap_or(&Content::from("")));
        view.reply = Some(ReplyView {
            reasoning: reasoning(reply),
            model: reply.origin().and_then(|origin| origin.model.clone()),
            finish_reason: reply.finish_reason().map(str::to_owned),
            completeness: reply.completeness(),
            refusal: reply.refusal().map(str::to_owned),
            usage,
            cost: usage.zip(self.prices).map(|(usage, prices)| prices.cost(&usage)),
            cache,
            calls,
        });
        self.views.push(view);
    }
}

/// The index of the tool message of each call that has one.
fn indices_of_results(messages: &[Message]) -> HashMap<*const ToolCall, usize> {
    let results =
        messages.iter().enumerate().filter_map(|(index, message)| Some((index, as_result(message)?)));
    let indices: HashMap<*const ToolMessage, usize> =
        results.map(|(index, result)| (from_ref(result), index)).collect();
    let pairs = history::pairs(messages);
    pairs.filter_map(|(call, result)| Some((from_ref(call), *indices.get(&from_ref(result))?))).collect()
}

fn as_result(message: &Message) -> Option<&ToolMessage> {
    match message {
        Message::Tool(result) => Some(result),
        _ => None,
    }
}

fn add_usage(sum: &mut Usage, usage: &Usage) {
    for (sum, tokens) in [
        (&mut sum.input_tokens, usage.input_tokens),
        (&mut sum.cached_input_tokens, usage.cached_input_tokens),
        (&mut sum.cache_write_tokens, usage.cache_write_tokens),
        (&mut sum.output_tokens, usage.output_tokens),
        (&mut sum.reasoning_tokens, usage.reasoning_tokens),
    ] {
        *sum = sum.saturating_add(tokens);
    }
}

impl MessageView {
    fn new(index: usize, role: &'static str, content: &Content) -> Self {
        let (text, parts) = (content.as_str().to_owned(), part_views(content));
        MessageView { index, role, text, parts, reply: None, tool_call_id: None }
    }
}

impl CallView {
    fn new(call: &ToolCall, state: &CallState<'_>, retry_of: Option<Place>) -> Self {
        let result = state.result.map(|(_, result)| result);
        let error_kind = result.and_then(ToolMessage::error_kind);
        CallView {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            is_truncated: call.is_truncated(),
            status: match result {
                Some(result) if result.is_error() => CallStatus::Error,
                Some(_) => CallStatus::Ok,
                None => state.status,
            },
            result: state.result.map(|(index, result)| ResultView {
                index,
                text: result.text().to_owned(),
                parts: part_views(&result.content),
                error_kind: error_kind.map(str::to_owned),
            }),
            retry_of,
            approval: match error_kind {
                Some("denied") => Some("denied"),
                _ => state.is_approved.then_some("approved"),
            },
        }
    }
}
