//! The rules of Anthropic's Messages API, with its error messages.

use super::errors;
use crate::wire::rejected::{RejectedError, invalid, is_plain_name, list, unknown_field};
use serde_json::Value;
use std::collections::HashSet;

/// The maximum number of strict tools in a request.
const MAX_STRICT_TOOLS: usize = 20;

pub(super) fn check(request: &Value) -> Result<(), RejectedError> {
    check_tools(request)?;
    check_response_format(&request["output_config"]["format"]["schema"])?;
    check_text(list(&request["system"]), "system")?;
    let messages = list(&request["messages"]);
    if messages.is_empty() {
        return invalid("messages: at least one message is required");
    }
    let mut ids = HashSet::new();
    let mut previous = &Value::Null;
    for (index, message) in messages.iter().enumerate() {
        check_message(index, message, index + 1 == messages.len())?;
        for (position, block) in blocks(message).enumerate() {
            let block = Block { message, json: block, path: format!("messages.{index}.content.{position}") };
            match block.json["type"].as_str() {
                Some("tool_use") => check_call(index, &block, &mut ids)?,
                Some("tool_result") => {
                    check_result(index, position, &block, previous)?;
                    if let Some(tools) = request["tools"].as_array() {
                        check_references(block.json, tools)?;
                    }
                }
                _ => {}
            }
        }
        check_paired(index, message, messages.get(index + 1))?;
        previous = message;
    }
    Ok(())
}

fn check_tools(request: &Value) -> Result<(), RejectedError> {
    let tools = list(&request["tools"]);
    let mut names = HashSet::new();
    for (index, tool) in tools.iter().enumerate() {
        if !names.insert(&tool["name"]) {
            return invalid("tools: Tool names must be unique.");
        }
        if !matches!(tool["type"].as_str(), None | Some("custom")) {
            // A tool that the provider runs itself.
            continue;
        }
        let path = format!("tools.{index}.custom");
        if !tool["name"].as_str().is_some_and(|name| is_plain_name(name) && name.len() <= 128) {
            return invalid(format!("{path}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"));
        }
        match &tool["input_schema"]["type"] {
            Value::Null => return invalid(format!("{path}.input_schema.type: Field required")),
            kind if kind != "object" => {
                return invalid(format!("{path}.input_schema.type: Input should be 'object'"));
            }
            _ => {}
        }
    }
    check_deferred(tools)?;
    let strict = tools.iter().filter(|tool| tool["strict"] == true).count();
    if strict > MAX_STRICT_TOOLS {
        return invalid(format!(
            "Too many strict tools ({strict}). The maximum number of strict tools supported is {MAX_STRICT_TOOLS}. Try \
             reducing the number of tools marked as strict."
        ));
    }
    let choice = &request["tool_choice"];
    match choice["type"].as_str() {
        // Without tools, `auto` and `none` are accepted.
        Some("any") if tools.is_empty() => {
            invalid("tool_choice.any may only be specified while providing tools")
        }
        Some("tool") if !names.contains(&choice["name"]) => {
            let name = choice["name"].as_str().unwrap_or_default();
            invalid(format!("Tool '{name}' not found in provided tools"))
        }
        _ => Ok(()),
    }
}

fn check_response_format(schema: &Value) -> Result<(), RejectedError> {
    if schema["type"] == "object" && schema["additionalProperties"] != false {
        return invalid(
            "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
        );
    }
    Ok(())
}

/// <https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool#error-handling>
fn check_deferred(tools: &[Value]) -> Result<(), RejectedError> {
    if !tools.is_empty() && tools.iter().all(|tool| tool["defer_loading"] == true) {
        return invalid("All tools have defer_loading set. At least one tool must be non-deferred.");
    }
    let is_cached = |tool: &&Value| tool["defer_loading"] == true && !tool["cache_control"].is_null();
    match tools.iter().find(is_cached) {
        // https://github.com/anthropics/claude-code/issues/30920
        Some(tool) => invalid(format!(
            "Tool '{}' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use \
             prompt caching.",
            tool["name"].as_str().unwrap_or_default()
        )),
        None => Ok(()),
    }
}

/// Checks that the tools of the request, which the program may write itself, contain those that a result refers to.
fn check_references(result: &Value, tools: &[Value]) -> Result<(), RejectedError> {
    let references = list(&result["content"]).iter().filter(|block| block["type"] == "tool_reference");
    let is_missing = |reference: &&Value| tools.iter().all(|tool| tool["name"] != reference["tool_name"]);
    match references.clone().find(is_missing) {
        // https://github.com/anthropics/claude-code/issues/81863
        Some(reference) => invalid(format!(
            "Tool reference '{}' not found in available tools",
            reference["tool_name"].as_str().unwrap_or_default()
        )),
        None => Ok(()),
    }
}

fn check_message(index: usize, message: &Value, is_last: bool) -> Result<(), RejectedError> {
    if let Some(field) = unknown_field(message, &["role", "content"]) {
        return invalid(format!("messages.{index}.{field}: Extra inputs are not permitted"));
    }
    let role = message["role"].as_str().unwrap_or_default();
    match role {
        "user" | "assistant" => {}
        // Some models accept system messages after others.
        "system" if index > 0 => {}
        "system" => {
            return invalid(
                "messages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter, not \
                 \"system\" as an input message role.",
            );
        }
        _ => return invalid(format!("messages.{index}.role: Input should be 'user' or 'assistant'")),
    }
    let is_empty = match &message["content"] {
        Value::Null => return invalid(format!("messages.{index}.content: Field required")),
        Value::String(text) => text.is_empty(),
        Value::Array(blocks) => blocks.is_empty(),
        _ => return invalid(format!("messages.{index}.content: Input should be a valid list")),
    };
    if is_empty && !(is_last && role == "assistant") {
        return invalid(format!("messages.{index}: {}", errors::EMPTY_MESSAGE));
    }
    check_thinking(index, message)?;
    check_text(list(&message["content"]), "messages")
}

fn check_thinking(index: usize, message: &Value) -> Result<(), RejectedError> {
    let blocks = list(&message["content"]);
    let unsigned =
        |block: &Value| block["type"] == "thinking" && block["signature"].as_str().is_none_or(str::is_empty);
    if let Some(position) = blocks.iter().position(unsigned) {
        return invalid(format!(
            "messages.{index}.content.{position}: Invalid `signature` in `thinking` block"
        ));
    }
    match blocks.last().and_then(|block| block["type"].as_str()) {
        Some("thinking" | "redacted_thinking") if message["role"] == "assistant" => invalid(format!(
            "messages.{index}: The final block in an assistant message cannot be `thinking`."
        )),
        _ => Ok(()),
    }
}

/// Checks the text of blocks, and of the blocks in results.
fn check_text(blocks: &[Value], field: &str) -> Result<(), RejectedError> {
    for block in blocks.iter().flat_map(|block| std::iter::once(block).chain(list(&block["content"]))) {
        match block["text"].as_str().filter(|_| block["type"] == "text") {
            Some("") => return invalid(format!("{field}: text content blocks must be non-empty")),
            Some(text) if text.trim().is_empty() => {
                return invalid(format!("{field}: text content blocks must contain non-whitespace text"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// A block of a message.
struct Block<'a> {
    message: &'a Value,
    json: &'a Value,
    path: String,
}

impl Block<'_> {
    fn check_fields(&self, kind: &str, known: &[&str]) -> Result<(), RejectedError> {
        match unknown_field(self.json, known) {
            Some(field) => invalid(format!("{}.{kind}.{field}: Extra inputs are not permitted", self.path)),
            None => Ok(()),
        }
    }
}

fn check_call<'a>(index: usize, call: &Block<'a>, ids: &mut HashSet<&'a str>) -> Result<(), RejectedError> {
    let Block { message, json, path } = call;
    if message["role"] != "assistant" {
        return invalid(format!("messages.{index}: `tool_use` blocks can only be in `assistant` messages"));
    }
    call.check_fields(
        "tool_use",
        &["type", "id", "name", "input", "cache_control", "caller", "toolset_name"],
    )?;
    let id = json["id"].as_str().unwrap_or_default();
    if !is_plain_name(id) {
        return invalid(format!("{path}.tool_use.id: {}", errors::INVALID_ID));
    }
    if !ids.insert(id) {
        return invalid(format!("{path}: {}", errors::DUPLICATE_ID));
    }
    match json["name"].as_str() {
        None => invalid(format!("{path}.tool_use.name: Field required")),
        Some("") => invalid(format!("{path}.tool_use.name: String should have at least 1 character")),
        Some(name) if name.len() > 200 => {
            invalid(format!("{path}.tool_use.name: String should have at most 200 characters"))
        }
        Some(_) if json["input"].is_object() => Ok(()),
        Some(_) => invalid(format!("{path}.tool_use.input: Input should be a valid dictionary")),
    }
}

fn check_result(
    index: usize,
    position: usize,
    result: &Block<'_>,
    previous: &Value,
) -> Result<(), RejectedError> {
    let Block { message, json, path } = result;
    if message["role"] != "user" {
        return invalid(format!("messages.{index}: `tool_result` blocks can only be in `user` messages"));
    }
    result.check_fields(
        "tool_result",
        &["type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"],
    )?;
    if json["is_error"] == true {
        let content = &json["content"];
        if content.is_null() || content == "" || content.as_array().is_some_and(Vec::is_empty) {
            return invalid(format!("{path}.tool_result: content cannot be empty if `is_error` is true"));
        }
        if list(content).iter().any(|block| block["type"] != "text") {
            return invalid(format!(
                "{path}.tool_result: all content must be type 'text' if 'is_error' is true"
            ));
        }
    }
    let Some(id) = json["tool_use_id"].as_str() else {
        return invalid(format!("{path}.tool_result.tool_use_id: Field required"));
    };
    if !calls(previous).any(|call| call == id) {
        return invalid(format!("{path}: {}", errors::unexpected_result(id)));
    }
    if results(message).take(position).any(|earlier| earlier == id) {
        return invalid(format!("{path}: {}", errors::duplicate_result(id)));
    }
    Ok(())
}

/// Checks that the results of the calls are at the start of the next message.
fn check_paired(index: usize, message: &Value, next: Option<&Value>) -> Result<(), RejectedError> {
    let answered: HashSet<&str> = next.into_iter().flat_map(results).collect();
    let missing: Vec<&str> = calls(message).filter(|id| !answered.contains(id)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    invalid(format!("messages.{index}: {}", errors::missing_results(&missing.join(", "))))
}

fn blocks(message: &Value) -> std::slice::Iter<'_, Value> {
    list(&message["content"]).iter()
}

/// The ids of the calls.
fn calls(message: &Value) -> impl Iterator<Item = &str> {
    blocks(message).filter(|block| block["type"] == "tool_use").filter_map(|block| block["id"].as_str())
}

/// The ids of the results at the start.
fn results(message: &Value) -> impl Iterator<Item = &str> {
    blocks(message)
        .take_while(|block| block["type"] == "tool_result")
        .filter_map(|block| block["tool_use_id"].as_str())
}
