//! Assertions on sessions, for the tests of programs.

use crate::contained_call::{called_tool, contained_call};
use crate::rules::wires;
use crate::{ScriptedModel, check_request};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;
use tool_runtime::conversation::PendingCalls;
use tool_runtime::message::{AssistantMessage, Message, ToolCall};
use tool_runtime::session::Session;
use tool_runtime::wire::{PrefixChange, RequestParts, Wire};

/// The names of the called tools, in the order of the calls: those of all replies, including calls that were denied,
/// failed or are pending.
///
/// ```
/// use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, tool, tools};
/// use tool_runtime_testing::{ScriptedModel, called_tools};
///
/// /// The time of day.
/// #[tool]
/// fn now() -> &'static str {
///     "12:00"
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let call = ToolCall::new("call_1", "now", "{}");
/// let model = ScriptedModel::new([
///     AssistantMessage::from_tool_calls(vec![call]),
///     AssistantMessage::from_text("It is noon."),
/// ]);
/// let registry = Registry::new(tools![now])?;
/// let mut session = Session::new().user("What time is it?");
/// let _ = session.run(&registry).complete(|request| model.complete(request)).await?;
/// assert_eq!(called_tools(&session), ["now"]);
/// # Ok(())
/// # }
/// ```
///
/// A call of `call_tool` counts as a call of the tool in its arguments: see `RegistryBuilder::search`.
#[must_use]
pub fn called_tools(session: &Session) -> Vec<&str> {
    calls(session).map(called_tool).collect()
}

/// Asserts that each request of the model keeps the prompt cache of the request before it: requests only add messages, and change
/// neither a tool nor a setting that the provider's cache depends on ([`PrefixChange`]).
///
/// The requests are those of one session. Breakpoints of the cache may move. A program that trims its history, merges other
/// tools or changes the type of an answer loses the cache there: check the requests between such changes with
/// [`PrefixChange::between`].
///
/// ```
/// use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, tool, tools};
/// use tool_runtime_testing::{ScriptedModel, assert_cache_stable};
///
/// /// The time of day.
/// #[tool]
/// fn now() -> &'static str {
///     "12:00"
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let call = ToolCall::new("call_1", "now", "{}");
/// let model = ScriptedModel::new([
///     AssistantMessage::from_tool_calls(vec![call]),
///     AssistantMessage::from_text("It is noon."),
/// ]);
/// let registry = Registry::new(tools![now])?;
/// let mut session = Session::new().user("What time is it?");
/// let _ = session.run(&registry).complete(|request| model.complete(request)).await?;
/// assert_cache_stable(&model);
/// # Ok(())
/// # }
/// ```
///
/// # Panics
///
/// A request loses the cache of the one before it: the message has the first change. Or the model has recorded fewer than two
/// requests, as one that [repeats](ScriptedModel::repeat) its reply.
#[track_caller]
pub fn assert_cache_stable(model: &ScriptedModel) {
    let written = model.written();
    assert!(
        written.len() > 1,
        "the model has recorded {} requests, and there is nothing to compare",
        written.len()
    );
    for (number, (before, after)) in written.windows(2).map(|pair| (&pair[0], &pair[1])).enumerate() {
        let change = PrefixChange::between(after.wire, &before.body, &after.body);
        if let Some(change) = change {
            panic!("request {} loses the prompt cache of request {}: {change}", number + 2, number + 1);
        }
    }
}

/// Asserts that the session has a call of this tool with these arguments, whatever its result is. The arguments of a call that
/// was [approved with others](Session::approve_with) are those of the approval.
///
/// The arguments are compared as JSON: the order of the fields and white space do not matter. A call of `call_tool` counts as
/// a call of the tool in its arguments.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, tool, tools};
/// use tool_runtime_testing::{ScriptedModel, assert_called};
///
/// /// Refunds an order.
/// #[tool(destructive, requires_approval)]
/// fn refund(order: u32) {}
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let call = ToolCall::new("call_1", "refund", r#"{"order":7}"#);
/// let model = ScriptedModel::new([AssistantMessage::from_tool_calls(vec![call])]);
/// let registry = Registry::new(tools![refund])?;
/// let mut session = Session::new().user("Refund order 7.");
/// let _ = session.run(&registry).complete(|request| model.complete(request)).await?;
/// assert_called(&session, "refund", json!({"order": 7}));
/// # Ok(())
/// # }
/// ```
///
/// # Panics
///
/// There is no such call. The message lists the calls of the session.
#[track_caller]
pub fn assert_called(session: &Session, tool: &str, arguments: impl Serialize) {
    let expected = match serde_json::to_value(arguments) {
        Ok(expected) => expected,
        Err(error) => panic!("the expected arguments cannot be written as JSON: {error}"),
    };
    let has_expected = |name: &str, arguments: &str| {
        name == tool && serde_json::from_str::<Value>(arguments).is_ok_and(|value| value == expected)
    };
    let is_expected = |call: &ToolCall| {
        has_expected(&call.name, &call.arguments)
            || contained_call(call).is_some_and(|(name, arguments)| has_expected(&name, &arguments))
    };
    if !calls(session).any(is_expected) {
        let mut list = String::new();
        for call in calls(session) {
            let _ = write!(list, "\n  {} {}", call.name, call.arguments);
        }
        let list = if list.is_empty() { " none" } else { &*list };
        panic!("there is no call of `{tool}` with {expected}; the calls of the session:{list}");
    }
}

/// Asserts that the session can be sent and stored: the rules of each wire ([`check_request`]) accept its messages, and a
/// session that is stored and loaded has the same content.
///
/// The wires are those whose features of `tool-runtime` are enabled. The checked messages are those that a run would send after
/// another user message, so that pending calls have results and an answer is not the last message.
///
/// ```
/// use tool_runtime::{AssistantMessage, Registry, Session, tools};
/// use tool_runtime_testing::{ScriptedModel, assert_valid};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = ScriptedModel::new([AssistantMessage::from_text("Hello!")]);
/// let registry = Registry::new(tools![])?;
/// let mut session = Session::new().user("Hello!");
/// let _ = session.run(&registry).complete(|request| model.complete(request)).await?;
/// assert_valid(&session);
/// # Ok(())
/// # }
/// ```
///
/// # Panics
///
/// A provider would reject the messages, or the stored session differs. The message has the reason and the messages.
#[track_caller]
pub fn assert_valid(session: &Session) {
    let mut sent = session.clone();
    sent.push_user("Continue.");
    let problem = wires()
        .find_map(|wire| rejection(&*wire, sent.messages()).map(|reason| (reason, &sent)))
        .or_else(|| storage_difference(session).map(|reason| (reason, session)));
    if let Some((reason, session)) = problem {
        let mut list = String::new();
        for (index, message) in session.messages().iter().enumerate() {
            let message = serde_json::to_string(message).unwrap_or_else(|error| error.to_string());
            let _ = write!(list, "\n  {index} {message}");
        }
        panic!("{reason}; the messages:{list}");
    }
}

/// All calls of a session.
fn calls(session: &Session) -> impl Iterator<Item = &ToolCall> {
    let replies = session.messages().iter().filter_map(|message| match message {
        Message::Assistant(reply) => Some(reply),
        _ => None,
    });
    replies
        .chain(session.pending().map(PendingCalls::reply))
        .flat_map(|reply: &AssistantMessage| &reply.tool_calls)
}

/// The reason why a provider of this wire would reject the messages.
fn rejection(wire: &dyn Wire, messages: &[Message]) -> Option<String> {
    let body = wire.write(&RequestParts::new(messages)).map_err(|error| error.to_string());
    let body = body.and_then(|body| serde_json::to_value(&body).map_err(|error| error.to_string()));
    let checked = body.and_then(|body| check_request(wire, &body).map_err(|error| error.to_string()));
    checked.err().map(|reason| format!("invalid on the wire `{}`: {reason}", wire.name()))
}

/// The difference between a session and the one that is loaded after it was stored.
fn storage_difference(session: &Session) -> Option<String> {
    let stored = match serde_json::to_string(session) {
        Ok(stored) => stored,
        Err(error) => return Some(format!("the session cannot be stored: {error}")),
    };
    let loaded: Session = match serde_json::from_str(&stored) {
        Ok(loaded) => loaded,
        Err(error) => return Some(format!("the stored session cannot be loaded: {error}")),
    };
    let (before, after) = (session.messages(), loaded.messages());
    if let Some(index) =
        (0..before.len().max(after.len())).find(|&index| before.get(index) != after.get(index))
    {
        return Some(format!("message {index} is another one after the session was stored and loaded"));
    }
    match serde_json::to_string(&loaded) {
        Ok(again) if again == stored && public_state(&loaded) == public_state(session) => None,
        Ok(again) => {
            Some(format!("the session has changed after it was stored and loaded: {stored} became {again}"))
        }
        Err(error) => Some(format!("the loaded session cannot be stored: {error}")),
    }
}

/// The state of a session that programs see, apart from its messages.
fn public_state(session: &Session) -> impl PartialEq + use<'_> {
    let waiting = (session.awaiting_approval(), session.awaiting_result());
    (session.revision(), session.usage(), session.warnings(), waiting, session.final_text())
}

#[cfg(test)]
mod tests {
    use super::rejection;
    use crate::rules::wires;
    use tool_runtime::message::{AssistantMessage, Message, ToolCall};

    #[test]
    fn each_wire_is_checked() {
        let reply = AssistantMessage::from_tool_calls(vec![ToolCall::new("call_1", "now", "{}")]);
        let unanswered = [Message::user("Hello!"), reply.into()];
        for wire in wires() {
            assert_eq!(rejection(&*wire, &unanswered[..1]), None);
            let reason = rejection(&*wire, &unanswered).expect("the call has no result");
            assert!(reason.starts_with(&format!("invalid on the wire `{}`: ", wire.name())), "{reason}");
        }
    }
}
