//! The rules of Gemini's Interactions API. The fields are those of the types of `google-genai`, and the messages those of the
//! Gemini API.

use crate::rejected::{Checked, check_fields, invalid, list, require};
use serde_json::Value;
use std::collections::HashSet;
use tool_runtime::__testing::broken_definition;

/// The name of the wire.
pub(super) const WIRE: &str = "gemini_interactions";

pub(super) fn check(request: &Value) -> Checked {
    check_tools(request)?;
    let system = &request["system_instruction"];
    require(system.is_null() || system.is_string(), || unexpected("system_instruction", system))?;
    let Value::Array(input) = &request["input"] else {
        return require(
            request["input"].is_string() || request["input"].is_object(),
            || "`input` is required.",
        );
    };
    let is_content = |step: &Value| {
        matches!(step["type"].as_str(), Some("text" | "image" | "document" | "audio" | "video"))
    };
    if !input.is_empty() && input.iter().all(is_content) {
        return input
            .iter()
            .enumerate()
            .try_for_each(|(index, content)| check_content(content, &format!("input[{index}]")));
    }
    let continues = request["previous_interaction_id"].is_string();
    require(!input.is_empty() || continues, || "`input` must not be empty.")?;
    // The calls without a result, with their names; `None` if the server has them.
    let mut open: Option<Vec<(&Value, &Value)>> = (!continues).then(Vec::new);
    let mut has_thought = false;
    for (index, step) in input.iter().enumerate() {
        let path = format!("input[{index}]");
        check_step(step, &path)?;
        match step["type"].as_str().unwrap_or_default() {
            "function_result" => {
                has_thought = false;
                let Some(open) = &mut open else { continue };
                let known = open.iter().position(|(id, _)| **id == step["call_id"]);
                let Some((_, name)) = known.map(|position| open.remove(position)) else {
                    return invalid(
                        "Please ensure that function response turn comes immediately after a function call turn.",
                    );
                };
                require(*name == step["name"], || {
                    format!("{path}.name: the function of the call is {name}.")
                })?;
            }
            kind => {
                let is_call = kind == "function_call";
                let has_open = open.as_ref().is_some_and(|open| !open.is_empty());
                let is_new_turn = index > 0 && input[index - 1]["type"] == "function_result";
                require(!has_open || !(kind == "user_input" || is_new_turn), || WRONG_NUMBER_OF_RESULTS)?;
                if kind == "user_input" {
                    (open, has_thought) = (Some(Vec::new()), false);
                }
                has_thought |= kind == "thought";
                if is_call {
                    require(
                        has_thought,
                        || "Function call is missing a thought_signature in functionCall parts.",
                    )?;
                    let calls = open.get_or_insert_with(Vec::new);
                    require(
                        calls.iter().all(|(id, _)| **id != step["id"]),
                        || "Duplicate function call id.",
                    )?;
                    calls.push((&step["id"], &step["name"]));
                }
            }
        }
    }
    require(open.is_none_or(|open| open.is_empty()), || WRONG_NUMBER_OF_RESULTS)
}

const WRONG_NUMBER_OF_RESULTS: &str = "Please ensure that the number of function response parts is equal to the number of \
     function call parts of the function call turn.";

fn check_tools(request: &Value) -> Checked {
    let mut names = HashSet::new();
    for (index, tool) in
        list(&request["tools"]).iter().enumerate().filter(|(_, tool)| tool["type"] == "function")
    {
        let path = format!("tools[{index}]");
        let known = ["type", "name", "description", "parameters", "defer_loading", "short_description"];
        check_fields(tool, &known, |field| unknown(&path, field))?;
        let name = tool["name"].as_str().unwrap_or_default();
        require(is_name(name), || {
            format!(
                "{path}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, \
                 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
            )
        })?;
        require(names.insert(name), || format!("Duplicate function declaration found: {name}"))?;
        if let Some((place, error)) = broken_definition(WIRE, &tool["parameters"]) {
            return invalid(format!("{path}.parameters{place}.{error}"));
        }
    }
    let choice = &request["generation_config"]["tool_choice"];
    require(
        !names.is_empty() || choice.is_null(),
        || "Function calling config is set without function_declarations.",
    )?;
    let mode = choice.as_str().or_else(|| choice["allowed_tools"]["mode"].as_str());
    require(choice.is_null() || matches!(mode, Some("auto" | "any" | "none" | "validated")), || {
        unexpected("generation_config.tool_choice", choice)
    })?;
    let allowed = list(&choice["allowed_tools"]["tools"]);
    require(
        allowed.iter().all(|name| name.as_str().is_some_and(|name| names.contains(name))),
        || "allowed_tools contains a function that is not declared.",
    )
}

fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    let is_first = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    name.as_bytes().first().is_some_and(is_first) && name.len() <= 64 && name.bytes().all(is_allowed)
}

fn check_step(step: &Value, path: &str) -> Checked {
    let known: &[&str] = match step["type"].as_str() {
        Some("user_input") => &["type", "content"],
        Some("model_output") => &["type", "content", "error"],
        Some("thought") => &["type", "signature", "summary"],
        Some("function_call") => &["type", "id", "name", "arguments"],
        Some("function_result") => &["type", "call_id", "name", "result", "is_error"],
        // Steps of tools that the provider runs itself.
        Some(kind) if kind.ends_with("_call") || kind.ends_with("_result") => return Ok(()),
        _ => return invalid(unexpected(&format!("{path}.type"), &step["type"])),
    };
    check_fields(step, known, |field| unknown(path, field))?;
    let contents = list(&step["content"]).iter().chain(list(&step["result"])).chain(list(&step["summary"]));
    for content in contents {
        check_content(content, path)?;
    }
    match step["type"].as_str() {
        Some("user_input") => {
            require(!list(&step["content"]).is_empty(), || format!("{path}.content must not be empty."))
        }
        Some("function_call") => {
            require(step["arguments"].is_object(), || {
                unexpected(&format!("{path}.arguments"), &step["arguments"])
            })?;
            require(step["id"].as_str().is_some_and(|id| !id.is_empty()), || {
                format!("{path}.id is required.")
            })
        }
        Some("function_result") => {
            require(step["name"].is_string(), || format!("{path}.name is required."))?;
            let result = &step["result"];
            let is_known = result.is_string() || result.is_object() || result.is_array();
            require(is_known, || unexpected(&format!("{path}.result"), result))
        }
        _ => Ok(()),
    }
}

fn check_content(content: &Value, path: &str) -> Checked {
    let known: &[&str] = match content["type"].as_str() {
        Some("text") => &["type", "text", "annotations"],
        Some("image") => &["type", "data", "uri", "mime_type", "resolution"],
        Some("document" | "audio" | "video") => {
            &["type", "data", "uri", "mime_type", "resolution", "processing"]
        }
        _ => return invalid(unexpected(&format!("{path}.type"), &content["type"])),
    };
    check_fields(content, known, |field| unknown(path, field))
}

fn unexpected(path: &str, value: &Value) -> String {
    format!("Invalid value at '{path}', {value}")
}

fn unknown(path: &str, field: &str) -> Checked {
    invalid(format!(
        "Invalid JSON payload received. Unknown name \"{field}\" at '{path}': Cannot find field."
    ))
}
