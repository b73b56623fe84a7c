//! The search for tools that the program runs: <https://developers.openai.com/api/docs/guides/tools-tool-search>.

use super::item::{Head, namespace};
use super::tools::{Definition, definition};
use super::{NAME, Responses};
use crate::message::{AssistantMessage, Content, Message, ReplyItem, ToolCall, ToolMessage};
use crate::schema::ToolSchema;
use crate::tool_name::{CALL_TOOL, SEARCH_TOOLS};
use crate::wire::body::raw;
use crate::wire::chat_completions::FUNCTIONS;
use crate::wire::definitions::WrittenTools;
use crate::wire::{NotStrictTool, RequestParts, WireError, native_search};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};

/// The type of the item of a search.
pub(super) const CALL: &str = "tool_search_call";
/// The type of the item of its result.
pub(super) const OUTPUT: &str = "tool_search_output";
/// The field of an item for the party that runs a search.
pub(super) const CLIENT: &str = "client";

/// The functions of the registry's search that the search of the API replaces; none in a request without that search.
pub(super) fn replaced_functions(wire: &Responses, sent: &RequestParts<'_>) -> &'static [&'static str] {
    if !wire.native_tool_search || !native_search::applies_to(sent) {
        return &[];
    }
    let has_call = |message: &Message| match message {
        Message::Assistant(reply) => reply.tool_calls.iter().any(|call| call.name == CALL_TOOL),
        _ => false,
    };
    // The API may reject a call of a tool that is neither in the request nor found by a search.
    if sent.messages.iter().any(has_call) { &[SEARCH_TOOLS] } else { &[SEARCH_TOOLS, CALL_TOOL] }
}

/// The tools that a request loads.
pub(super) struct LoadedTools<'a> {
    pub(super) form: Form,
    /// The names of the deferred tools that searches found, and of those that have calls with a namespace.
    deferred: HashSet<&'a str>,
    /// The tools that the results of searches load, which are those that the model may call.
    loaded: HashMap<&'a str, &'a ToolSchema>,
    /// The names of the tools that searches found, including those that no longer exist.
    found: HashSet<&'a str>,
}

/// The form of calls of `search_tools` and their results.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// All are searches.
    Searches,
    /// Those that came as searches stay searches: the request has no deferred tools, and its history was read.
    AsTheyCame,
    /// All are functions, since the tools of the request have no search.
    Functions,
}

impl Form {
    /// The calls of a reply that are searches in this form.
    pub(super) fn searches(self, reply: &AssistantMessage) -> impl Iterator<Item = &ToolCall> {
        let has_search = reply.tool_calls.iter().any(|call| call.name == SEARCH_TOOLS);
        let items = if has_search && self != Form::Functions { reply.items(NAME) } else { Vec::new() };
        items.into_iter().filter_map(move |item| match item {
            ReplyItem::Native(json, Some(call)) if is_search(json) => Some(call),
            ReplyItem::Call(call) if self == Form::Searches && call.name == SEARCH_TOOLS => Some(call),
            _ => None,
        })
    }
}

impl<'a> LoadedTools<'a> {
    /// The tools that a request loads, with the search of the API or without it.
    pub(super) fn new(parts: &RequestParts<'a>, has_native_search: bool) -> Self {
        let form = if has_native_search {
            Form::Searches
        } else if parts.deferred_tools.is_empty() {
            Form::AsTheyCame
        } else {
            Form::Functions
        };
        let mut tools =
            LoadedTools { form, deferred: HashSet::new(), loaded: HashMap::new(), found: HashSet::new() };
        if form == Form::Functions {
            return tools;
        }
        if parts.deferred_tools.is_empty() {
            // Results that were read have the definitions of their tools.
            let needs_definitions = |message: &Message| match message {
                Message::Tool(result) => {
                    result.content.native(NAME).is_none() && result.content.tool_references().next().is_some()
                }
                _ => false,
            };
            if parts.messages.iter().any(needs_definitions) {
                tools.form = Form::Functions;
            }
            return tools;
        }
        let mut called: HashSet<&str> = HashSet::new();
        let mut searches: HashSet<&str> = HashSet::new();
        for message in parts.messages {
            match message {
                Message::Assistant(reply) => {
                    let calls = reply.tool_calls.iter().filter(|call| namespace(call).is_some());
                    called.extend(calls.map(|call| &*call.name));
                    searches = tools.form.searches(reply).map(|call| &*call.id).collect();
                }
                Message::Tool(result) if searches.contains(&*result.tool_call_id) && !result.is_error() => {
                    tools.found.extend(result.content.tool_references());
                }
                _ => {}
            }
        }
        if tools.found.is_empty() && called.is_empty() {
            return tools;
        }
        let is_wanted =
            |tool: &&ToolSchema| tools.found.contains(tool.name()) || called.contains(tool.name());
        let deferred = parts.deferred_tools.iter().filter(is_wanted).map(ToolSchema::name).collect();
        let listed = parts.allowed_deferred().filter(|tool| tools.found.contains(tool.name()));
        tools.loaded = listed.map(|tool| (tool.name(), tool)).collect();
        tools.deferred = deferred;
        tools
    }

    /// Whether the call of an item is written as a call of a function.
    pub(super) fn is_rewritten(&self, json: &str) -> bool {
        self.form == Form::Functions && is_search(json)
    }

    /// The namespace of a call. The API moves each tool that a search loads to a namespace with the name of the tool, and
    /// rejects a request whose call of the tool does not have it, wherever the call comes from. The call of another deferred
    /// tool, such as one that no longer exists, has no namespace.
    pub(super) fn namespace<'n>(&self, name: &'n str, own: Option<&'n str>) -> Option<&'n str> {
        if self.loaded.contains_key(name) {
            return Some(own.unwrap_or(name));
        }
        let was_loaded =
            self.form == Form::Functions || self.deferred.contains(name) || self.found.contains(name);
        own.filter(|own| !(was_loaded && *own == name))
    }

    /// Whether the result of a search was read as the output of a function, which the API accepts too.
    pub(super) fn is_output_of_function(&self, result: &ToolMessage) -> bool {
        let content = &result.content;
        let is_definition =
            |tool: &Value| tool["type"].as_str().is_none_or(|kind| !kind.starts_with("input_"));
        let native = content.native(NAME).and_then(Value::as_array);
        let has_definitions = native.is_some_and(|tools| tools.iter().all(is_definition));
        self.form == Form::AsTheyCame && !has_definitions && content.tool_references().next().is_none()
    }

    /// The definitions of the tools that a search found, that still exist, and that the model may call. A request without
    /// deferred tools repeats those that were read.
    pub(super) fn definitions(
        &self,
        content: &Content,
        wire: &Responses,
        not_strict: &mut Vec<NotStrictTool>,
    ) -> Result<Box<RawValue>, WireError> {
        let repeats = self.form != Form::Functions && self.deferred.is_empty() && self.found.is_empty();
        if let (true, Some(read)) = (repeats, content.native(NAME)) {
            return raw(read);
        }
        let mut written = HashSet::new();
        let names = content.tool_references().filter(|name| written.insert(*name));
        let tools = names.filter_map(|name| self.loaded.get(name).copied());
        let mut loaded = WrittenTools::default();
        loaded.add(tools, &FUNCTIONS, None);
        let mut found = Vec::new();
        let tools = loaded.tools.iter();
        let tools: Vec<Definition<'_>> =
            tools.map(|(tool, form)| definition((tool, form), wire, true, &mut found)).collect();
        // An earlier search may have found the same tool.
        found.retain(|tool| !not_strict.contains(tool));
        not_strict.append(&mut found);
        raw(&tools)
    }
}

/// Whether an item is a search that the program runs.
pub(super) fn is_search(json: &str) -> bool {
    serde_json::from_str::<Head>(json).is_ok_and(|item| item.r#type == CALL && item.execution == CLIENT)
}

/// The content of a result with these definitions. It keeps them.
pub(super) fn read_tools(tools: Value) -> Content {
    let functions = tools.as_array().into_iter().flatten().flat_map(|tool| match &tool["tools"] {
        Value::Array(tools) => tools.iter().collect(),
        _ => vec![tool],
    });
    let names = functions.filter_map(|function| function["name"].as_str());
    let content = Content::from_parts(names.map(crate::message::Part::tool_reference));
    content.with_names_of_references().with_native(NAME, tools)
}
