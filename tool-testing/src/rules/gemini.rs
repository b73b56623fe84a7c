//! The rules of the Gemini API, with its error messages.

use crate::rejected::{Checked, invalid, list, require};
use serde_json::{Map, Value};
use std::collections::HashSet;
use tool_runtime::__testing::broken_definition;

/// The name of the wire.
pub(super) const WIRE: &str = "gemini";

/// The fields of a part: one with its data, and further ones.
const DATA: [&[&str]; 3] = [
    &["text", "inlineData", "fileData"],
    &["functionCall", "functionResponse", "toolCall", "toolResponse"],
    &["executableCode", "codeExecutionResult"],
];
const FURTHER: [&str; 5] =
    ["thought", "thoughtSignature", "videoMetadata", "partMetadata", "mediaResolution"];

const CALL: [&str; 5] = ["id", "name", "args", "partialArgs", "willContinue"];
const RESPONSE: [&str; 6] = ["id", "name", "response", "parts", "scheduling", "willContinue"];

const WRONG_NUMBER_OF_RESULTS: &str = "Please ensure that the number of function response parts is equal to the number of \
     function call parts of the function call turn.";

pub(super) fn check(request: &Value) -> Checked {
    check_tools(request)?;
    let system = field(request, "systemInstruction");
    if !system.is_null() {
        check_content(system, "system_instruction")?;
    }
    let contents = list(field(request, "contents"));
    require(!contents.is_empty(), || "* GenerateContentRequest.contents: contents is not specified")?;
    for (index, content) in contents.iter().enumerate() {
        check_content(content, &format!("contents[{index}]"))?;
    }
    check_turns(contents)
}

fn check_tools(request: &Value) -> Checked {
    let mut names = HashSet::new();
    for (index, tool) in list(field(request, "tools")).iter().enumerate() {
        for (position, declaration) in list(field(tool, "functionDeclarations")).iter().enumerate() {
            let name = declaration["name"].as_str().unwrap_or_default();
            require(is_name(name), || {
                format!(
                    "* GenerateContentRequest.tools[{index}].function_declarations[{position}].name: Invalid function \
                     name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores \
                     (_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
                )
            })?;
            require(names.insert(name), || format!("Duplicate function declaration found: {name}"))?;
            if let Some((place, error)) = broken_definition(WIRE, &declaration["parametersJsonSchema"]) {
                let place = place.replace('/', ".");
                return invalid(format!(
                    "* GenerateContentRequest.tools[{index}].function_declarations[{position}].parameters{place}.{error}"
                ));
            }
        }
    }
    let config = field(field(request, "toolConfig"), "functionCallingConfig");
    require(
        !names.is_empty() || !config.is_object(),
        || "Function calling config is set without function_declarations.",
    )
}

fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    let is_first = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    name.as_bytes().first().is_some_and(is_first) && name.len() <= 64 && name.bytes().all(is_allowed)
}

fn check_content(content: &Value, path: &str) -> Checked {
    check_fields(content, &["role", "parts"], path)?;
    let has_valid_role = matches!(role(content), "" | "user" | "model" | "function");
    require(has_valid_role || path == "system_instruction", || "Please use a valid role: user, model.")?;
    let parts = parts(content);
    require(!parts.is_empty(), || {
        format!("* GenerateContentRequest.{path}.parts: contents.parts must not be empty.")
    })?;
    for (index, part) in parts.iter().enumerate() {
        check_part(part, &format!("{path}.parts[{index}]"))?;
    }
    Ok(())
}

fn check_part(part: &Value, path: &str) -> Checked {
    let data = DATA.concat();
    check_fields(part, &[&data[..], &FURTHER].concat(), path)?;
    let has_data = data.iter().any(|name| !field(part, name).is_null()) && part["text"] != "";
    require(has_data || !field(part, "thoughtSignature").is_null(), || {
        format!(
            "* GenerateContentRequest.{path}.data: required oneof field 'data' must have one initialized field"
        )
    })?;
    let [call, response] = ["functionCall", "functionResponse"].map(|name| field(part, name));
    let [call_path, response_path] =
        ["function_call", "function_response"].map(|name| format!("{path}.{name}"));
    check_fields(call, &CALL, &call_path)?;
    check_struct(call, "args", &call_path)?;
    check_fields(response, &RESPONSE, &response_path)?;
    check_struct(response, "response", &response_path)?;
    for (named, path) in [(call, call_path), (response, response_path)] {
        require(!named.is_object() || named["name"].as_str().is_some_and(|name| !name.is_empty()), || {
            format!("* GenerateContentRequest.{path}.name: Name cannot be empty.")
        })?;
    }
    Ok(())
}

fn check_fields(object: &Value, known: &[&str], path: &str) -> Checked {
    let mut fields = object.as_object().into_iter().flat_map(Map::keys);
    fields.try_for_each(|name| {
        require(known.contains(&&*camel_case(name)), || {
            format!("Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Cannot find field.")
        })
    })
}

/// Checks a field whose value is any object.
fn check_struct(object: &Value, name: &str, path: &str) -> Checked {
    let value = field(object, name);
    require(value.is_null() || value.is_object(), || {
        format!("Invalid value at '{path}.{name}' (type.googleapis.com/google.protobuf.Struct), {value}")
    })
}

/// Checks that calls follow the user, and that their results follow them.
fn check_turns(contents: &[Value]) -> Checked {
    let mut open = 0;
    let mut previous = None;
    // Recorded: the results of adjacent contents with calls may be together.
    let has_calls = |content: &Value| role(content) == "model" && count(content, "functionCall") > 0;
    for turn in contents.chunk_by(|content, next| has_calls(content) && has_calls(next)) {
        let count = |name: &str| turn.iter().map(|content| count(content, name)).sum::<usize>();
        let (calls, results) = (count("functionCall"), count("functionResponse"));
        require(
            results == 0 || open > 0,
            || "Please ensure that function response turn comes immediately after a function call turn.",
        )?;
        require(results == open, || WRONG_NUMBER_OF_RESULTS)?;
        require(calls == 0 || previous.is_some_and(|role| role != "model"), || {
            "Please ensure that function call turn comes immediately after a user turn or after a function response \
             turn."
        })?;
        open = calls;
        previous = turn.last().map(role);
    }
    require(open == 0, || WRONG_NUMBER_OF_RESULTS)
}

fn count(content: &Value, name: &str) -> usize {
    parts(content).iter().filter(|part| field(part, name).is_object()).count()
}

/// The parts of a content, of which one may be without an array.
fn parts(content: &Value) -> &[Value] {
    match &content["parts"] {
        part @ Value::Object(_) => std::slice::from_ref(part),
        parts => list(parts),
    }
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
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |camel, word| {
        let (start, rest) = word.split_at_checked(1).unwrap_or((word, ""));
        camel + &start.to_ascii_uppercase() + rest
    })
}
