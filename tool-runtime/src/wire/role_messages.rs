//! Messages with a role and a list of elements, in which adjacent messages of one role are one message.

use super::element::Element;
use super::report::ADDED_START;
use super::{Body, Report, WireError};
use crate::message::Message;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;

#[derive(Serialize)]
struct RoleMessage<'a> {
    role: &'static str,
    content: Vec<Element<'a>>,
}

pub(super) const USER: &str = "user";
pub(super) const ASSISTANT: &str = "assistant";

/// The messages of a request.
#[derive(Default)]
pub(super) struct RoleMessages<'a>(Vec<RoleMessage<'a>>);

impl<'a> RoleMessages<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the newest message has this role.
    pub(super) fn ends_with(&self, role: &str) -> bool {
        self.0.last().is_some_and(|last| last.role == role)
    }

    /// Adds elements to the newest message if it has this role: all results of a reply, and the content of the user after them,
    /// are in one message. A message without elements is left out. Anthropic's API and Converse reject any other form.
    pub(super) fn push(&mut self, role: &'static str, content: Vec<Element<'a>>) {
        match self.0.last_mut() {
            Some(last) if last.role == role => last.content.extend(content),
            _ if content.is_empty() => {}
            _ => self.0.push(RoleMessage { role, content }),
        }
    }

    /// Adds this text of the user to a conversation that starts without one.
    pub(super) fn start(&mut self, index: usize, text_block: Value, report: &mut Report) {
        self.push(USER, vec![text_block.into()]);
        report.change(index, ADDED_START);
    }

    /// The contents of all messages.
    pub(super) fn contents(&mut self) -> impl DoubleEndedIterator<Item = &mut Vec<Element<'a>>> {
        self.0.iter_mut().map(|message| &mut message.content)
    }

    /// The contents of the newest messages of the user.
    pub(super) fn newest_of_user(&mut self, count: usize) -> impl Iterator<Item = &mut Vec<Element<'a>>> {
        let of_user = self.0.iter_mut().rev().filter(|message| message.role == USER);
        of_user.map(|message| &mut message.content).take(count)
    }

    /// Writes the system messages, and the others.
    pub(super) fn write(self, system: &[Element<'_>], body: &mut Body) -> Result<(), WireError> {
        if !system.is_empty() {
            body.write("system", &system)?;
        }
        body.write("messages", &self.0)
    }
}

/// The tools of the newest reply, by the ids of its calls, if no message is after it.
pub(super) fn called_tools(messages: &[Message]) -> HashMap<String, String> {
    match messages.last() {
        Some(Message::Assistant(reply)) => {
            reply.tool_calls.iter().map(|call| (call.id.clone(), call.name.clone())).collect()
        }
        _ => HashMap::new(),
    }
}
