//! The rules of Anthropic's Messages API, with its error messages.

use crate::rejected::{Checked, check_fields, invalid, is_plain_name, list, require};
use serde_json::Value;
use std::collections::HashSet;
use tool_runtime::__testing::broken_definition;

/// The name of the wire.
pub(super) const WIRE: &str = "anthropic";

/// The maximum number of strict tools in a request.
const MAX_STRICT_TOOLS: usize = 20;

const CALL: [&str; 7] = ["type", "id", "name", "input", "cache_control", "caller", "toolset_name"];
const RESULT: [&str; 6] = ["type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"];

pub(super) fn check(request: &Value) -> Checked {
    check_tools(request)?;
    check_breakpoints(request)?;
    let answer = &request["output_config"]["format"]["schema"];
    require(
        answer["type"] != "object" || answer["additionalProperties"] == false,
        || "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
    )?;
    check_text(list(&request["system"]), "system")?;
    let messages = list(&request["messages"]);
    require(!messages.is_empty(), || "messages: at least one message is required")?;
    for (index, message) in messages.iter().enumerate() {
        check_message(index, message, index + 1 == messages.len())?;
    }
    let turns = turns(messages);
    let mut previous = &Value::Null;
    for (number, (index, message)) in turns.iter().enumerate() {
        // Recorded: the id of a call may be that of a call of an earlier reply.
        let mut ids = HashSet::new();
        for (position, block) in blocks(message).enumerate() {
            let (kind, role, fields) = match block["type"].as_str() {
                Some(kind @ "tool_use") => (kind, "assistant", &CALL[..]),
                Some(kind @ "tool_result") => (kind, "user", &RESULT[..]),
                _ => continue,
            };
            require(message["role"] == role, || {
                format!("messages.{index}: `{kind}` blocks can only be in `{role}` messages")
            })?;
            let path = format!("messages.{index}.content.{position}");
            check_fields(block, fields, |field| {
                invalid(format!("{path}.{kind}.{field}: Extra inputs are not permitted"))
            })?;
            if kind == "tool_use" {
                check_call(block, &path, &mut ids)?;
            } else {
                check_result(block, &path, previous, results(message).take(position))?;
                check_references(block, &request["tools"])?;
            }
        }
        check_paired(*index, message, turns.get(number + 1).map(|(_, next)| next))?;
        previous = message;
    }
    Ok(())
}

/// The messages with the index of each. The API joins adjacent messages of one role.
fn turns(messages: &[Value]) -> Vec<(usize, Value)> {
    let mut turns: Vec<(usize, Value)> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let has_calls = |turn: &Value| calls(turn).next().is_some() || results(turn).next().is_some();
        match turns.last_mut().filter(|(_, last)| last["role"] == message["role"] && has_calls(last)) {
            Some((_, Value::Object(last))) => {
                if let Some(Value::Array(joined)) = last.get_mut("content") {
                    joined.extend(blocks(message).cloned());
                }
            }
            _ => turns.push((index, message.clone())),
        }
    }
    turns
}

/// The maximum number of breakpoints of the prompt cache.
const MAX_BREAKPOINTS: usize = 4;

/// <https://platform.claude.com/docs/en/build-with-claude/prompt-caching#cache-limitations>
fn check_breakpoints(request: &Value) -> Checked {
    let messages = list(&request["messages"]);
    let blocks = || messages.iter().flat_map(|message| list(&message["content"]));
    let inner = blocks().flat_map(|block| list(&block["content"]));
    let system = list(&request["system"]).iter().chain(list(&request["tools"]));
    let places = system.chain(blocks()).chain(inner).chain([request]);
    let count = places.filter(|place| place["cache_control"].is_object()).count();
    require(count <= MAX_BREAKPOINTS, || {
        format!("A maximum of {MAX_BREAKPOINTS} blocks with cache_control may be provided. Found {count}.")
    })?;
    let is_thinking =
        |block: &Value| matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"));
    let has_thinking = blocks().any(|block| is_thinking(block) && block["cache_control"].is_object());
    // "Thinking blocks cannot be explicitly marked with cache_control":
    // https://platform.claude.com/docs/en/build-with-claude/prompt-caching#what-cannot-be-cached
    require(!has_thinking, || "thinking blocks cannot be marked with cache_control")
}

fn check_tools(request: &Value) -> Checked {
    let tools = list(&request["tools"]);
    let mut names = HashSet::new();
    for (index, tool) in tools.iter().enumerate() {
        require(names.insert(&tool["name"]), || "tools: Tool names must be unique.")?;
        if !matches!(tool["type"].as_str(), None | Some("custom")) {
            // A tool that the provider runs itself.
            continue;
        }
        let path = format!("tools.{index}.custom");
        require(tool["name"].as_str().is_some_and(|name| is_plain_name(name) && name.len() <= 128), || {
            format!("{path}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        })?;
        let kind = &tool["input_schema"]["type"];
        require(!kind.is_null(), || format!("{path}.input_schema.type: Field required"))?;
        require(kind == "object", || format!("{path}.input_schema.type: Input should be 'object'"))?;
        if let Some((_, error)) = broken_definition(WIRE, &tool["input_schema"]) {
            return invalid(format!("{path}.input_schema{error}"));
        }
    }
    check_deferred(tools)?;
    let strict = tools.iter().filter(|tool| tool["strict"] == true).count();
    require(strict <= MAX_STRICT_TOOLS, || {
        format!(
            "Too many strict tools ({strict}). The maximum number of strict tools supported is {MAX_STRICT_TOOLS}. Try \
             reducing the number of tools marked as strict."
        )
    })?;
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

/// <https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool#error-handling>
fn check_deferred(tools: &[Value]) -> Checked {
    let is_deferred = |tool: &Value| tool["defer_loading"] == true;
    require(
        tools.is_empty() || !tools.iter().all(is_deferred),
        || "All tools have defer_loading set. At least one tool must be non-deferred.",
    )?;
    tools.iter().try_for_each(|tool| {
        // https://github.com/anthropics/claude-code/issues/30920
        let name = tool["name"].as_str().unwrap_or_default();
        require(!is_deferred(tool) || tool["cache_control"].is_null(), || {
            format!(
                "Tool '{name}' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot \
                 use prompt caching."
            )
        })
    })
}

/// Checks that the tools of the request, which the program may write itself, contain those that a result refers to.
fn check_references(result: &Value, tools: &Value) -> Checked {
    let Some(tools) = tools.as_array() else { return Ok(()) };
    let mut references = list(&result["content"]).iter().filter(|block| block["type"] == "tool_reference");
    references.try_for_each(|reference| {
        let name = &reference["tool_name"];
        // https://github.com/anthropics/claude-code/issues/81863
        require(tools.iter().any(|tool| tool["name"] == *name), || {
            let name = name.as_str().unwrap_or_default();
            format!("Tool reference '{name}' not found in available tools")
        })
    })
}

fn check_message(index: usize, message: &Value, is_last: bool) -> Checked {
    check_fields(message, &["role", "content"], |field| {
        invalid(format!("messages.{index}.{field}: Extra inputs are not permitted"))
    })?;
    let role = message["role"].as_str().unwrap_or_default();
    require(matches!(role, "user" | "assistant" | "system"), || {
        format!("messages.{index}.role: Input should be 'user' or 'assistant'")
    })?;
    // Some models accept system messages after others.
    require(role != "system" || index > 0, || {
        "messages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter, not \"system\" \
         as an input message role."
    })?;
    let is_empty = match &message["content"] {
        Value::Null => return invalid(format!("messages.{index}.content: Field required")),
        Value::String(text) => text.is_empty(),
        Value::Array(blocks) => blocks.is_empty(),
        _ => return invalid(format!("messages.{index}.content: Input should be a valid list")),
    };
    require(!is_empty || (is_last && role == "assistant"), || {
        format!(
            "messages.{index}: all messages must have non-empty content except for the optional final assistant message"
        )
    })?;
    check_thinking(index, message)?;
    check_text(list(&message["content"]), "messages")
}

fn check_thinking(index: usize, message: &Value) -> Checked {
    for (position, block) in blocks(message).enumerate().filter(|(_, block)| block["type"] == "thinking") {
        require(block["signature"].as_str().is_some_and(|signature| !signature.is_empty()), || {
            format!("messages.{index}.content.{position}: Invalid `signature` in `thinking` block")
        })?;
    }
    match blocks(message).last().and_then(|block| block["type"].as_str()) {
        Some("thinking" | "redacted_thinking") if message["role"] == "assistant" => invalid(format!(
            "messages.{index}: The final block in an assistant message cannot be `thinking`."
        )),
        _ => Ok(()),
    }
}

/// Checks the text of blocks, and of the blocks in results.
fn check_text(blocks: &[Value], field: &str) -> Checked {
    let blocks = blocks.iter().flat_map(|block| std::iter::once(block).chain(list(&block["content"])));
    for text in blocks.filter(|block| block["type"] == "text").filter_map(|block| block["text"].as_str()) {
        require(!text.is_empty(), || format!("{field}: text content blocks must be non-empty"))?;
        require(!text.trim().is_empty(), || {
            format!("{field}: text content blocks must contain non-whitespace text")
        })?;
    }
    Ok(())
}

fn check_call<'a>(call: &'a Value, path: &str, ids: &mut HashSet<&'a str>) -> Checked {
    let id = call["id"].as_str().unwrap_or_default();
    require(is_plain_name(id), || {
        format!("{path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
    })?;
    require(ids.insert(id), || format!("{path}: `tool_use` ids must be unique"))?;
    let (field, problem) = match call["name"].as_str() {
        None => ("name", "Field required"),
        Some("") => ("name", "String should have at least 1 character"),
        Some(name) if name.len() > 200 => ("name", "String should have at most 200 characters"),
        Some(_) if call["input"].is_object() => return Ok(()),
        Some(_) => ("input", "Input should be a valid dictionary"),
    };
    invalid(format!("{path}.tool_use.{field}: {problem}"))
}

/// Checks a result. `previous` is the message before it, and `earlier` has the ids of the results before it.
fn check_result<'a>(
    result: &Value,
    path: &str,
    previous: &Value,
    mut earlier: impl Iterator<Item = &'a str>,
) -> Checked {
    if result["is_error"] == true {
        let content = &result["content"];
        let is_empty = content.is_null() || content == "" || content.as_array().is_some_and(Vec::is_empty);
        require(!is_empty, || format!("{path}.tool_result: content cannot be empty if `is_error` is true"))?;
        require(list(content).iter().all(|block| block["type"] == "text"), || {
            format!("{path}.tool_result: all content must be type 'text' if 'is_error' is true")
        })?;
    }
    let Some(id) = result["tool_use_id"].as_str() else {
        return invalid(format!("{path}.tool_result.tool_use_id: Field required"));
    };
    // https://github.com/anthropics/claude-code/issues/18947
    require(calls(previous).any(|call| call == id), || {
        format!(
            "{path}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a \
             corresponding `tool_use` block in the previous message."
        )
    })?;
    require(earlier.all(|other| other != id), || {
        format!(
            "{path}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
        )
    })
}

/// Checks that the results of the calls are at the start of the next message.
fn check_paired(index: usize, message: &Value, next: Option<&Value>) -> Checked {
    let answered: HashSet<&str> = next.into_iter().flat_map(results).collect();
    let missing: Vec<&str> = calls(message).filter(|id| !answered.contains(id)).collect();
    // https://github.com/anthropics/claude-code/issues/8210
    require(missing.is_empty(), || {
        format!(
            "messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each \
             `tool_use` block must have a corresponding `tool_result` block in the next message.",
            missing.join(", ")
        )
    })
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
