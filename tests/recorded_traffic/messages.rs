//! Recorded replies, and histories that providers accepted.

use crate::{list, rows};
use serde_json::Value;
use tool_runtime::conversation::Received;
use tool_runtime::history::{self, ViolationKind};
use tool_runtime::message::Message;
use tool_runtime::wire::ChatCompletions;
use tool_runtime::{AssistantMessage, Conversation, Registry, ToolSchema, tools};
use tool_runtime_repair::possible_violations;
use tool_runtime_testing::check_request;

/// The id, name and arguments of each call, which a program must keep.
fn calls(message: &Value) -> Vec<(&str, &str, &str)> {
    list(&message["tool_calls"])
        .iter()
        .map(|call| {
            let function = &call["function"];
            let text = |value: &'static str| function[value].as_str().unwrap_or_default();
            (call["id"].as_str().unwrap_or_default(), text("name"), text("arguments"))
        })
        .collect()
}

/// Adds the reply to a conversation, and asserts that a strict server accepts the next request.
async fn converse(row: &Value, registry: &Registry) {
    let reply = serde_json::from_value(row["message"].clone()).expect("it was read before");
    let chat = match Conversation::new().user("?").receive(reply) {
        Received::Answer(chat) => chat,
        Received::ToolCalls(pending) => pending.dispatch(registry).await,
    };
    if let Err(violations) = history::validate(chat.messages()) {
        panic!("{}: {violations}", row["source"]);
    }
    // Ids are those of the server, and some are longer than OpenAI accepts.
    let warnings = possible_violations(chat.messages(), &ChatCompletions::new());
    assert!(
        warnings.iter().all(|warning| warning.kind == ViolationKind::LongId),
        "{}: {warnings:?}",
        row["source"]
    );
    if warnings.is_empty() {
        let request = serde_json::json!({ "messages": chat.user("And now?") });
        assert_eq!(check_request(&ChatCompletions::new(), &request), Ok(()), "{}", row["source"]);
    }
}

#[tokio::test]
async fn every_reply_is_read_written_and_paired() {
    let Some(rows) = rows("replies.jsonl") else { return };
    let registry = Registry::new(tools![]).expect("no tools");
    let (mut read, mut ids, mut objects, mut replaced) = (0, 0, 0, 0);
    for row in &rows {
        let source = &row["source"];
        let reply: AssistantMessage = serde_json::from_value(row["message"].clone())
            .unwrap_or_else(|error| panic!("{source}: {error}"));
        let written = serde_json::to_value(&reply).expect("the reply is written");
        for ((id, name, arguments), (written_id, written_name, written_arguments)) in
            calls(&row["message"]).into_iter().zip(calls(&written))
        {
            assert_eq!(name, written_name, "{source}");
            if !id.is_empty() {
                assert_eq!(id, written_id, "{source}");
                ids += 1;
            }
            assert!(!written_id.is_empty(), "{source}");
            if let Ok(Value::Object(_)) = serde_json::from_str::<Value>(arguments) {
                assert_eq!(arguments, written_arguments, "{source}");
                objects += 1;
            } else {
                assert!(matches!(serde_json::from_str(written_arguments), Ok(Value::Object(_))), "{source}");
                replaced += 1;
            }
        }
        assert_eq!(calls(&row["message"]).len(), calls(&written).len(), "{source}");
        assert!(
            written.as_object().is_some_and(|written| written.keys().all(|key| [
                "role",
                "content",
                "tool_calls",
                "refusal"
            ]
            .contains(&&**key))),
            "{source}: {written}"
        );
        let answers = registry.dispatch(&reply.tool_calls).await;
        assert!(
            answers
                .iter()
                .map(|answer| &answer.tool_call_id)
                .eq(reply.tool_calls.iter().map(|call| &call.id))
        );
        converse(row, &registry).await;
        read += 1;
    }
    assert!(read > 0 && objects > 0, "the file has such rows");
    println!(
        "{read} replies of {}: {ids} ids kept, {objects} arguments kept, {replaced} replaced",
        rows.len()
    );
}

#[test]
fn every_accepted_history_is_read_and_written_with_the_same_pairs() {
    let Some(rows) = rows("transcripts.jsonl") else { return };
    let (mut count, mut replaced) = (0, 0);
    for row in &rows {
        let source = &row["source"];
        let messages: Vec<Message> = serde_json::from_value(row["messages"].clone())
            .unwrap_or_else(|error| panic!("{source}: {error}"));
        let written = serde_json::to_value(&messages).expect("messages are written");
        let (recorded, written) = (list(&row["messages"]), list(&written));
        assert_eq!(recorded.len(), written.len(), "{source}");
        for (recorded, written) in recorded.iter().zip(written) {
            let (recorded_calls, written_calls) = (calls(recorded), calls(written));
            assert_eq!(recorded_calls.len(), written_calls.len(), "{source}");
            for ((id, name, arguments), written) in recorded_calls.into_iter().zip(written_calls) {
                assert_eq!((id, name), (written.0, written.1), "{source}");
                if matches!(serde_json::from_str(arguments), Ok(Value::Object(_))) {
                    assert_eq!(arguments, written.2, "{source}");
                } else {
                    // Several servers reject such arguments.
                    assert!(matches!(serde_json::from_str(written.2), Ok(Value::Object(_))), "{source}");
                    replaced += 1;
                }
            }
            assert_eq!(recorded["tool_call_id"], written["tool_call_id"], "{source}");
            assert_eq!(recorded["content"], written["content"], "{source}");
            count += 1;
        }
    }
    assert!(count > 0, "the file has such rows");
    println!("{count} messages of {} histories, {replaced} arguments replaced", rows.len());
}

#[test]
fn every_accepted_tool_definition_is_read() {
    let Some(rows) = rows("accepted_tools.jsonl") else { return };
    let mut read = 0;
    for row in rows.iter().filter(|row| row["wire"] == "openai-chat") {
        let definition = serde_json::json!({"type": "function", "function": row});
        let schema: ToolSchema =
            serde_json::from_value(definition).unwrap_or_else(|error| panic!("{}: {error}", row["source"]));
        assert_eq!(schema.name(), row["name"]);
        read += 1;
    }
    assert!(read > 0, "the file has such rows");
    println!("{read} definitions");
}
