//! Replies that belong together for their provider.

use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use tool_runtime::AssistantMessage;
use tool_runtime::message::Completeness;

/// The fields with which an item names itself.
const NAMES: [&str; 3] = ["id", "call_id", "toolUseId"];
/// The fields with which an item refers to another one.
const REFERENCES: [&str; 4] = ["tool_use_id", "call_id", "toolUseId", "approval_request_id"];

/// `joined[i]` of the returned `joined`: reply `i + 1` must stay with reply `i`.
///
/// A provider continues a paused reply in the next one. The call of a tool of the provider may have its result in a later reply,
/// and so may a program of the model, whose calls are in the replies in between: providers reject one without the other.
pub(super) fn joined_replies(replies: &[&AssistantMessage]) -> Vec<bool> {
    let mut joined = vec![false; replies.len()];
    let mut named: HashMap<String, usize> = HashMap::new();
    for (index, reply) in replies.iter().enumerate() {
        let items = Items::new(reply);
        joined[index] = reply.completeness() == Completeness::Paused || items.has_open_call();
        for reference in &items.references {
            if let Some(&earlier) = named.get(reference) {
                joined[earlier..index].fill(true);
            }
        }
        named.extend(items.names.into_iter().map(|name| (name, index)));
    }
    joined
}

/// The ids of the calls whose results have a format that an API defines: those of the shell of a provider, for example, and those
/// of hosted tools that a person approves.
pub(super) fn calls_with_defined_result(reply: &AssistantMessage) -> HashSet<String> {
    let approvals = reply.tool_calls.iter().filter(|call| call.name == "approve_hosted_call");
    let mut ids: HashSet<String> = approvals.map(|call| call.id.clone()).collect();
    for item in reply.native_items().filter(|item| item.contains("_call\"")) {
        let Ok(item) = serde_json::from_str::<Value>(item) else { continue };
        let kind = item["type"].as_str().unwrap_or_default();
        if kind.ends_with("_call") && !matches!(kind, "function_call" | "custom_tool_call") {
            ids.extend(item["call_id"].as_str().map(str::to_owned));
        }
    }
    ids
}

/// The names and references of the items of a reply.
#[derive(Default)]
struct Items {
    names: Vec<String>,
    references: Vec<String>,
    /// The names of each call of the provider whose result may follow.
    calls: Vec<Vec<String>>,
}

impl Items {
    fn new(reply: &AssistantMessage) -> Self {
        let mut items = Items::default();
        for item in reply.native_items() {
            // A deeper item than `serde_json` reads has no known form.
            if let Ok(Value::Object(item)) = serde_json::from_str(item) {
                items.add(reply, &item);
                for inner in item.values().filter_map(Value::as_object) {
                    items.add(reply, inner);
                }
            }
        }
        items
    }

    fn add(&mut self, reply: &AssistantMessage, item: &Map<String, Value>) {
        let texts = |fields: &[&str]| -> Vec<String> {
            fields.iter().filter_map(|field| item.get(*field)?.as_str()).map(str::to_owned).collect()
        };
        // The results of these calls are tool messages.
        let is_own_call = |id: &String| reply.tool_calls.iter().any(|call| call.id == *id);
        let names = texts(&NAMES);
        let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
        let is_call = kind.ends_with("tool_use") || kind.ends_with("_call") || kind == "program";
        if is_call && !kind.ends_with("_call") && !names.iter().any(is_own_call) {
            self.calls.push(names.clone());
        }
        // A call names itself with a field that is a reference in its result.
        let references = texts(&REFERENCES).into_iter();
        self.references.extend(references.filter(|id| !(is_own_call(id) || is_call && names.contains(id))));
        self.names.extend(names);
        // The caller of a call is the program that contains it.
        if let Some(caller) = item.get("caller").and_then(Value::as_object) {
            let fields = caller.iter().filter(|(field, _)| *field != "type");
            self.references.extend(fields.filter_map(|(_, value)| value.as_str()).map(str::to_owned));
        }
    }

    fn has_open_call(&self) -> bool {
        let has_result = |names: &Vec<String>| names.iter().any(|name| self.references.contains(name));
        self.calls.iter().any(|names| !has_result(names))
    }
}
