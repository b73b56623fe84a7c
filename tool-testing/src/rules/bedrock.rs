//! The rules of Amazon's Converse API, with its error messages. The lengths, patterns and fields are those of the model of
//! `botocore`.

use crate::rejected::{Checked, check_fields, invalid, is_plain_name, list, require};
use serde_json::Value;
use std::collections::HashSet;
use tool_runtime::__testing::broken_definition;

/// The name of the wire.
pub(super) const WIRE: &str = "bedrock";

/// The kinds of blocks, each the only field of a block.
const BLOCKS: [&str; 13] = [
    "text",
    "image",
    "document",
    "video",
    "audio",
    "toolUse",
    "toolResult",
    "guardContent",
    "cachePoint",
    "reasoningContent",
    "citationsContent",
    "searchResult",
    "toolAddition",
];
const SYSTEM: [&str; 3] = ["text", "guardContent", "cachePoint"];
const RESULT: [&str; 7] = ["text", "json", "image", "document", "video", "searchResult", "cachePoint"];

/// The maximum number of cache points of most models: <https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html>.
const MAX_CACHE_POINTS: usize = 4;

fn check_cache_points(request: &Value) -> Checked {
    let messages = list(&request["messages"]).iter().flat_map(|message| list(&message["content"]));
    let blocks = messages.chain(list(&request["system"])).chain(list(&request["toolConfig"]["tools"]));
    let count = blocks.filter(|block| block["cachePoint"].is_object()).count();
    require(count <= MAX_CACHE_POINTS, || {
        format!("A request may have at most {MAX_CACHE_POINTS} cache points, and this one has {count}.")
    })
}

pub(super) fn check(request: &Value) -> Checked {
    check_tools(&request["toolConfig"])?;
    check_cache_points(request)?;
    for (index, block) in list(&request["system"]).iter().enumerate() {
        check_block(block, &SYSTEM, &format!("system.{index}"))?;
    }
    let messages = list(&request["messages"]);
    require(
        messages.first().is_some_and(|message| message["role"] == "user"),
        || "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    )?;
    let mut documents = HashSet::new();
    let mut open = Vec::new();
    let mut uses_tools = false;
    for (index, message) in messages.iter().enumerate() {
        require(index == 0 || message["role"] != messages[index - 1]["role"], || {
            "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between \
             user and assistant roles and try again."
        })?;
        check_message(index, message, &mut documents)?;
        let blocks = list(&message["content"]);
        open = check_turn(index, blocks, open)?;
        uses_tools |= !open.is_empty();
    }
    require(open.is_empty(), || missing(messages.len(), &open))?;
    require(
        !uses_tools || request["toolConfig"].is_object(),
        || "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
    )
}

fn check_tools(config: &Value) -> Checked {
    if config.is_null() {
        return Ok(());
    }
    let tools = list(&config["tools"]);
    require(!tools.is_empty(), || {
        constraint("[]", "toolConfig.tools", "have length greater than or equal to 1")
    })?;
    let mut names = HashSet::new();
    for (index, tool) in tools.iter().enumerate() {
        let spec = &tool["toolSpec"];
        if spec.is_null() {
            continue;
        }
        let path = format!("toolConfig.tools.{}.member.toolSpec", index + 1);
        check_name(&spec["name"], &format!("{path}.name"), is_plain_name, "[a-zA-Z0-9_-]+")?;
        require(names.insert(&spec["name"]), || "tools: Tool names must be unique.")?;
        require(spec["description"] != "", || {
            constraint("", &format!("{path}.description"), "have length greater than or equal to 1")
        })?;
        check_fields(spec, &["name", "description", "inputSchema", "strict"], |field| unknown(&path, field))?;
        let schema = &spec["inputSchema"]["json"];
        require(schema["type"] == "object", || {
            format!("The value at {path}.inputSchema.json.type must be one of the following: object.")
        })?;
        if let Some((_, error)) = broken_definition(WIRE, schema) {
            return invalid(format!("tools.{index}.custom.input_schema{error}"));
        }
    }
    let choice = &config["toolChoice"];
    check_fields(choice, &["auto", "any", "tool"], |field| unknown("toolConfig.toolChoice", field))?;
    let name = &choice["tool"]["name"];
    require(name.is_null() || names.contains(name), || format!("Tool {name} not found in provided tools"))
}

fn check_message<'v>(index: usize, message: &'v Value, documents: &mut HashSet<&'v Value>) -> Checked {
    let path = format!("messages.{index}.content");
    let blocks = list(&message["content"]);
    require(matches!(message["role"].as_str(), Some("user" | "assistant")), || {
        format!("Value at 'messages.{}.member.role' failed to satisfy constraint", index + 1)
    })?;
    require(!blocks.is_empty(), || {
        format!(
            "The content field in the Message object at messages.{index} is empty. Add a ContentBlock object to the content \
             field and try again."
        )
    })?;
    for (position, block) in blocks.iter().enumerate() {
        check_block(block, &BLOCKS, &format!("{path}.{position}"))?;
        for part in list(&block["toolResult"]["content"]) {
            check_block(part, &RESULT, &format!("{path}.{position}.toolResult.content"))?;
        }
    }
    let has = |kind: &str| blocks.iter().any(|block| !block[kind].is_null());
    require(!has("document") || has("text"), || "A text block must be included when using documents.")?;
    let results = blocks.iter().flat_map(|block| list(&block["toolResult"]["content"]));
    for name in
        blocks.iter().chain(results).map(|block| &block["document"]["name"]).filter(|name| !name.is_null())
    {
        require(
            documents.insert(name),
            || "Messages can't contain duplicate document names. Rename the document and retry your request.",
        )?;
    }
    Ok(())
}

fn check_block(block: &Value, kinds: &[&str], path: &str) -> Checked {
    check_fields(block, kinds, |field| unknown(path, field))?;
    require(block.as_object().is_some_and(|fields| fields.len() == 1), || {
        format!("The format of the value at {path} is invalid.")
    })?;
    require(block["text"].as_str().is_none_or(|text| !text.trim().is_empty()), || {
        format!(
            "The text field in the ContentBlock object at {path} is blank. Add text to the text field, and try again."
        )
    })?;
    let is_id_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    let is_id = |text: &str| !text.is_empty() && text.bytes().all(is_id_letter);
    let (call, result) = (&block["toolUse"], &block["toolResult"]);
    for (block, kind) in [(call, "toolUse"), (result, "toolResult")] {
        if block.is_object() {
            let path = format!("{path}.{kind}");
            check_name(&block["toolUseId"], &format!("{path}.toolUseId"), is_id, "[a-zA-Z0-9_.:-]+")?;
        }
    }
    if call.is_object() {
        check_fields(call, &["toolUseId", "name", "input", "type"], |field| {
            unknown(&format!("{path}.toolUse"), field)
        })?;
        check_name(&call["name"], &format!("{path}.toolUse.name"), is_plain_name, "[a-zA-Z0-9_-]+")?;
        require(call["input"].is_object(), || {
            format!(
                "The format of the value at {path}.toolUse.input is invalid. Provide a json object for the field and try again."
            )
        })?;
    }
    let known = ["toolUseId", "content", "status", "type"];
    check_fields(result, &known, |field| unknown(&format!("{path}.toolResult"), field))?;
    let has_content = !list(&result["content"]).is_empty();
    require(result["status"] != "error" || has_content, || {
        format!("The content field at {path}.toolResult cannot be empty when status value is error.")
    })
}

/// Checks the results of the calls of the message before. Returns the ids of the calls of this one.
fn check_turn<'v>(
    index: usize,
    blocks: &'v [Value],
    mut open: Vec<&'v Value>,
) -> Result<Vec<&'v Value>, crate::RejectedError> {
    let mut calls = Vec::new();
    for block in blocks {
        let (call, result) = (&block["toolUse"], &block["toolResult"]);
        // The provider runs these itself.
        if call["type"] == "server_tool_use" || result.get("type").is_some() {
            continue;
        }
        if call.is_object() {
            require(!calls.contains(&&call["toolUseId"]), || "`tool_use` ids must be unique")?;
            calls.push(&call["toolUseId"]);
        }
        if result.is_object() {
            let known = open.iter().position(|id| **id == result["toolUseId"]);
            require(known.is_some(), || {
                format!(
                    "The number of toolResult blocks at messages.{index}.content exceeds the number of toolUse blocks of \
                     previous turn."
                )
            })?;
            known.map(|position| open.remove(position));
        }
    }
    require(open.is_empty(), || missing(index, &open))?;
    Ok(calls)
}

fn missing(index: usize, ids: &[&Value]) -> String {
    let ids: Vec<&str> = ids.iter().filter_map(|id| id.as_str()).collect();
    format!(
        "Expected toolResult blocks at messages.{index}.content for the following Ids: {}",
        ids.join(", ")
    )
}

fn check_name(value: &Value, path: &str, is_valid: impl Fn(&str) -> bool, pattern: &str) -> Checked {
    let text = value.as_str().unwrap_or_default();
    require(!text.is_empty(), || constraint(text, path, "have length greater than or equal to 1"))?;
    require(text.len() <= 64, || constraint(text, path, "have length less than or equal to 64"))?;
    require(is_valid(text), || {
        constraint(text, path, &format!("satisfy regular expression pattern: {pattern}"))
    })
}

fn constraint(value: &str, path: &str, constraint: &str) -> String {
    format!(
        "1 validation error detected: Value '{value}' at '{path}' failed to satisfy constraint: Member must {constraint}"
    )
}

fn unknown(path: &str, field: &str) -> Checked {
    invalid(format!(
        "Malformed input request: #/{path}: extraneous key [{field}] is not permitted, please reformat your input and try again."
    ))
}
