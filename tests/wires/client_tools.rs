//! Tools that a provider defines and the program runs, and settings for definitions.

use crate::client_tool_functions::{
    apply_patch, do_actions, edit_file, memories, run_command, run_commands, use_computer,
};
use crate::{json, list};
use serde_json::{Value, json};
use tool_runtime::dispatch::{Decision, ProposedCall};
use tool_runtime::session::RunEnd;
use tool_runtime::wire::{Anthropic, Responses, Wire};
use tool_runtime::{Registry, Session, tools};
use tool_runtime_testing::{ScriptedModel, ScriptedReply, assert_called, assert_valid};

/// A person decides about changes of files.
async fn ask_about_files(call: ProposedCall) -> Decision {
    if matches!(call.tool(), "edit_file" | "apply_patch") { Decision::Ask } else { Decision::Undecided }
}

pub(crate) fn registry() -> Registry {
    let tools = tools![edit_file, run_command, memories, use_computer, run_commands, apply_patch, do_actions];
    Registry::builder().tools(tools).before_call(ask_about_files).build().expect("seven tools")
}

fn anthropic() -> Anthropic {
    Anthropic::new()
        .client_tool(json!({ "type": "text_editor_20250728", "name": "str_replace_based_edit_tool" }), "edit_file")
        .client_tool(json!({ "type": "bash_20250124", "name": "bash" }), "run_command")
        .client_tool(json!({ "type": "memory_20250818", "name": "memory" }), "memories")
        .client_tool(
            json!({ "type": "computer_20251124", "name": "computer", "display_width_px": 800, "display_height_px": 600 }),
            "use_computer",
        )
}

pub(crate) fn responses() -> Responses {
    Responses::new()
        .client_tool(json!({ "type": "shell", "environment": { "type": "local" } }), "run_commands")
        .client_tool(json!({ "type": "apply_patch" }), "apply_patch")
        .client_tool(json!({ "type": "computer" }), "do_actions")
}

/// The model whose replies have these bodies.
pub(crate) fn model(wire: impl Wire + 'static, bodies: impl IntoIterator<Item = Value>) -> ScriptedModel {
    ScriptedModel::new(bodies.into_iter().map(ScriptedReply::from)).wire(wire)
}

/// Runs the session to its end, also as a stream. Returns the end.
pub(crate) async fn run(
    session: &mut Session,
    wire: impl Wire + 'static,
    model: &ScriptedModel,
    is_streamed: bool,
) -> RunEnd {
    let registry = registry();
    let run = session.run(&registry).wire(wire);
    if is_streamed {
        run.stream(|request| model.stream(request)).await.expect("the requests are accepted")
    } else {
        run.complete(|request| model.complete(request)).await.expect("the requests are accepted")
    }
}

pub(crate) fn anthropic_reply(blocks: &Value) -> Value {
    let has_call = list(blocks).iter().any(|block| block["type"] == "tool_use");
    json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": blocks,
        "stop_reason": if has_call { "tool_use" } else { "end_turn" }, "usage": { "input_tokens": 1, "output_tokens": 1 } })
}

pub(crate) fn responses_reply(items: &Value) -> Value {
    json!({ "id": "resp_1", "object": "response", "model": "m", "status": "completed", "output": items,
        "usage": { "input_tokens": 1, "output_tokens": 1 } })
}

pub(crate) fn done() -> Value {
    json!({ "type": "message", "id": "msg_9", "role": "assistant", "status": "completed",
        "content": [{ "type": "output_text", "text": "Done.", "annotations": [] }] })
}

#[tokio::test]
async fn tools_of_the_registry_run_the_calls_of_anthropics_tools() {
    let call = |id: &str, name: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": name, "input": input });
    for is_streamed in [false, true] {
        let calls = json!([
            call("a", "bash", json!({ "command": "ls" })),
            call("b", "bash", json!({ "command": "false" })),
            call("c", "memory", json!({ "command": "view", "path": "/memories" })),
            call("d", "computer", json!({ "action": "left_click", "coordinate": [1, 2] })),
            call(
                "e",
                "str_replace_based_edit_tool",
                json!({ "command": "view", "path": "/a", "view_range": [1, 2] })
            ),
            // It breaks the schema of the tool.
            call("f", "bash", json!({ "command": 7 })),
        ]);
        let bodies =
            [anthropic_reply(&calls), anthropic_reply(&json!([{ "type": "text", "text": "Done." }]))];
        let model = model(anthropic(), bodies);
        let mut session = Session::new().user("Go.");
        assert_eq!(run(&mut session, anthropic(), &model, is_streamed).await, RunEnd::NeedsApproval);
        let [waiting] = &session.awaiting_approval()[..] else { panic!("one call waits") };
        assert_eq!((&*waiting.id, &*waiting.tool), ("e", "edit_file"));
        session.approve("e").expect("it waits");
        assert_eq!(run(&mut session, anthropic(), &model, is_streamed).await, RunEnd::Answered);
        assert_valid(&session);
        assert_called(&session, "run_command", json!({ "command": "ls" }));

        let [first, second] = &model.requests()[..] else { panic!("two requests") };
        let tools: Vec<&Value> = list(&first["tools"]).iter().map(|tool| &tool["type"]).collect();
        let function = &Value::Null;
        assert_eq!(
            tools.iter().filter(|kind| **kind != function).count(),
            4,
            "each of the provider's definitions replaces a function: {tools:?}"
        );
        assert_eq!(second["messages"][1]["content"], calls, "the blocks go back as they came");
        let results = list(&second["messages"][2]["content"]);
        let text = |index: usize| results[index]["content"][0]["text"].as_str().unwrap_or_default();
        assert_eq!(text(0), r#"Some("ls") None"#);
        assert_eq!((text(1), &results[1]["is_error"]), ("Error: exit code 1", &json!(true)));
        assert_eq!(text(2), r#"view Some("/memories")"#);
        assert_eq!(results[3]["content"][1]["source"]["media_type"], "image/png");
        assert_eq!(text(4), "view /a Some([1, 2]): 1 line");
        assert!(text(5).starts_with("Error: invalid arguments for `run_command`: `command`"), "{}", text(5));
    }
}

#[tokio::test]
async fn tools_of_the_registry_run_the_calls_of_openais_tools() {
    let caller = json!({ "type": "program", "caller_id": "call_p" });
    let items = json!([
        { "type": "shell_call", "id": "sh_1", "call_id": "call_1", "status": "completed", "caller": caller,
          "action": { "commands": ["ls", "pwd"], "timeout_ms": null, "max_output_length": 4096 } },
        { "type": "apply_patch_call", "id": "apc_1", "call_id": "call_2", "status": "completed",
          "operation": { "type": "update_file", "path": "a.rs", "diff": "@@" } },
        { "type": "apply_patch_call", "id": "apc_2", "call_id": "call_3", "status": "completed",
          "operation": { "type": "delete_file", "path": "b.rs" } },
        { "type": "computer_call", "id": "cu_1", "call_id": "call_4", "status": "completed",
          "action": { "type": "screenshot" }, "pending_safety_checks": [{ "id": "sc_1", "code": "malicious" }] },
        { "type": "computer_call", "id": "cu_2", "call_id": "call_5", "status": "completed",
          "actions": [{ "type": "wait" }], "pending_safety_checks": [] },
    ]);
    for is_streamed in [false, true] {
        let model = model(responses(), [responses_reply(&items), responses_reply(&json!([done()]))]);
        let mut session = Session::new().user("Go.");
        assert_eq!(run(&mut session, responses(), &model, is_streamed).await, RunEnd::NeedsApproval);
        let waiting: Vec<String> = session.awaiting_approval().into_iter().map(|call| call.id).collect();
        // The provider asks about the computer.
        assert_eq!(waiting, ["call_2", "call_3", "call_4"]);
        // Another process.
        let stored = serde_json::to_string(&session).expect("it is stored");
        let mut session: Session = serde_json::from_str(&stored).expect("it is read");
        session.approve("call_2").expect("it waits");
        session.approve("call_3").expect("it waits");
        session.approve("call_4").expect("it waits");
        assert_eq!(run(&mut session, responses(), &model, is_streamed).await, RunEnd::Answered);
        assert_valid(&session);

        let [first, second] = &model.requests()[..] else { panic!("two requests") };
        let kinds: Vec<&str> =
            list(&first["tools"]).iter().filter_map(|tool| tool["type"].as_str()).collect();
        assert_eq!(kinds.iter().filter(|kind| **kind != "function").count(), 3, "{kinds:?}");
        let input = list(&second["input"]);
        assert_eq!(input[1..6], *list(&items), "the items go back as they came");
        let output = |text: &str| json!({ "stdout": text, "stderr": "", "outcome": { "type": "exit", "exit_code": 0 } });
        let image = "data:image/png;base64,iVBORw0KGgo=";
        assert_eq!(
            input[6..10],
            [
                json!({ "type": "shell_call_output", "call_id": "call_1", "output": [output("ls"), output("pwd")],
                    "max_output_length": 4096, "caller": caller }),
                json!({ "type": "apply_patch_call_output", "call_id": "call_2", "status": "completed",
                    "output": r#"a.rs: Some("@@")"# }),
                json!({ "type": "apply_patch_call_output", "call_id": "call_3", "status": "failed",
                    "output": "Error: b.rs is read-only" }),
                json!({ "type": "computer_call_output", "call_id": "call_4",
                    "output": { "type": "computer_screenshot", "image_url": image },
                    "acknowledged_safety_checks": [{ "id": "sc_1", "code": "malicious" }] }),
            ]
        );
        // The API takes only a screenshot: the text of the error follows.
        assert_eq!(input[10]["output"]["type"], "computer_screenshot");
        assert_eq!(input[11], json!({ "role": "user", "content": "Error: the display is off" }));
    }
}

#[tokio::test]
async fn results_of_openais_tools_that_were_read_go_back_as_they_came() {
    let input = json!([
        { "role": "user", "content": "Go." },
        { "type": "shell_call", "id": "sh_1", "call_id": "call_1", "status": "completed", "action": { "commands": ["ls"] } },
        { "type": "computer_call", "id": "cu_1", "call_id": "call_2", "status": "completed",
          "action": { "type": "screenshot" }, "pending_safety_checks": [] },
        { "type": "apply_patch_call", "id": "apc_1", "call_id": "call_3", "status": "completed",
          "operation": { "type": "delete_file", "path": "b.rs" } },
        { "type": "mcp_approval_request", "id": "mcpr_1", "server_label": "s", "name": "n", "arguments": "{}" },
        { "type": "shell_call_output", "call_id": "call_1", "status": "completed", "output": [
            { "stdout": "a", "stderr": "", "outcome": { "type": "timeout" } }] },
        { "type": "computer_call_output", "call_id": "call_2", "output": { "type": "computer_screenshot", "file_id": "file_1" } },
        { "type": "apply_patch_call_output", "call_id": "call_3", "status": "failed", "output": "no" },
        { "type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": false, "reason": "no" },
    ]);
    let wire = responses();
    let messages = wire.read_messages(&input.to_string()).expect("it is read");
    assert_eq!(messages.len(), 6);
    assert_eq!(tool_runtime::history::validate(&messages), Ok(()));
    let body = crate::write(&wire, &messages);
    assert_eq!(json(&body)["input"], input);
    assert!(body.report().is_empty(), "{}", body.report());
}

#[tokio::test]
async fn a_person_changes_the_operation_of_a_patch_and_no_call_of_the_provider() {
    let items = json!([
        { "type": "apply_patch_call", "id": "apc_1", "call_id": "call_1", "status": "completed", "caller": { "type": "direct" },
          "operation": { "type": "update_file", "path": "a.rs", "diff": "@@" } },
        { "type": "mcp_approval_request", "id": "mcpr_1", "server_label": "s", "name": "n", "arguments": "{}" },
    ]);
    let model = model(responses(), [responses_reply(&items), responses_reply(&json!([done()]))]);
    let mut session = Session::new().user("Go.");
    assert_eq!(run(&mut session, responses(), &model, false).await, RunEnd::NeedsApproval);
    let operation = json!({ "type": "update_file", "path": "b.rs", "diff": "@@" });
    session.approve_with("call_1", &operation).expect("it waits");
    let error = session.approve_with("mcpr_1", json!({ "name": "m" })).expect_err("the provider runs it");
    assert_eq!(
        error.to_string(),
        "the provider runs the call `mcpr_1` with the arguments of the model: approve or deny it"
    );
    session.approve("mcpr_1").expect("it waits");
    assert_eq!(run(&mut session, responses(), &model, false).await, RunEnd::Answered);
    let input = &model.requests()[1]["input"];
    let call = &input[1];
    assert_eq!((&call["type"], &call["call_id"]), (&json!("apply_patch_call"), &json!("call_1")));
    assert_eq!((&call["operation"], &call["caller"]["type"]), (&operation, &json!("direct")));
    assert_eq!(input[2], items[1]);
    assert_eq!(input[3]["output"], r#"b.rs: Some("@@")"#);
    assert_eq!(
        input[4],
        json!({ "type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": true })
    );
}

#[test]
fn settings_are_objects_and_fields_are_merged() {
    let registry = registry();
    let messages = [tool_runtime::message::Message::user("q")];
    let parts = tool_runtime::wire::RequestParts::new(&messages).tools(registry.schemas());
    let error = Anthropic::new().hosted_tool(json!("web_search")).write(&parts).expect_err("it is a string");
    assert_eq!(error.to_string(), "the definition of a hosted tool is not a JSON object: pass one");
    let error =
        Responses::new().client_tool(json!(7), "run_command").write(&parts).expect_err("it is a number");
    assert_eq!(
        error.to_string(),
        "the provider's definition of `run_command` is not a JSON object: pass one"
    );
    let wire = tool_runtime::wire::ChatCompletions::new()
        .hosted_tool(json!({ "type": "browser_search" }))
        .definition_fields(
            "run_command",
            json!({ "cache_control": { "type": "ephemeral" }, "function": { "strict": true } }),
        )
        .definition_fields("gone", json!({}));
    let body = wire.write(&parts).expect("it is written");
    assert_eq!(body.report().unknown_tools, ["gone"]);
    let tools = json(&body)["tools"].clone();
    assert_eq!(tools[0], json!({ "type": "browser_search" }));
    let tool =
        list(&tools).iter().find(|tool| tool["function"]["name"] == "run_command").expect("it is sent");
    assert_eq!(
        (&tool["function"]["strict"], &tool["cache_control"]["type"]),
        (&json!(true), &json!("ephemeral"))
    );
    assert_eq!(tool["function"]["description"], "Runs a command.");
}

#[tokio::test]
async fn a_text_that_resembles_an_output_is_text_and_a_malformed_call_is_a_function() {
    let items = json!([
        { "type": "shell_call", "id": "sh_1", "call_id": "call_1", "status": "completed", "action": { "commands": ["x"] } },
        { "type": "shell_call", "id": "sh_2", "call_id": "call_2", "status": "completed", "action": null },
        { "type": "shell_call", "id": "sh_3", "call_id": "call_3", "status": "completed", "action": { "commands": ["y"] },
          "environment": { "type": "container_reference", "container_id": "c" } },
        { "type": "shell_call_output", "id": "o_3", "call_id": "call_3", "status": "completed", "output": [] },
    ]);
    let reply = responses().read_reply(&responses_reply(&items).to_string()).expect("it is read");
    let ids: Vec<&str> = reply.tool_calls.iter().map(|call| &*call.id).collect();
    assert_eq!(ids, ["call_1", "call_2"], "the provider has run the third");
    let texts = [r#"{"stdout":"x","outcome":{}}"#, "[]", "ls"];
    for text in texts {
        let messages = [
            tool_runtime::message::Message::user("Go."),
            reply.clone().into(),
            tool_runtime::ToolMessage::new("call_1", text).into(),
            tool_runtime::ToolMessage::error("call_2", "invalid").into(),
        ];
        let body = json(&crate::write(&responses(), &messages));
        let input = list(&body["input"]);
        let output = |id: &str| {
            let is_output = |item: &&Value| item["call_id"] == id && item["output"] != Value::Null;
            input.iter().find(is_output).cloned().unwrap_or_default()
        };
        assert_eq!(output("call_1")["output"][0]["stdout"], text);
        assert_eq!(output("call_2")["type"], "function_call_output");
    }
}
