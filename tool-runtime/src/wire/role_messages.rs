//! Messages with a role and a list of elements, in which adjacent messages of one role are one message.

use super::element::Element;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct RoleMessage<'a> {
    pub(super) role: &'static str,
    pub(super) content: Vec<Element<'a>>,
}

pub(super) const USER: &str = "user";
pub(super) const ASSISTANT: &str = "assistant";

/// Adds elements to the newest message if it has this role: all results of a reply, and the content of the user after them,
/// are in one message. A message without elements is left out. Anthropic's API and Converse reject any other form.
pub(super) fn push<'a>(messages: &mut Vec<RoleMessage<'a>>, role: &'static str, content: Vec<Element<'a>>) {
    match messages.last_mut() {
        Some(last) if last.role == role => last.content.extend(content),
        _ if content.is_empty() => {}
        _ => messages.push(RoleMessage { role, content }),
    }
}
