//! The ids of calls in a history, for formats in which most calls have none.

use crate::message::{AssistantMessage, Message, ToolCall, ToolMessage};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

/// A result of a history.
pub(super) struct ReadResult {
    /// The id of the call, if it has one.
    pub(super) id: Option<String>,
    /// The name of the tool; `None` if the result is that of the next call.
    pub(super) tool: Option<String>,
    /// The result, without the id of its call.
    pub(super) message: ToolMessage,
}

/// Results, and the message after them, whose calls may lack ids.
pub(super) struct Turn {
    pub(super) results: Vec<ReadResult>,
    pub(super) message: Option<Message>,
}

/// The messages of a history, in which each call has an id, and each result that of its call. `sent_id` returns the id by
/// which results refer to a call.
pub(super) fn with_ids(turns: Vec<Turn>, sent_id: impl Fn(&ToolCall) -> Option<&str>) -> Vec<Message> {
    let mut calls = OpenCalls::default();
    for turn in &turns {
        if let Some(Message::Assistant(reply)) = &turn.message {
            // Generated ids differ from them.
            calls.ids.extend(reply.tool_calls.iter().map(|call| call.id.clone()));
        }
    }
    let mut messages = Vec::with_capacity(turns.len());
    for Turn { results, mut message } in turns {
        messages.extend(calls.take_results(results).into_iter().map(Message::from));
        if let Some(Message::Assistant(reply)) = &mut message {
            calls.start_reply(reply, &sent_id);
        }
        messages.extend(message);
    }
    messages
}

/// The calls of the newest reply that have no result yet, and the ids of the history.
#[derive(Default)]
struct OpenCalls {
    /// The ids of the whole history.
    ids: HashSet<String>,
    /// The number of the newest generated id.
    newest: usize,
    calls: Vec<OpenCall>,
    /// The positions of the calls with each id of the provider, and of each tool.
    by_id: HashMap<String, VecDeque<usize>>,
    by_tool: HashMap<String, VecDeque<usize>>,
    in_order: VecDeque<usize>,
}

struct OpenCall {
    id: String,
    tool: String,
    has_result: bool,
}

impl OpenCalls {
    /// Sets the calls of the next reply. A call without an id, or with that of an earlier call of the reply, gets an id
    /// that depends on its position in the history, so that a history that is read again has the same ids.
    fn start_reply(&mut self, reply: &mut AssistantMessage, sent_id: impl Fn(&ToolCall) -> Option<&str>) {
        let mut taken = HashSet::new();
        reply.change_calls(|calls| {
            for call in calls {
                if call.id.is_empty() || !taken.insert(call.id.clone()) {
                    call.id = self.next_id();
                }
            }
        });
        self.calls.clear();
        self.by_id.clear();
        self.by_tool.clear();
        self.in_order = (0..reply.tool_calls.len()).collect();
        for (position, call) in reply.tool_calls.iter().enumerate() {
            if let Some(id) = sent_id(call) {
                self.by_id.entry(id.to_owned()).or_default().push_back(position);
            }
            self.by_tool.entry(call.name.clone()).or_default().push_back(position);
            let open = OpenCall { id: call.id.clone(), tool: call.name.clone(), has_result: false };
            self.calls.push(open);
        }
    }

    fn next_id(&mut self) -> String {
        loop {
            self.newest += 1;
            let id = format!("call_{}", self.newest);
            if self.ids.insert(id.clone()) {
                return id;
            }
        }
    }

    /// The messages of results, with the ids of their calls. The call of a result is the one with its id; otherwise the
    /// first open call of its tool, or of any tool if the result does not name one.
    fn take_results(&mut self, results: Vec<ReadResult>) -> Vec<ToolMessage> {
        // Results with an id have their calls before the others.
        let with_id = |result: &ReadResult| self.open_call(|calls| calls.by_id.get_mut(result.id.as_ref()?));
        let by_id: Vec<Option<usize>> = results.iter().map(with_id).collect();
        let mut messages = Vec::with_capacity(results.len());
        for (result, by_id_position) in results.into_iter().zip(by_id) {
            let ReadResult { id, tool, mut message } = result;
            let position = by_id_position.or_else(|| {
                self.open_call(|calls| match &tool {
                    Some(tool) => calls.by_tool.get_mut(tool),
                    None => Some(&mut calls.in_order),
                })
            });
            match position.and_then(|position| self.calls.get(position)) {
                Some(call) => {
                    message.tool_call_id.clone_from(&call.id);
                    message.tool = Cow::Owned(call.tool.clone());
                }
                None => message.tool_call_id = id.unwrap_or_else(|| self.next_id()),
            }
            messages.push(message);
        }
        messages
    }

    /// Takes the first call of this queue that has no result yet, and marks it as answered.
    fn open_call(&mut self, queue: impl Fn(&mut Self) -> Option<&mut VecDeque<usize>>) -> Option<usize> {
        while let Some(position) = queue(self)?.pop_front() {
            if let Some(call) = self.calls.get_mut(position).filter(|call| !call.has_result) {
                call.has_result = true;
                return Some(position);
            }
        }
        None
    }
}
