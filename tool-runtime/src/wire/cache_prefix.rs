//! The part of consecutive requests that a prompt cache holds.

use super::provider::provider_or_chat_completions;
use crate::json::{escaped_token, remove_entry};
use crate::outcome::LogWriter;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::{self, Write as _};

/// How deep a change is located.
const MAX_DEPTH: usize = 64;

/// The first change of a request that invalidates what a provider's prompt cache has of the request before it.
///
/// A provider caches the beginning of a request: the tools, then the system messages, then the messages. A change invalidates all
/// that follows, so an agent pays for its whole history again. Requests that only add messages at the end keep the cache, whatever
/// their breakpoints are.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::wire::PrefixChange;
///
/// let earlier = json!({ "messages": [{ "role": "user", "content": "Hello!" }] });
/// let later = json!({ "messages": [{ "role": "user", "content": "Hello?" }, { "role": "user", "content": "Bye!" }] });
/// assert_eq!(PrefixChange::between("chat_completions", &earlier, &earlier), None);
///
/// let change = PrefixChange::between("chat_completions", &earlier, &later).ok_or("the text changed")?;
/// assert_eq!(change.place, "/messages/0/content");
/// assert_eq!(change.to_string(), "messages[0] changed at `/messages/0/content`");
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PrefixChange {
    /// The kind of the change.
    pub kind: PrefixChangeKind,
    /// The place of the change in the earlier request, as a JSON pointer; in the later one if a tool was added.
    pub place: String,
    /// The name of the tool, if the change is in the tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The index of the message in the request, if the change is in the messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<usize>,
}

/// The kind of a change of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PrefixChangeKind {
    /// It is another value.
    Changed,
    /// Only the later request has it.
    Added,
    /// Only the earlier request has it.
    Removed,
    /// It is at another position.
    Moved,
}

/// The parts of a request that a provider's cache depends on.
pub(super) struct PrefixLayout {
    /// The parts, in the order in which the provider caches them.
    pub(super) parts: &'static [PrefixPart],
    /// The field with which a request contains only newer messages, if the API has one.
    pub(super) continues: Option<&'static str>,
}

/// A part of a request. Its place is a JSON pointer.
pub(super) enum PrefixPart {
    /// A field that is equal in all requests.
    Field(&'static str),
    /// The list of tools.
    Tools(&'static str),
    /// The list to which later requests add messages.
    Messages(&'static str),
}

impl PrefixChange {
    /// The first change in the order in which the provider of this wire caches a request; `None` if the cache stays valid. The
    /// bodies are those of a request and the next one of the same conversation. Breakpoints of the cache are not compared.
    ///
    /// An unknown wire has the order of Chat Completions.
    #[must_use]
    pub fn between(wire: &str, earlier: &Value, later: &Value) -> Option<Self> {
        let layout = &provider_or_chat_completions(wire).prefix_layout;
        let continues = layout.continues.is_some_and(|field| later.pointer(field).is_some());
        layout.parts.iter().find_map(|part| match part {
            PrefixPart::Field(place) => {
                changed_field(place, &part_at(earlier, place), &part_at(later, place))
            }
            PrefixPart::Tools(place) => changed_tool(place, &part_at(earlier, place), &part_at(later, place)),
            PrefixPart::Messages(_) if continues => None,
            PrefixPart::Messages(place) => {
                changed_message(place, &part_at(earlier, place), &part_at(later, place))
            }
        })
    }

    fn new(kind: PrefixChangeKind, place: String) -> Self {
        PrefixChange { kind, place, tool: None, message: None }
    }
}

/// The value at this place, without the breakpoints of its elements; null if there is none.
fn part_at(body: &Value, place: &str) -> Value {
    let mut part = body.pointer(place).cloned().unwrap_or_default();
    remove_breakpoints(&mut part);
    for element in part.as_array_mut().into_iter().flatten() {
        if let Some(content) = element.get_mut("content") {
            remove_breakpoints(content);
        }
    }
    part
}

fn remove_breakpoints(list: &mut Value) {
    let Value::Array(elements) = list else { return };
    elements.retain(|element| element.get("cachePoint").is_none());
    for element in elements {
        if let Value::Object(fields) = element {
            remove_entry(fields, "cache_control");
        }
    }
}

fn changed_field(place: &str, earlier: &Value, later: &Value) -> Option<PrefixChange> {
    let kind = match (earlier, later) {
        (Value::Null, Value::Null) => return None,
        (Value::Null, _) => PrefixChangeKind::Added,
        (_, Value::Null) => PrefixChangeKind::Removed,
        _ => PrefixChangeKind::Changed,
    };
    Some(PrefixChange::new(kind, difference(earlier, later, place)?))
}

/// The tools of the prompt. A tool that a search of the API loads is not among them.
fn listed_tools(place: &str, tools: &Value) -> Vec<(String, String, Value)> {
    let mut listed = Vec::new();
    for (index, tool) in tools.as_array().into_iter().flatten().enumerate() {
        let place = format!("{place}/{index}");
        match tool["functionDeclarations"].as_array() {
            Some(declarations) => {
                let named = declarations.iter().enumerate().map(|(index, tool)| {
                    (tool_name(tool), format!("{place}/functionDeclarations/{index}"), tool.clone())
                });
                listed.extend(named);
            }
            None if tool["defer_loading"] == true => {}
            None => listed.push((tool_name(tool), place, tool.clone())),
        }
    }
    listed
}

/// The name of a tool. One of the provider may have only a type, or a single field.
fn tool_name(tool: &Value) -> String {
    let names = [&tool["name"], &tool["function"]["name"], &tool["toolSpec"]["name"], &tool["type"]];
    let name = names.into_iter().find_map(Value::as_str);
    let field = || tool.as_object().and_then(|fields| fields.keys().next()).map_or("", String::as_str);
    name.unwrap_or_else(field).to_owned()
}

fn changed_tool(place: &str, earlier: &Value, later: &Value) -> Option<PrefixChange> {
    let (earlier, later) = (listed_tools(place, earlier), listed_tools(place, later));
    let contains =
        |list: &[(String, String, Value)], name: &str| list.iter().any(|(known, ..)| known == name);
    let change = |kind, place: &str, name: &str| {
        Some(PrefixChange { tool: Some(name.to_owned()), ..PrefixChange::new(kind, place.to_owned()) })
    };
    for (index, (name, place, tool)) in earlier.iter().enumerate() {
        match later.get(index) {
            Some((other, _, new)) if other == name => {
                if let Some(place) = difference(tool, new, place) {
                    return change(PrefixChangeKind::Changed, &place, name);
                }
            }
            _ if !contains(&later, name) => return change(PrefixChangeKind::Removed, place, name),
            Some((other, place, _)) if !contains(&earlier, other) => {
                return change(PrefixChangeKind::Added, place, other);
            }
            _ => return change(PrefixChangeKind::Moved, place, name),
        }
    }
    let (name, place, _) = later.get(earlier.len())?;
    change(PrefixChangeKind::Added, place, name)
}

fn changed_message(place: &str, earlier: &Value, later: &Value) -> Option<PrefixChange> {
    if !earlier.is_array() || !later.is_array() {
        return changed_field(place, earlier, later);
    }
    let (earlier, later) = (earlier.as_array()?, later.as_array()?);
    earlier.iter().enumerate().find_map(|(index, message)| {
        let place = format!("{place}/{index}");
        let (kind, place) = match later.get(index) {
            None => (PrefixChangeKind::Removed, place),
            Some(new) if index + 1 == earlier.len() && is_extended(message, new) => return None,
            Some(new) => (PrefixChangeKind::Changed, difference(message, new, &place)?),
        };
        Some(PrefixChange { message: Some(index), ..PrefixChange::new(kind, place) })
    })
}

/// Whether a message differs only by further parts at its end.
fn is_extended(earlier: &Value, later: &Value) -> bool {
    let (mut earlier, mut later) = (earlier.clone(), later.clone());
    let take_parts = |message: &mut Value| {
        ["content", "parts"].into_iter().find_map(|field| match message.get_mut(field).map(Value::take) {
            Some(Value::Array(parts)) => Some(parts),
            _ => None,
        })
    };
    let parts = take_parts(&mut earlier).zip(take_parts(&mut later));
    earlier == later && parts.is_some_and(|(old, new)| new.starts_with(&old))
}

/// The place of the first difference.
fn difference(earlier: &Value, later: &Value, place: &str) -> Option<String> {
    if earlier == later {
        return None;
    }
    let (mut earlier, mut later, mut place) = (earlier, later, place.to_owned());
    for _ in 0..MAX_DEPTH {
        let inner = match (earlier, later) {
            (Value::Object(old), Value::Object(new)) => {
                let changed = old.iter().find(|(key, value)| new.get(*key) != Some(value));
                changed.and_then(|(key, value)| Some((escaped_token(key), value, new.get(key)?)))
            }
            (Value::Array(old), Value::Array(new)) => {
                let mut pairs = old.iter().zip(new).enumerate();
                let changed = pairs.find(|(_, (old, new))| old != new);
                changed.map(|(index, (old, new))| (index.to_string(), old, new))
            }
            _ => None,
        };
        let Some((token, old, new)) = inner else { break };
        place.push('/');
        place.push_str(&token);
        (earlier, later) = (old, new);
    }
    Some(place)
}

/// Formats as ``the tool `search` changed at `/tools/2/description` ``.
impl fmt::Display for PrefixChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut LogWriter(f);
        let kind = match self.kind {
            PrefixChangeKind::Changed => "changed at",
            PrefixChangeKind::Added => "was added at",
            PrefixChangeKind::Removed => "was removed from",
            PrefixChangeKind::Moved => "moved from",
        };
        match (&self.tool, self.message) {
            (Some(tool), _) => write!(f, "the tool `{tool}` {kind} `{}`", self.place),
            (None, Some(message)) => write!(f, "messages[{message}] {kind} `{}`", self.place),
            (None, None) => write!(f, "a field {kind} `{}`", self.place),
        }
    }
}
