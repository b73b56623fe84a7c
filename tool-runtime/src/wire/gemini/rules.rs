//! The rules of the Gemini API, with its error messages.

use super::errors;
use crate::wire::rejected::{RejectedError, invalid, list};
use serde_json::Value;
use std::collections::HashSet;

/// The fields of a part: one with its data, and further ones.
const DATA: [&str; 9] = [
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
];
const FURTHER: [&str; 5] =
    ["thought", "thoughtSignature", "videoMetadata", "partMetadata", "mediaResolution"];

const CALL: [&str; 5] = ["id", "name", "args", "partialArgs", "willContinue"];
const RESPONSE: [&str; 6] = ["id", "name", "response", "parts", "scheduling", "willContinue"];

pub(super) fn check(request: &Value) -> Result<(), RejectedError> {
    check_tools(request)?;
    let system = field(request, "systemInstruction");
    if !system.is_null() {
        check_content(system, "system_instruction")?;
    }
    let contents = list(field(request, "contents"));
    if contents.is_empty() {
        return invalid("* GenerateContentRequest.contents: contents is not specified");
    }
    for (index, content) in contents.iter().enumerate() {
        check_content(content, &format!("contents[{index}]"))?;
    }
    check_turns(contents)
}

fn check_tools(request: &Value) -> Result<(), RejectedError> {
    let mut names = HashSet::new();
    for (index, tool) in list(field(request, "tools")).iter().enumerate() {
        for (position, declaration) in list(field(tool, "functionDeclarations")).iter().enumerate() {
            let name = declaration["name"].as_str().unwrap_or_default();
            if !is_name(name) {
                return invalid(format!(
                    "* GenerateContentRequest.tools[{index}].function_declarations[{position}].name: Invalid function \
                     name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores \
                     (_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
                ));
            }
            if !names.insert(name) {
                return invalid(format!("Duplicate function declaration found: {name}"));
            }
        }
    }
    let config = field(field(request, "toolConfig"), "functionCallingConfig");
    if names.is_empty() && config.is_object() {
        return invalid("Function calling config is set without function_declarations.");
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    let is_first = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    name.as_bytes().first().is_some_and(is_first) && name.len() <= 64 && name.bytes().all(is_allowed)
}

fn check_content(content: &Value, path: &str) -> Result<(), RejectedError> {
    check_fields(content, &["role", "parts"], path)?;
    if !matches!(role(content), "" | "user" | "model" | "function") && path != "system_instruction" {
        return invalid("Please use a valid role: user, model.");
    }
    let parts = list(&content["parts"]);
    if parts.is_empty() {
        return invalid(format!("* GenerateContentRequest.{path}.parts: {}", errors::EMPTY_CONTENT));
    }
    for (index, part) in parts.iter().enumerate() {
        let path = format!("{path}.parts[{index}]");
        check_fields(part, &[&DATA[..], &FURTHER].concat(), &path)?;
        let has_data =
            DATA.iter().any(|name| !matches!(field(part, name), Value::Null)) && part["text"] != "";
        if !has_data && field(part, "thoughtSignature").is_null() {
            return invalid(format!(
                "* GenerateContentRequest.{path}.data: required oneof field 'data' must have one initialized field"
            ));
        }
        let (call, response) = (field(part, "functionCall"), field(part, "functionResponse"));
        check_fields(call, &CALL, &format!("{path}.function_call"))?;
        check_struct(call, "args", &format!("{path}.function_call"))?;
        check_fields(response, &RESPONSE, &format!("{path}.function_response"))?;
        check_struct(response, "response", &format!("{path}.function_response"))?;
        for (kind, named) in [("function_call", call), ("function_response", response)] {
            if named.is_object() && named["name"].as_str().is_none_or(str::is_empty) {
                return invalid(format!(
                    "* GenerateContentRequest.{path}.{kind}.name: Name cannot be empty."
                ));
            }
        }
    }
    Ok(())
}

fn check_fields(object: &Value, known: &[&str], path: &str) -> Result<(), RejectedError> {
    let mut fields = object.as_object().into_iter().flatten().map(|(name, _)| name);
    match fields.find(|name| !known.contains(&&*camel_case(name))) {
        Some(name) => invalid(format!(
            "Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Cannot find field."
        )),
        None => Ok(()),
    }
}

/// Checks a field whose value is any object.
fn check_struct(object: &Value, name: &str, path: &str) -> Result<(), RejectedError> {
    match field(object, name) {
        Value::Null | Value::Object(_) => Ok(()),
        other => invalid(format!(
            "Invalid value at '{path}.{name}' (type.googleapis.com/google.protobuf.Struct), {other}"
        )),
    }
}

/// Checks that calls follow the user, and that their results follow them.
fn check_turns(contents: &[Value]) -> Result<(), RejectedError> {
    let mut open = 0;
    let mut previous = None;
    for content in contents {
        let (calls, results) = (count(content, "functionCall"), count(content, "functionResponse"));
        if results > 0 && open == 0 {
            return invalid(errors::RESULTS_WITHOUT_CALLS);
        }
        if results != open {
            return invalid(errors::WRONG_NUMBER_OF_RESULTS);
        }
        if calls > 0 && previous.is_none_or(|role| role == "model") {
            return invalid(
                "Please ensure that function call turn comes immediately after a user turn or after a function response \
                 turn.",
            );
        }
        open = calls;
        previous = Some(role(content));
    }
    if open > 0 { invalid(errors::WRONG_NUMBER_OF_RESULTS) } else { Ok(()) }
}

fn count(content: &Value, name: &str) -> usize {
    list(&content["parts"]).iter().filter(|part| field(part, name).is_object()).count()
}

fn role(content: &Value) -> &str {
    content["role"].as_str().unwrap_or_default()
}

/// A field by its name in camel case. The API accepts snake case too.
fn field<'v>(object: &'v Value, name: &str) -> &'v Value {
    let mut fields = object.as_object().into_iter().flatten();
    fields.find(|(known, _)| camel_case(known) == name).map_or(&Value::Null, |(_, value)| value)
}

fn camel_case(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut is_start = false;
    for letter in name.chars() {
        if letter == '_' && !camel.is_empty() {
            is_start = true;
        } else if std::mem::take(&mut is_start) {
            camel.push(letter.to_ascii_uppercase());
        } else {
            camel.push(letter);
        }
    }
    camel
}
