//! The input of a request: how messages are written.

use super::item::{self, is_custom};
use super::item_head::ItemHead;
use super::part::{text_part, write_content};
use super::provider_calls::ProviderCall;
use super::search_item::SearchItem;
use super::tool_search::{self, Form, LoadedTools};
use super::tools::definition;
use super::{NAME, Responses};
use crate::json::remove_entry;
use crate::message::{
    AssistantMessage, Completeness, Content, ERROR, Extra, InputMessage, Message, ReplyItem, ToolCall,
    ToolMessage, is_object,
};
use crate::wire::chat_completions::FUNCTIONS;
use crate::wire::definitions::WrittenTools;
use crate::wire::element::{Element, arguments_object, items_with_heads};
use crate::wire::ids::Ids;
use crate::wire::newest_response::newest_response;
use crate::wire::reasoning::{Kept, report_dropped};
use crate::wire::report::ReportedPart;
use crate::wire::tool_additions::ToolAdditions;
use crate::wire::{Body, Report, RequestParts, Wire as _, WireError, written_arguments, written_name};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Writes the messages of `sent`, which has the tools of the request.
pub(super) fn write(
    body: &mut Body,
    wire: &Responses,
    sent: &RequestParts<'_>,
    has_native_search: bool,
    additions: &ToolAdditions<'_>,
) -> Result<(), WireError> {
    let messages = sent.messages;
    let instructions = instructions(messages);
    let mut first = usize::from(instructions.is_some());
    let mut previous_response = None;
    if wire.previous_response && wire.store {
        if let Some((index, id)) = newest_response(messages, NAME) {
            (first, previous_response) = (index + 1, Some(id));
        }
    }
    let mut writer = Writer {
        wire,
        items: Vec::new(),
        ids: Ids::new(wire.id_rules()),
        text_calls: HashSet::new(),
        provider_calls: HashMap::new(),
        callers: HashMap::new(),
        tools: LoadedTools::new(sent, has_native_search),
        additions,
        searches: HashSet::new(),
        report: &mut body.report,
    };
    for message in messages.iter().take(first) {
        if let Message::Assistant(reply) = message {
            // The results of the newest one follow, although the request does not contain it.
            writer.start_reply(reply);
            if previous_response.is_some() {
                // The server has them, and their results must have the same form.
                writer.searches.extend(Form::AsTheyCame.searches(reply).map(|call| &*call.id));
            }
        }
    }
    // The server has the ids that it sent.
    writer.ids.keep_ids();
    for (index, message) in messages.iter().enumerate().skip(first) {
        writer.message(index, message)?;
    }
    let items = writer.items;
    if let Some(instructions) = instructions {
        body.write("instructions", &instructions)?;
    }
    body.write("input", &items)?;
    if let Some(id) = previous_response {
        body.write("previous_response_id", &id)?;
    }
    Ok(())
}

/// The text of a system message at the start, unless it was read from an item.
fn instructions(messages: &[Message]) -> Option<&str> {
    match messages.first()? {
        Message::System(input) if is_plain(input) => Some(input.text()),
        _ => None,
    }
}

fn is_plain(input: &InputMessage) -> bool {
    input.content.without_tool_references().parts().is_none() && input.extra.on_wire(NAME).next().is_none()
}

struct Writer<'a, 'r> {
    wire: &'r Responses,
    items: Vec<Element<'a>>,
    ids: Ids<'a>,
    /// The ids of the calls of the newest reply whose arguments are text.
    text_calls: HashSet<&'a str>,
    /// The calls of the newest reply that the API defines, by their ids.
    provider_calls: HashMap<&'a str, ProviderItem<'a>>,
    /// The callers of the calls of the newest reply, by the ids of the calls.
    callers: HashMap<&'a str, &'a Value>,
    tools: LoadedTools<'a>,
    additions: &'r ToolAdditions<'r>,
    /// The ids of the searches of the newest reply.
    searches: HashSet<&'a str>,
    report: &'r mut Report,
}

impl<'a> Writer<'a, '_> {
    fn message(&mut self, index: usize, message: &'a Message) -> Result<(), WireError> {
        match message {
            Message::System(input) => {
                self.added_tools(index, input)?;
                self.input(index, "system", input);
            }
            Message::Developer(input) => {
                self.added_tools(index, input)?;
                self.input(index, "developer", input);
            }
            Message::User(input) => self.input(index, "user", input),
            Message::Assistant(reply) => self.reply(index, reply)?,
            Message::Tool(result) => self.result(index, result)?,
        }
        Ok(())
    }

    fn content(&mut self, index: usize, content: &Content) -> Value {
        write_content(content, |part| self.report.content_part(index, part))
    }

    fn input(&mut self, index: usize, role: &str, input: &InputMessage) {
        let item = json!({ "role": role, "content": self.content(index, &input.content) });
        self.items.push(with_fields(item, &input.extra));
    }

    /// The definitions of the tools that a message adds.
    fn added_tools(&mut self, index: usize, input: &InputMessage) -> Result<(), WireError> {
        let mut tools = WrittenTools::default();
        tools.add(self.additions.in_message(index, &input.content), &FUNCTIONS, None);
        if tools.tools.is_empty() {
            return Ok(());
        }
        let mut definitions = Vec::new();
        for (tool, written) in &tools.tools {
            let definition = definition((tool, written), self.wire, false, &mut self.report.not_strict_tools);
            definitions.push(self.wire.tools.definition(tool, &definition)?);
        }
        let fields = [("type", "additional_tools".into()), ("role", "developer".into())];
        let tools = ("tools", Element::new(&definitions)?);
        self.items.push(Element::object(fields.into_iter().chain([tools]))?);
        Ok(())
    }

    /// Sets the calls of the next reply. Returns its items.
    fn start_reply(&mut self, reply: &'a AssistantMessage) -> Vec<(ReplyItem<'a>, ItemHead<'a>)> {
        self.ids.start_reply(&reply.tool_calls);
        self.text_calls.clear();
        self.provider_calls.clear();
        let is_own = reply.origin.as_ref().is_some_and(|origin| origin.wire == NAME);
        let callers = reply.tool_calls.iter().filter_map(|call| Some((&*call.id, item::caller(call)?)));
        self.callers = callers.collect();
        self.searches = self.tools.form.searches(reply).map(|call| &*call.id).collect();
        let items: Vec<(_, ItemHead<'a>)> = items_with_heads(reply, NAME);
        for (item, head) in &items {
            let text_call = match *item {
                ReplyItem::Native(_, Some(call)) => (head.r#type == "custom_tool_call").then_some(call),
                ReplyItem::Call(call) => self.text_of(call).map(|_| call),
                _ => None,
            };
            self.text_calls.extend(text_call.map(|call| &*call.id));
            let provider_call = match *item {
                ReplyItem::Native(_, Some(call)) => head.provider_call().map(|kind| (kind, call)),
                // A call of another provider is one of a function.
                ReplyItem::Call(call) if is_own && is_object(&call.arguments) => {
                    ProviderCall::from_tool(&call.name, &self.wire.tools).map(|kind| (kind, call))
                }
                _ => None,
            };
            if let Some((kind, call)) = provider_call {
                self.provider_calls.insert(&call.id, ProviderItem { kind, call, id: head.id.clone() });
            }
        }
        items
    }

    /// Reasoning goes back with the item after it. If that item is written anew, neither the reasoning nor the ids of the
    /// items after it go back, since the API rejects one without the other ("Item 'rs_..' of type 'reasoning' was
    /// provided without its required following item", and the reverse for a call with its id).
    fn reply(&mut self, index: usize, reply: &'a AssistantMessage) -> Result<(), WireError> {
        let first = self.items.len();
        let mut reasoning = Vec::new();
        // The server may not store the items of a response whose stream was interrupted.
        let mut has_ids = self.wire.store && reply.completeness != Completeness::Unconfirmed;
        // A history need not have the reasoning with which a call was produced, and the API rejects the id of such a call:
        // "Item 'fc_..' of type 'function_call' was provided without its required 'reasoning' item"
        // (https://github.com/laravel/ai/pull/1052). A response has all of its items.
        let has_response = reply.origin.as_ref().is_some_and(|origin| origin.response_id.is_some());
        let mut has_call_ids = has_response || reply.completeness != Completeness::Unknown;
        for (item, head) in self.start_reply(reply) {
            match item {
                ReplyItem::Native(json, Some(call)) if self.tools.is_rewritten(json) => self.call(call)?,
                ReplyItem::Native(json, _) if head.r#type == "reasoning" => {
                    reasoning.push((json, head));
                    continue;
                }
                ReplyItem::Native(json, call) => {
                    // "Item 'rs_..' of type 'reasoning' was provided without its required following item"
                    let has_ids_of_both =
                        has_ids && (call.is_some() || !head.is_message() || head.id.is_some());
                    for (json, head) in reasoning.drain(..) {
                        // The server finds it by its id, or reads it from its encrypted content.
                        if has_ids_of_both || head.encrypted_content.is_some() {
                            self.native(json, &head, has_ids_of_both, None)?;
                            has_call_ids = true;
                        } else {
                            self.report.drop_part(index, "reasoning");
                        }
                    }
                    if call.is_none() && head.is_message() {
                        self.reply_message(index, json, &head, has_ids)?;
                    } else {
                        self.native(json, &head, has_ids && (has_call_ids || !head.is_call()), call)?;
                    }
                    continue;
                }
                ReplyItem::Content(content) => self.text(index, content),
                ReplyItem::Call(call) => self.call(call)?,
            }
            has_ids &= reasoning.is_empty();
            reasoning.drain(..).for_each(|_| self.report.drop_part(index, "reasoning"));
        }
        for _ in reasoning {
            self.report.drop_part(index, "reasoning");
        }
        if let Some(refusal) = reply.refusal().filter(|_| self.items.len() == first) {
            self.items.push(json!({ "role": "assistant", "content": refusal }).into());
        }
        report_dropped(index, reply, NAME, Kept::Own, self.report);
        Ok(())
    }

    /// A message of the provider, with parts that a reply may have.
    fn reply_message(
        &mut self,
        index: usize,
        json: &'a str,
        head: &ItemHead<'_>,
        has_id: bool,
    ) -> Result<(), WireError> {
        let Some(mut message) = item::accepted_message(json, |kind| self.report.drop_part(index, kind))
        else {
            return self.native(json, head, has_id, None);
        };
        if let (false, Some(fields)) = (has_id, message.as_object_mut()) {
            remove_entry(fields, "id");
        }
        self.report.change(index, "the parts of a reply are those that the provider takes");
        self.items.push(message.into());
        Ok(())
    }

    /// An item of the provider, with another id and another namespace if they change.
    fn native(
        &mut self,
        json: &'a str,
        head: &ItemHead<'_>,
        has_id: bool,
        call: Option<&'a ToolCall>,
    ) -> Result<(), WireError> {
        if head.provider_call() == Some(ProviderCall::Approval) {
            // The id of the item is that of the call.
            self.items.push(Element::native(json, &[])?);
            return Ok(());
        }
        let call_id = call.map(|call| self.ids.written(&call.id));
        let mut changes = Vec::new();
        if !has_id && head.id.is_some() {
            changes.push(("id", None));
        }
        if call_id.is_some() && head.call_id != call_id {
            changes.push(("call_id", call_id.as_deref()));
        }
        if let Some(call) = call {
            let old = item::namespace(call);
            let new = self.tools.namespace(&call.name, old);
            if old != new {
                changes.push(("namespace", new));
            }
        }
        self.items.push(Element::native(json, &changes)?);
        Ok(())
    }

    fn text(&mut self, index: usize, content: &Content) {
        for part in content.parts().unwrap_or_default().iter().filter(|part| part.as_text().is_none()) {
            self.report.content_part(index, ReportedPart::Dropped(part));
        }
        if !content.as_str().is_empty() {
            self.items.push(json!({ "role": "assistant", "content": content.as_str() }).into());
        }
    }

    /// The text of a call of a custom tool.
    fn text_of(&self, call: &'a ToolCall) -> Option<Cow<'a, str>> {
        if is_custom(call) {
            return Some(Cow::Borrowed(&call.arguments));
        }
        self.wire.custom_tools.text(&call.name, &call.arguments).map(Cow::Owned)
    }

    fn call(&mut self, call: &'a ToolCall) -> Result<(), WireError> {
        let id = self.ids.written(&call.id);
        let name = written_name(call);
        let mut item = if let Some(input) = self.text_of(call) {
            json!({ "type": "custom_tool_call", "call_id": id, "name": name, "input": input })
        } else if self.searches.contains(&*call.id) {
            return self.search(call);
        } else if let Some(item) = self.provider_calls.get(&*call.id) {
            item.kind.write(&id, call)
        } else {
            let arguments = written_arguments(call);
            json!({ "type": "function_call", "call_id": id, "name": name, "arguments": arguments })
        };
        if let Some(caller) = item::caller(call) {
            item["caller"] = caller.clone();
        }
        // A name that is written anew is in no namespace of the model.
        let own = item::namespace(call).filter(|_| name == call.name);
        if let Some(namespace) = self.tools.namespace(&name, own) {
            item["namespace"] = namespace.into();
        }
        self.items.push(item.into());
        Ok(())
    }

    /// A search that does not come from the API, or whose arguments changed.
    fn search(&mut self, call: &'a ToolCall) -> Result<(), WireError> {
        let arguments = Some(arguments_object(call)?);
        let item = SearchItem { arguments, ..SearchItem::new(tool_search::CALL, self.ids.written(&call.id)) };
        self.items.push(Element::new(&item)?);
        Ok(())
    }

    /// The result of a search: definitions, and no text.
    fn found_tools(&mut self, index: usize, result: &'a ToolMessage) -> Result<(), WireError> {
        let none = Content::default();
        let content = if result.is_error() { &none } else { &result.content };
        let tools = self.tools.definitions(content, self.wire, &mut self.report.not_strict_tools)?;
        if tools.get() == "[]" && !result.text().is_empty() {
            self.report.drop_part(index, "text");
        }
        let extra = result.extra.to_map(NAME);
        let id = self.ids.written(&result.tool_call_id);
        let mut item = SearchItem { tools: Some(tools), ..SearchItem::new(tool_search::OUTPUT, id) };
        item.status = item.status.filter(|_| !extra.contains_key("status"));
        item.extra = extra;
        self.items.push(Element::new(&item)?);
        Ok(())
    }

    fn result(&mut self, index: usize, result: &'a ToolMessage) -> Result<(), WireError> {
        if self.searches.contains(&*result.tool_call_id) && !self.tools.is_output_of_function(result) {
            return self.found_tools(index, result);
        }
        if let Some(item) = self.provider_calls.get(&*result.tool_call_id).cloned() {
            self.provider_result(index, &item, result);
            return Ok(());
        }
        let is_text = self.text_calls.contains(&*result.tool_call_id);
        let kind = if is_text { "custom_tool_call_output" } else { "function_call_output" };
        let mut output = self.content(index, &result.content);
        if result.is_error() && !result.text().starts_with(ERROR) {
            output = match output {
                Value::Array(parts) => std::iter::once(text_part(ERROR)).chain(parts).collect(),
                text => [ERROR, text.as_str().unwrap_or_default()].concat().into(),
            };
        }
        let id = self.ids.written(&result.tool_call_id);
        let item = json!({ "type": kind, "call_id": id, "output": output });
        self.push_result(item, result);
        Ok(())
    }

    fn provider_result(&mut self, index: usize, item: &ProviderItem<'a>, result: &'a ToolMessage) {
        let ProviderItem { kind, call, id } = item;
        // The item of an approval keeps its id, also if the session replaces that of the call.
        let own = id.clone().filter(|_| *kind == ProviderCall::Approval);
        let id = own.unwrap_or_else(|| self.ids.written(&call.id));
        let item = kind.write_result(&id, call, result);
        self.push_result(item, result);
        for part in kind.dropped(result) {
            self.report.content_part(index, ReportedPart::Dropped(part));
        }
        if kind.lacks_screenshot(result) && !result.text().is_empty() {
            self.items.push(json!({ "role": "user", "content": result.text() }).into());
            let change = "the text is a message of the user after an empty picture, since the API takes only a screenshot";
            self.report.change(index, change);
        }
    }

    fn push_result(&mut self, mut item: Value, result: &ToolMessage) {
        if let Some(caller) = self.callers.get(&*result.tool_call_id) {
            item["caller"] = (*caller).clone();
        }
        for (field, value) in result.extra.on_wire(NAME) {
            // Those of the result are not fields of a message that was read.
            if item.get(field).is_none() {
                item[field] = value.clone();
            }
        }
        self.items.push(item.into());
    }
}

/// The item with the further fields that this wire read.
fn with_fields(mut item: Value, extra: &Extra) -> Element<'static> {
    for (field, value) in extra.on_wire(NAME) {
        item[field] = value.clone();
    }
    item.into()
}

/// The item of a call that the API defines.
#[derive(Clone)]
struct ProviderItem<'a> {
    kind: ProviderCall,
    call: &'a ToolCall,
    /// The id of the item.
    id: Option<Cow<'a, str>>,
}
