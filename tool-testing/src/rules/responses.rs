//! The rules of the Responses API.
//!
//! The error messages are those of OpenAI.

use super::chat_completions::{EMPTY_ID, check_number, check_parameters};
use super::response_format::{INVALID_NAME, check_response_format};
use crate::rejected::{
    Checked, RejectedError, check_fields, ensure, is_plain_name, list, reject, require_at,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fmt::Display;

/// The name of the wire.
pub(super) const WIRE: &str = "responses";

pub(super) fn check(request: &Value) -> Checked {
    check_tools(request)?;
    check_response_format("text.format", &request["text"]["format"])?;
    let input = &request["input"];
    if input.is_string() {
        return Ok(());
    }
    let Some(items) = input.as_array() else {
        return missing("input");
    };
    let in_namespaces = names_in_namespaces(request);
    let continues = request["previous_response_id"].is_string();
    let mut calls = Calls::new();
    for (index, item) in items.iter().enumerate() {
        let place = Place { index, item };
        match item["type"].as_str() {
            Some("function_call") => place.check_call("arguments", &in_namespaces, &mut calls)?,
            Some("custom_tool_call") => place.check_call("input", &in_namespaces, &mut calls)?,
            Some("function_call_output" | "custom_tool_call_output") => {
                place.check_output()?;
                place.check_pair(&mut calls, continues)?;
            }
            // A search that the program runs.
            Some("tool_search_call") if item["execution"] == "client" => {
                place.check_fields(&["call_id", "execution", "arguments", "created_by"])?;
                let id = place.call_id()?;
                ensure(!item["arguments"].is_null(), || missing(&place.param("arguments")))?;
                place.add_call(id, &mut calls)?;
            }
            Some("tool_search_output") if item["execution"] == "client" => {
                place.check_fields(&["call_id", "execution", "tools"])?;
                ensure(item["tools"].is_array(), || missing(&place.param("tools")))?;
                place.check_pair(&mut calls, continues)?;
            }
            // The items of a shell that the provider runs contain both the call and its output.
            Some("shell_call" | "apply_patch_call" | "computer_call") => {
                let id = place.call_id()?;
                place.add_call(id, &mut calls)?;
            }
            Some("shell_call_output" | "apply_patch_call_output" | "computer_call_output") => {
                let is_array = item["type"] == "shell_call_output";
                let is_optional = item["type"] == "apply_patch_call_output";
                let output = &item["output"];
                let is_valid =
                    is_optional || output.is_array() && is_array || output.is_object() && !is_array;
                ensure(is_valid, || missing(&place.param("output")))?;
                place.check_pair(&mut calls, continues)?;
            }
            Some("mcp_approval_response") => {
                let id = place.required("approval_request_id")?;
                let is_request = |item: &Value| item["type"] == "mcp_approval_request" && item["id"] == id;
                require_at("input", continues || items[..index].iter().any(is_request), || {
                    format!("There is no approval request with id {id}.")
                })?;
            }
            Some("reasoning") => place.check_reasoning(items.get(index + 1), request)?,
            Some("message") | None => place.check_message()?,
            Some(_) => {}
        }
    }
    let open = calls.iter().filter(|(_, call)| !call.is_answered);
    match open.min_by_key(|(_, call)| call.index) {
        Some((id, call)) => reject("input", format!("No tool output found for {} {id}.", call.kind)),
        None => Ok(()),
    }
}

/// The fields of a function.
const FUNCTION: [&str; 9] = [
    "type",
    "name",
    "description",
    "strict",
    "parameters",
    "output_schema",
    "defer_loading",
    "allowed_callers",
    // Of a model that continues while the program runs the call. The types of OpenAI's client do not have it yet.
    "async",
];

fn check_tools(request: &Value) -> Checked {
    let tools = list(&request["tools"]);
    check_number(tools)?;
    for (index, tool) in tools.iter().enumerate() {
        if tool["type"] == "function" {
            ensure(tool["name"].is_string(), || missing(&format!("tools[{index}].name")))?;
            check_fields(tool, &FUNCTION, |field| unknown(&format!("tools[{index}].{field}")))?;
            check_parameters(tool, &format!("tools[{index}].parameters"))?;
        }
    }
    let is_deferred = |tool: &Value| tool["type"] == "function" && tool["defer_loading"] == true;
    let has_search = tools.iter().any(|tool| tool["type"] == "tool_search");
    // https://github.com/Wei-Shaw/sub2api/issues/5942
    require_at(
        "tools",
        has_search || !tools.iter().any(is_deferred),
        || "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.",
    )?;
    let choice = &request["tool_choice"];
    let chosen = list(&choice["tools"]).iter().chain([choice]).filter_map(|tool| tool["name"].as_str());
    let names: HashSet<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    for name in chosen {
        require_at("tool_choice", names.contains(name), || {
            format!("Tool choice '{name}' not found in 'tools' parameter.")
        })?;
    }
    Ok(())
}

/// The names of the tools that only a namespace has.
fn names_in_namespaces(request: &Value) -> HashSet<&str> {
    let tools = list(&request["tools"]);
    let outputs = list(&request["input"]).iter().filter(|item| item["type"] == "tool_search_output");
    let found = outputs.flat_map(|output| list(&output["tools"]));
    let namespaces = tools.iter().filter(|tool| tool["type"] == "namespace");
    // A function that a search loads is in a namespace with its name.
    let in_namespaces = found.chain(namespaces).flat_map(|tool| match tool["type"].as_str() {
        Some("namespace") => list(&tool["tools"]),
        _ => std::slice::from_ref(tool),
    });
    let is_default = |tool: &&Value| matches!(tool["type"].as_str(), Some("function" | "custom"));
    let mut names: HashSet<&str> = in_namespaces.filter_map(|tool| tool["name"].as_str()).collect();
    for name in tools.iter().filter(is_default).filter_map(|tool| tool["name"].as_str()) {
        names.remove(name);
    }
    names
}

/// The kind of a search for tools.
const SEARCH: &str = "tool search call";

/// The calls so far, by id.
type Calls<'a> = HashMap<&'a str, Call<'a>>;

struct Call<'a> {
    index: usize,
    kind: &'static str,
    /// The program of the model that calls; null for the model itself.
    caller: &'a Value,
    is_answered: bool,
}

/// An item of the input.
struct Place<'a> {
    index: usize,
    item: &'a Value,
}

impl<'a> Place<'a> {
    fn param(&self, field: &str) -> String {
        format!("input[{}].{field}", self.index)
    }

    fn invalid<T>(&self, field: &str, problem: &str) -> Result<T, RejectedError> {
        let param = self.param(field);
        let message = format!("Invalid '{param}': {problem}");
        reject(param, message)
    }

    fn check_fields(&self, known: &[&str]) -> Checked {
        let known = [&["type", "id", "status"], known].concat();
        check_fields(self.item, &known, |field| unknown(&self.param(field)))
    }

    fn required(&self, field: &str) -> Result<&'a str, RejectedError> {
        self.item[field].as_str().map_or_else(|| missing(&self.param(field)), Ok)
    }

    /// The id of the call.
    fn call_id(&self) -> Result<&'a str, RejectedError> {
        let id = self.required("call_id")?;
        match id.len() {
            0 => self.invalid("call_id", EMPTY_ID),
            length @ 65.. => self.invalid(
                "call_id",
                &format!(
                    "string too long. Expected a string with maximum length 64, but got a string with length {length} \
                     instead."
                ),
            ),
            _ => Ok(id),
        }
    }

    /// The kind of the call, or of that of the result, in the words of the provider.
    fn kind_of_call(&self) -> &'static str {
        match self.item["type"].as_str() {
            Some("custom_tool_call" | "custom_tool_call_output") => "custom tool call",
            Some("tool_search_call" | "tool_search_output") => SEARCH,
            Some("shell_call" | "shell_call_output") => "shell call",
            Some("apply_patch_call" | "apply_patch_call_output") => "apply patch call",
            Some("computer_call" | "computer_call_output") => "computer call",
            _ => "function call",
        }
    }

    /// Checks a call whose arguments are the text in this field.
    fn check_call(&self, text: &str, in_namespaces: &HashSet<&str>, calls: &mut Calls<'a>) -> Checked {
        let name = self.item["name"].as_str().unwrap_or_default();
        // https://github.com/vercel/ai/pull/15193
        let is_found = !self.item["namespace"].is_null() || !in_namespaces.contains(name);
        require_at(self.param("namespace"), is_found, || {
            format!(
                "Missing namespace for function_call '{name}'. It does not exist in the default namespace. Round-trip the \
                 model's function_call item with its namespace field included."
            )
        })?;
        self.check_fields(&["call_id", "name", text, "namespace", "caller"])?;
        let id = self.call_id()?;
        self.required("name")?;
        ensure(is_plain_name(name), || self.invalid("name", INVALID_NAME))?;
        self.required(text)?;
        self.add_call(id, calls)
    }

    fn add_call(&self, id: &'a str, calls: &mut Calls<'a>) -> Checked {
        let call = Call {
            index: self.index,
            kind: self.kind_of_call(),
            caller: &self.item["caller"],
            is_answered: false,
        };
        let is_new = calls.insert(id, call).is_none();
        require_at(self.param("call_id"), is_new, || format!("Duplicate item found with call_id {id}."))
    }

    fn check_output(&self) -> Checked {
        self.check_fields(&["call_id", "output", "name", "namespace", "caller"])?;
        self.call_id()?;
        let output = &self.item["output"];
        ensure(output.is_string() || output.is_array(), || missing(&self.param("output")))?;
        self.check_parts("output", &["input_text", "input_image", "input_file"])
    }

    /// Checks that a result follows its call. If the request continues a response, the call may be in that one.
    fn check_pair(&self, calls: &mut Calls<'a>, continues: bool) -> Checked {
        let id = self.call_id()?;
        let kind = self.kind_of_call();
        let has_call = match calls.get_mut(id) {
            // A search may have the output of a function.
            Some(call) => {
                let fits = call.kind == kind || (call.kind == SEARCH && kind == "function call");
                fits && !std::mem::replace(&mut call.is_answered, true)
            }
            None => continues,
        };
        // The documentation has the rule, without a message:
        // https://developers.openai.com/api/docs/guides/tools-programmatic-tool-calling
        let caller = calls.get(id).map(|call| call.caller).filter(|caller| caller["type"] == "program");
        require_at(self.param("caller"), caller.is_none_or(|caller| *caller == self.item["caller"]), || {
            format!("The output with call_id {id} does not have the caller of its call.")
        })?;
        // https://github.com/Wei-Shaw/sub2api/issues/1885 quotes the message for a missing result of a search.
        let output = if kind == SEARCH { "tool search" } else { kind };
        require_at("input", has_call, || format!("No tool call found for {output} output with call_id {id}."))
    }

    fn check_reasoning(&self, next: Option<&Value>, request: &Value) -> Checked {
        self.check_fields(&["summary", "content", "encrypted_content"])?;
        let is_of_reply = |item: &Value| {
            let kind = item["type"].as_str().unwrap_or("message");
            !kind.ends_with("_output") && (kind != "message" || item["role"] == "assistant")
        };
        let id = self.item["id"].as_str().unwrap_or_default();
        // The API finds the message that follows reasoning with an id by its id too.
        let is_of_other_reply =
            |item: &Value| !id.is_empty() && item["role"] == "assistant" && item["id"].is_null();
        let is_followed = next.is_some_and(|next| is_of_reply(next) && !is_of_other_reply(next));
        require_at("input", is_followed, || {
            format!("Item '{id}' of type 'reasoning' was provided without its required following item.")
        })?;
        if id.is_empty() && self.item["encrypted_content"].is_null() {
            self.required("id")?;
        }
        // The provider accepts unknown ids of calls.
        let is_readable = !self.item["encrypted_content"].is_null();
        require_at("input", request["store"] != false || id.is_empty() || is_readable, || {
            format!(
                "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with \
                 `store` set to true, or remove this item from your input."
            )
        })
    }

    fn check_message(&self) -> Checked {
        self.check_fields(&["role", "content", "phase"])?;
        let allowed: &[&str] = match self.item["role"].as_str() {
            Some("assistant") => &["output_text", "refusal"],
            Some("user" | "system" | "developer") => {
                &["input_text", "input_image", "input_file", "input_audio"]
            }
            _ => {
                let role = &self.item["role"];
                return self.unsupported("role", role, "'assistant', 'system', 'developer', and 'user'");
            }
        };
        ensure(!self.item["content"].is_null(), || missing(&self.param("content")))?;
        self.check_parts("content", allowed)
    }

    fn check_parts(&self, field: &str, allowed: &[&str]) -> Checked {
        for (position, part) in list(&self.item[field]).iter().enumerate() {
            let kind = part["type"].as_str().unwrap_or_default();
            if !allowed.contains(&kind) {
                let (field, values) = (format!("{field}[{position}]"), allowed.join("', '"));
                return self.unsupported(&field, format!("'{kind}'"), &format!("'{values}'"));
            }
        }
        Ok(())
    }

    fn unsupported(&self, field: &str, value: impl Display, values: &str) -> Checked {
        reject(self.param(field), format!("Invalid value: {value}. Supported values are: {values}."))
    }
}

fn missing<T>(param: &str) -> Result<T, RejectedError> {
    reject(param, format!("Missing required parameter: '{param}'."))
}

fn unknown<T>(param: &str) -> Result<T, RejectedError> {
    reject(param, format!("Unknown parameter: '{param}'."))
}
