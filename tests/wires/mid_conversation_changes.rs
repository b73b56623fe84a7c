//! System messages, and tools that come, after the start of a conversation.

use crate::{json, list};
use serde_json::{Value, json};
use std::sync::Arc;
use tool_runtime::message::Message;
use tool_runtime::session::RunEnd;
use tool_runtime::wire::{
    Anthropic, Bedrock, Gemini, GeminiInteractions, PrefixChange, RequestParts, Responses, Wire,
};
use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, tool, tools};
use tool_runtime_testing::{ScriptedModel, assert_cache_stable, assert_valid, check_request};

/// Reads a file.
#[tool(read_only)]
fn read_file(path: &str) -> String {
    format!("the content of {path}")
}

/// Packs files.
#[tool(read_only)]
fn zip_files(paths: Vec<String>) -> usize {
    let packed = paths;
    packed.len()
}

fn model() -> ScriptedModel {
    let call = |id: &str, name: &str, arguments: Value| {
        AssistantMessage::from_tool_calls(vec![ToolCall::new(id, name, arguments.to_string())])
    };
    ScriptedModel::new([
        call("a", "read_file", json!({ "path": "a" })),
        AssistantMessage::from_text("Read."),
        call("b", "zip_files", json!({ "paths": ["a", "b"] })),
        AssistantMessage::from_text("Packed."),
    ])
}

/// A session that reads a file, gets a tool and an instruction, and packs files.
async fn run(wire: Arc<dyn Wire>) -> ScriptedModel {
    let model = model();
    let first = Registry::new(tools![read_file]).expect("a tool");
    let both = Registry::new(tools![read_file, zip_files]).expect("two tools");
    let mut session = Session::new().system("You read files.").user("Read a.");
    let run = session.run(&first).wire(Arc::clone(&wire));
    let end = run.complete(|request| model.complete(request)).await.expect("the requests are accepted");
    assert_eq!(end, RunEnd::Answered);
    let added = session.edit(|messages| {
        messages.push(Message::user("Pack a and b."));
        messages.push(Message::added_tools(["zip_files", "gone"]));
        messages.push(Message::system("Be brief."));
    });
    added.expect("each call has its result");
    let run = session.run(&both).wire(wire);
    let end = run.complete(|request| model.complete(request)).await.expect("the requests are accepted");
    assert_eq!(end, RunEnd::Answered);
    assert_valid(&session);
    model
}

#[tokio::test]
async fn a_tool_that_comes_keeps_the_cache_of_anthropic() {
    let model = run(Arc::new(Anthropic::new().mid_conversation_changes(true))).await;
    assert_cache_stable(&model);
    let last = model.requests().pop().expect("four requests");
    assert_eq!(list(&last["tools"]).len(), 1);
    assert_eq!(last["system"], json!([{ "type": "text", "text": "You read files." }]));
    let changes = &last["messages"][5];
    assert_eq!(changes["role"], "system");
    assert_eq!(changes["content"][0]["type"], "tool_addition");
    assert_eq!(changes["content"][0]["tool"]["type"], "tool_definition");
    let definition = &changes["content"][0]["tool"]["definition"];
    assert_eq!(
        (&definition["name"], &definition["description"]),
        (&json!("zip_files"), &json!("Packs files."))
    );
    assert_eq!(definition["input_schema"]["properties"]["paths"]["type"], "array");
    let text = |text: &str| json!({ "type": "text", "text": text });
    assert_eq!(changes["content"][1], text("Further tools are available now: zip_files, gone"));
    assert_eq!(changes["content"][2], text("Be brief."));
}

#[tokio::test]
async fn a_tool_that_comes_keeps_the_cache_of_openai() {
    let model = run(Arc::new(Responses::new().mid_conversation_changes(true))).await;
    assert_cache_stable(&model);
    let last = model.requests().pop().expect("four requests");
    assert_eq!(list(&last["tools"]).len(), 1);
    let item =
        list(&last["input"]).iter().find(|item| item["type"] == "additional_tools").expect("it is there");
    assert_eq!(item["role"], "developer");
    assert_eq!(item["tools"][0]["name"], "zip_files");
    assert_eq!(item["tools"][0]["type"], "function");
}

#[tokio::test]
async fn without_the_setting_the_change_has_its_name() {
    for wire in [Arc::new(Anthropic::new()) as Arc<dyn Wire>, Arc::new(Responses::new())] {
        let requests = run(Arc::clone(&wire)).await.requests();
        let change = PrefixChange::between(wire.name(), &requests[1], &requests[2]).expect("a tool comes");
        assert_eq!(change.to_string(), "the tool `zip_files` was added at `/tools/1`", "{}", wire.name());
        let text = requests[2].to_string();
        assert!(text.contains("Further tools are available now: zip_files, gone"), "{}", wire.name());
    }
}

#[test]
fn a_system_message_after_the_start_stays_there_or_is_reported() {
    let messages = [
        Message::system("Be kind."),
        Message::user("Hi."),
        Message::assistant("Hello."),
        Message::developer("Be brief."),
        Message::user("Bye."),
    ];
    let wires: [Box<dyn Wire>; 4] = [
        Box::new(Anthropic::new()),
        Box::new(Bedrock::new()),
        Box::new(Gemini::new()),
        Box::new(GeminiInteractions::new()),
    ];
    for wire in wires {
        let body = crate::write(&wire, &messages);
        let reported: Vec<String> = body.report().changed.iter().map(ToString::to_string).collect();
        let expected = "messages[3]: it is before all messages, where the API has system messages, so the prompt cache is lost";
        assert_eq!(reported, [expected], "{}", wire.name());
    }
    let wire = Anthropic::new().mid_conversation_changes(true);
    let body = crate::write(&wire, &messages);
    let written = json(&body);
    assert_eq!(check_request(&wire, &written), Ok(()));
    let roles: Vec<&Value> = list(&written["messages"]).iter().map(|message| &message["role"]).collect();
    // The API has it only after a message of the user.
    assert_eq!(roles, ["user", "assistant", "user", "system", "user"]);
    assert_eq!(written["messages"][3]["content"], json!([{ "type": "text", "text": "Be brief." }]));
    assert_eq!(body.report().changed.len(), 1);
    // A request without tools, such as one for a summary, has no definitions.
    let added = [Message::user("Hi."), Message::added_tools(["zip_files"])];
    let body = json(&wire.write(&RequestParts::new(&added)).expect("it is written"));
    assert_eq!(body["messages"][1]["content"][0]["type"], "text");
}
