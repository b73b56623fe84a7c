//! Recorded exchanges with the Gemini API, from the folder that the variable `TOOL_CORPORA` names.

use crate::{json, list, rows, write};
use serde_json::{Map, Value, json};
use tool_runtime::AssistantMessage;
use tool_runtime::history;
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::{Gemini, Wire};
use tool_runtime_testing::check_request;

/// The rows of this wire; none if the variable is not set.
fn rows() -> Vec<Value> {
    let rows = rows::rows("other_wire.jsonl").unwrap_or_default();
    rows.into_iter().filter(|row| row["wire"] == "gemini").collect()
}

/// The fields of an object in camel case. Arguments, responses and schemas are values of the program.
fn camel_case(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(camel_case).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                let mut words = name.split('_');
                let first = words.next().unwrap_or_default().to_owned();
                let name = words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..]);
                let is_of_the_program = matches!(&*name, "args" | "response");
                let value = if is_of_the_program { value.clone() } else { camel_case(value) };
                (name, value)
            });
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// Contents in one form where the API gives several the same meaning: names in camel case, absent `thought` as false, user
/// contents after another as one, and results sorted by their tool.
fn normalized(contents: &Value) -> Value {
    let mut all: Vec<(Value, Vec<Value>)> = Vec::new();
    for content in list(&camel_case(contents)) {
        let role = content.get("role").cloned().unwrap_or(json!("user"));
        let parts = list(&content["parts"]).iter().map(|part| {
            let mut part: Map<String, Value> = part.as_object().expect("a part").clone();
            part.retain(|name, value| name != "thought" || *value != false);
            json!(part)
        });
        match all.last_mut() {
            Some((last, all)) if *last == role => all.extend(parts),
            _ => all.push((role, parts.collect())),
        }
    }
    for (_, parts) in &mut all {
        parts.sort_by_key(|part| part["functionResponse"]["name"].as_str().map(str::to_owned));
    }
    json!(all)
}

#[test]
fn every_history_is_valid_and_written_back_with_the_same_meaning() {
    let rows = rows();
    let (mut calls, mut ids, mut results) = (0, 0, 0);
    for row in &rows {
        let (source, request) = (&row["source"], &row["request"]);
        let messages = Gemini::new()
            .read_messages(&request.to_string())
            .unwrap_or_else(|error| panic!("{source}: {error}"));
        history::validate(&messages).unwrap_or_else(|error| panic!("{source}: {error}"));
        let body = write(&Gemini::new(), &messages);
        assert!(body.report().is_empty(), "{source}: {:?}", body.report());
        let written = json(&body);
        assert_eq!(check_request(&Gemini::new(), &written), Ok(()), "{source}");
        assert_eq!(check_request(&Gemini::new(), request), Ok(()), "{source}");
        assert_eq!(normalized(&written["contents"]), normalized(&request["contents"]), "{source}");
        assert_eq!(written["systemInstruction"]["parts"], request["systemInstruction"]["parts"], "{source}");
        let contents = camel_case(&request["contents"]);
        for part in list(&contents).iter().flat_map(|content| list(&content["parts"])) {
            calls += usize::from(part["functionCall"].is_object());
            ids += usize::from(part["functionCall"]["id"].is_string());
            results += usize::from(part["functionResponse"].is_object());
        }
    }
    println!("{} histories with {calls} calls, {ids} of them with ids, and {results} results", rows.len());
}

/// Compares a reply with the recorded parts and the recorded reason.
fn assert_equal(source: &Value, reply: &AssistantMessage, parts: &Value, reason: &Value) {
    let parts_in_camel_case = camel_case(parts);
    let parts_in_camel_case = list(&parts_in_camel_case);
    let recorded =
        parts_in_camel_case.iter().map(|part| &part["functionCall"]).filter(|call| call.is_object());
    let recorded: Vec<&Value> = recorded.collect();
    assert_eq!(reply.tool_calls.len(), recorded.len(), "{source}");
    for (call, recorded) in reply.tool_calls.iter().zip(recorded) {
        let arguments: Value = serde_json::from_str(&call.arguments).expect("arguments are JSON");
        assert_eq!((json!(call.name), &arguments), (recorded["name"].clone(), &recorded["args"]), "{source}");
        assert!(recorded["id"].is_null() || recorded["id"] == *call.id, "{source}");
        assert!(!call.is_truncated() && !call.id.is_empty(), "{source}");
    }
    let texts = parts_in_camel_case.iter().filter(|part| part["thought"] != true);
    let text: String = texts.filter_map(|part| part["text"].as_str()).collect();
    assert_eq!(reply.text(), text, "{source}");
    let reason = if *reason == 1 { &json!("STOP") } else { reason };
    assert_eq!(json!(reply.finish_reason()), *reason, "{source}");
    assert!(!reply.is_truncated(), "{source}");
    let items: Vec<Value> =
        reply.native_items().map(|item| serde_json::from_str(item).expect("an item is JSON")).collect();
    assert_eq!(json!(items), *parts, "{source}");
    // The next request has the same parts.
    let written = json(&write(&Gemini::new(), &[reply.clone().into()]));
    assert_eq!(written["contents"][1]["parts"], *parts, "{source}");
}

/// The usage, as the documentation counts it.
fn output_tokens(usage: &Value) -> u64 {
    let count = |field: &str| usage[field].as_u64().unwrap_or_default();
    count("candidatesTokenCount") + count("thoughtsTokenCount")
}

#[test]
fn every_reply_has_the_recorded_calls_text_and_parts() {
    let rows = rows();
    let mut replies = 0;
    for row in rows.iter().filter(|row| row["response"].is_object()) {
        let (source, response) = (&row["source"], &row["response"]);
        let reply = Gemini::new()
            .read_reply(&response.to_string())
            .unwrap_or_else(|error| panic!("{source}: {error}"));
        let candidate = &response["candidates"][0];
        assert_equal(source, &reply, &candidate["content"]["parts"], &candidate["finishReason"]);
        let origin = reply.origin().expect("it was read");
        assert_eq!(json!(origin.model), response["modelVersion"], "{source}");
        assert_eq!(json!(origin.response_id), response["responseId"], "{source}");
        assert_eq!(reply.extra("finishMessage"), candidate.get("finishMessage"), "{source}");
        let (usage, recorded) = (reply.usage().expect("it is recorded"), &response["usageMetadata"]);
        assert_eq!(json!(usage.input_tokens), recorded["promptTokenCount"], "{source}");
        assert_eq!(usage.output_tokens, output_tokens(recorded), "{source}");
        assert_eq!(
            usage.cached_input_tokens,
            recorded["cachedContentTokenCount"].as_u64().unwrap_or_default()
        );
        replies += 1;
    }
    println!("{replies} replies");
    assert_eq!(replies == 0, rows.is_empty(), "the file has such rows");
}

/// The parts of a stream, put together as the documentation describes it: adjacent texts without signatures are one.
fn parts_of(chunks: &[Value]) -> Value {
    let mut parts: Vec<Value> = Vec::new();
    for part in chunks.iter().flat_map(|chunk| list(&chunk["candidates"][0]["content"]["parts"])) {
        let is_alone = |part: &Value| part.as_object().is_some_and(|fields| fields.len() == 1);
        match (parts.last_mut().filter(|last| is_alone(last) && is_alone(part)), part["text"].as_str()) {
            (Some(Value::Object(last)), Some(text)) if last.contains_key("text") => {
                let joined = last["text"].as_str().expect("text").to_owned() + text;
                last["text"] = json!(joined);
            }
            _ => parts.push(part.clone()),
        }
    }
    json!(parts)
}

#[test]
fn every_stream_has_the_recorded_calls_text_and_parts() {
    let rows = rows();
    let (mut streams, mut chunks) = (0, 0);
    for row in rows.iter().filter(|row| row["chunks"].is_array()) {
        let source = &row["source"];
        // Some recordings contain several replies, one after another.
        let reason = |chunk: &Value| camel_case(&chunk["candidates"][0])["finishReason"].clone();
        for events in list(&row["chunks"]).split_inclusive(|chunk| !reason(chunk).is_null()) {
            let mut assembler = ReplyAssembler::new().wire(Gemini::new());
            for chunk in events {
                assembler.push(chunk.to_string());
            }
            let reply = assembler.into_reply().unwrap_or_else(|error| panic!("{source}: {error}"));
            let last = camel_case(events.last().expect("a reply has chunks"));
            assert_equal(source, &reply, &parts_of(events), &last["candidates"][0]["finishReason"]);
            let usage = reply.usage().expect("it is recorded");
            assert_eq!(json!(usage.input_tokens), last["usageMetadata"]["promptTokenCount"], "{source}");
            assert_eq!(usage.output_tokens, output_tokens(&last["usageMetadata"]), "{source}");
            assert_eq!(json!(reply.origin().and_then(|origin| origin.model.clone())), last["modelVersion"]);
            streams += 1;
            chunks += events.len();
        }
    }
    println!("{streams} streams with {chunks} chunks");
    assert_eq!(streams == 0, rows.is_empty(), "the file has such rows");
}
