//! The rules of the Responses API.
//!
//! The error messages are those of OpenAI.

use super::errors;
use crate::wire::chat_completions::rules::{INVALID_NAME, check_response_format};
use crate::wire::rejected::{RejectedError, is_plain_name, list, reject, unknown_field};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

pub(super) fn check(request: &Value) -> Result<(), RejectedError> {
    check_tools(request)?;
    check_response_format("text.format", &request["text"]["format"])?;
    let input = &request["input"];
    if input.is_string() {
        return Ok(());
    }
    let Some(items) = input.as_array() else {
        return missing("input");
    };
    let mut pairs = Pairs::default();
    let namespaces = Namespaces::new(request);
    for (index, item) in items.iter().enumerate() {
        let place = Place { index, item };
        match item["type"].as_str() {
            Some("function_call") => {
                namespaces.check(&place)?;
                place.check_call(&["arguments", "namespace", "caller"], "arguments", &mut pairs)?;
            }
            Some("custom_tool_call") => {
                namespaces.check(&place)?;
                place.check_call(&["input", "namespace", "caller"], "input", &mut pairs)?;
            }
            Some("function_call_output" | "custom_tool_call_output") => {
                place.check_output(&mut pairs, request["previous_response_id"].is_string())?;
            }
            Some("tool_search_call") if item["execution"] == "client" => place.check_search(&mut pairs)?,
            Some("tool_search_output") if item["execution"] == "client" => {
                place.check_fields(&["call_id", "execution", "tools"])?;
                if !item["tools"].is_array() {
                    return missing(&place.param("tools"));
                }
                place.check_pair(&mut pairs, request["previous_response_id"].is_string())?;
            }
            Some("reasoning") => place.check_reasoning(items.get(index + 1), request)?,
            Some("message") | None => place.check_message()?,
            Some(_) => {}
        }
    }
    match pairs.open.first_key_value() {
        Some((_, (id, kind))) => reject("input", errors::missing_output(kind, id)),
        None => Ok(()),
    }
}

fn check_tools(request: &Value) -> Result<(), RejectedError> {
    let tools = list(&request["tools"]);
    for (index, tool) in tools.iter().enumerate() {
        if tool["type"] == "function" && !tool["name"].is_string() {
            return missing(&format!("tools[{index}].name"));
        }
        let known = ["type", "name", "description", "strict", "parameters", "output_schema", "defer_loading"];
        if let Some(field) = unknown_field(tool, &known).filter(|_| tool["type"] == "function") {
            return unknown(&format!("tools[{index}].{field}"));
        }
    }
    let is_deferred = |tool: &Value| tool["type"] == "function" && tool["defer_loading"] == true;
    if tools.iter().any(is_deferred) && tools.iter().all(|tool| tool["type"] != "tool_search") {
        // https://github.com/Wei-Shaw/sub2api/issues/5942
        let message = "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.";
        return reject("tools", message);
    }
    let choice = &request["tool_choice"];
    let chosen = list(&choice["tools"]).iter().chain([choice]).filter_map(|tool| tool["name"].as_str());
    let names: HashSet<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    for name in chosen {
        if !names.contains(name) {
            return reject("tool_choice", format!("Tool choice '{name}' not found in 'tools' parameter."));
        }
    }
    Ok(())
}

/// The tools that only a namespace has.
struct Namespaces<'a>(HashSet<&'a str>);

impl<'a> Namespaces<'a> {
    fn new(request: &'a Value) -> Self {
        let tools = list(&request["tools"]);
        let outputs = list(&request["input"]).iter().filter(|item| item["type"] == "tool_search_output");
        let found = outputs.flat_map(|output| list(&output["tools"]));
        let of_namespaces = tools.iter().filter(|tool| tool["type"] == "namespace");
        // A function that a search loads is in a namespace with its name.
        let in_namespaces = found.chain(of_namespaces).flat_map(|tool| match tool["type"].as_str() {
            Some("namespace") => list(&tool["tools"]),
            _ => std::slice::from_ref(tool),
        });
        let names: HashSet<&str> = in_namespaces.filter_map(|tool| tool["name"].as_str()).collect();
        let is_default = |tool: &&Value| matches!(tool["type"].as_str(), Some("function" | "custom"));
        let default: HashSet<&str> =
            tools.iter().filter(is_default).filter_map(|tool| tool["name"].as_str()).collect();
        Namespaces(names.difference(&default).copied().collect())
    }

    /// <https://github.com/vercel/ai/pull/15193>
    fn check(&self, call: &Place<'_>) -> Result<(), RejectedError> {
        let name = call.item["name"].as_str().unwrap_or_default();
        if !call.item["namespace"].is_null() || !self.0.contains(name) {
            return Ok(());
        }
        reject(
            call.param("namespace"),
            format!(
                "Missing namespace for function_call '{name}'. It does not exist in the default namespace. Round-trip the \
                 model's function_call item with its namespace field included."
            ),
        )
    }
}

/// The calls and results so far.
#[derive(Default)]
struct Pairs<'a> {
    /// The positions and kinds of the calls, by id.
    calls: HashMap<&'a str, (usize, &'static str)>,
    /// The ids and kinds of the calls without results, by position.
    open: BTreeMap<usize, (&'a str, &'static str)>,
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

    fn check_fields(&self, known: &[&str]) -> Result<(), RejectedError> {
        let common = ["type", "id", "status"];
        let known = [&common, known].concat();
        match unknown_field(self.item, &known) {
            Some(field) => unknown(&self.param(field)),
            None => Ok(()),
        }
    }

    fn required(&self, field: &str) -> Result<&'a str, RejectedError> {
        match self.item[field].as_str() {
            Some(text) => Ok(text),
            None => missing(&self.param(field)),
        }
    }

    /// The id of the call.
    fn call_id(&self) -> Result<&'a str, RejectedError> {
        let id = self.required("call_id")?;
        match id.len() {
            0 => self.invalid("call_id", errors::EMPTY_ID),
            length @ 65.. => self.invalid("call_id", &errors::long_id(length)),
            _ => Ok(id),
        }
    }

    /// The kind of the call, or of that of the result, in the words of the provider.
    fn kind_of_call(&self) -> &'static str {
        match self.item["type"].as_str() {
            Some("custom_tool_call" | "custom_tool_call_output") => "custom tool call",
            Some("tool_search_call" | "tool_search_output") => "tool search call",
            _ => "function call",
        }
    }

    /// Checks a search that the program runs.
    fn check_search(&self, pairs: &mut Pairs<'a>) -> Result<(), RejectedError> {
        self.check_fields(&["call_id", "execution", "arguments", "created_by"])?;
        let id = self.call_id()?;
        if self.item["arguments"].is_null() {
            return missing(&self.param("arguments"));
        }
        self.add_call(id, pairs)
    }

    fn check_call(&self, known: &[&str], text: &str, pairs: &mut Pairs<'a>) -> Result<(), RejectedError> {
        self.check_fields(&[&["call_id", "name"], known].concat())?;
        let id = self.call_id()?;
        let name = self.required("name")?;
        if !is_plain_name(name) {
            return self.invalid("name", INVALID_NAME);
        }
        self.required(text)?;
        self.add_call(id, pairs)
    }

    fn add_call(&self, id: &'a str, pairs: &mut Pairs<'a>) -> Result<(), RejectedError> {
        let kind = self.kind_of_call();
        if pairs.calls.insert(id, (self.index, kind)).is_some() {
            return reject(self.param("call_id"), errors::duplicate_item(id));
        }
        pairs.open.insert(self.index, (id, kind));
        Ok(())
    }

    fn check_output(&self, pairs: &mut Pairs<'a>, continues: bool) -> Result<(), RejectedError> {
        self.check_fields(&["call_id", "output", "name", "namespace", "caller"])?;
        self.call_id()?;
        if !self.item["output"].is_string() && !self.item["output"].is_array() {
            return missing(&self.param("output"));
        }
        self.check_parts(&self.item["output"], "output", &["input_text", "input_image", "input_file"])?;
        self.check_pair(pairs, continues)
    }

    /// Checks that a result follows its call.
    fn check_pair(&self, pairs: &mut Pairs<'a>, continues: bool) -> Result<(), RejectedError> {
        let id = self.call_id()?;
        let kind = self.kind_of_call();
        let is_answered = match pairs.calls.get(id) {
            Some((position, called)) => *called == kind && pairs.open.remove(position).is_some(),
            // The call may be in the previous response.
            None => continues,
        };
        if is_answered {
            return Ok(());
        }
        // https://github.com/Wei-Shaw/sub2api/issues/1885 quotes the message for a missing result of a search.
        let output = if kind == "tool search call" { "tool search" } else { kind };
        reject("input", errors::missing_call(output, id))
    }

    fn check_reasoning(&self, next: Option<&Value>, request: &Value) -> Result<(), RejectedError> {
        self.check_fields(&["summary", "content", "encrypted_content"])?;
        let is_of_reply = |item: &Value| {
            let kind = item["type"].as_str().unwrap_or("message");
            !kind.ends_with("_output") && (kind != "message" || item["role"] == "assistant")
        };
        let id = self.item["id"].as_str().unwrap_or_default();
        if !next.is_some_and(is_of_reply) {
            return reject(
                "input",
                format!("Item '{id}' of type 'reasoning' was provided without its required following item."),
            );
        }
        if id.is_empty() && self.item["encrypted_content"].is_null() {
            self.required("id")?;
        }
        // The provider accepts unknown ids of calls.
        if request["store"] == false && !id.is_empty() {
            return not_found(id);
        }
        Ok(())
    }

    fn check_message(&self) -> Result<(), RejectedError> {
        self.check_fields(&["role", "content", "phase"])?;
        let allowed: &[&str] = match self.item["role"].as_str() {
            Some("assistant") => &["output_text", "refusal"],
            Some("user" | "system" | "developer") => {
                &["input_text", "input_image", "input_file", "input_audio"]
            }
            _ => {
                let values = "'assistant', 'system', 'developer', and 'user'";
                return reject(
                    self.param("role"),
                    format!("Invalid value: {}. Supported values are: {values}.", self.item["role"]),
                );
            }
        };
        if self.item["content"].is_null() {
            return missing(&self.param("content"));
        }
        self.check_parts(&self.item["content"], "content", allowed)
    }

    fn check_parts(&self, parts: &Value, field: &str, allowed: &[&str]) -> Result<(), RejectedError> {
        for (position, part) in list(parts).iter().enumerate() {
            let kind = part["type"].as_str().unwrap_or_default();
            if !allowed.contains(&kind) {
                let values: Vec<String> = allowed.iter().map(|value| format!("'{value}'")).collect();
                return reject(
                    self.param(&format!("{field}[{position}]")),
                    format!("Invalid value: '{kind}'. Supported values are: {}.", values.join(", ")),
                );
            }
        }
        Ok(())
    }
}

fn missing<T>(param: &str) -> Result<T, RejectedError> {
    reject(param, format!("Missing required parameter: '{param}'."))
}

fn not_found<T>(id: &str) -> Result<T, RejectedError> {
    reject(
        "input",
        format!(
            "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with `store` \
             set to true, or remove this item from your input."
        ),
    )
}

fn unknown<T>(param: &str) -> Result<T, RejectedError> {
    reject(param, format!("Unknown parameter: '{param}'."))
}
