//! Calls of programs of the model: their callers, their container, and the schemas of their results.

use crate::client_tool_functions::run_command;
use crate::client_tools::{anthropic_reply, done, model, registry, responses_reply, run};
use crate::{json, list};
use serde_json::json;
use std::sync::{Arc, Mutex};
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::wire::{Anthropic, Responses, Wire};
use tool_runtime::{Registry, Session, tool, tools};

#[tokio::test]
async fn a_program_of_the_model_calls_tools_in_anthropics_container() {
    let call = json!({ "type": "tool_use", "id": "a", "name": "run_command", "input": { "command": "ls" },
        "caller": { "type": "code_execution_20260120", "tool_id": "srvtoolu_1" } });
    let program = json!({ "type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": { "code": "c" } });
    let output = json!({ "type": "code_execution_tool_result", "tool_use_id": "srvtoolu_1", "content":
        { "type": "code_execution_result", "stdout": "s", "stderr": "", "return_code": 0, "content": [] } });
    let wire = || {
        Anthropic::new()
            .hosted_tool(json!({ "type": "code_execution_20260120", "name": "code_execution" }))
            .definition_fields("run_command", json!({ "allowed_callers": ["code_execution_20260120"] }))
    };
    for is_streamed in [false, true] {
        let container = json!({ "id": "container_1", "expires_at": "2026-11-27T12:00:00Z" });
        let mut first = anthropic_reply(&json!([program, call]));
        first["container"] = container.clone();
        let last = anthropic_reply(&json!([output, { "type": "text", "text": "Done." }]));
        let model =
            model(wire(), [first, last, anthropic_reply(&json!([{ "type": "text", "text": "Bye." }]))]);
        let mut session = Session::new().user("Go.");
        assert_eq!(run(&mut session, wire(), &model, is_streamed).await, RunEnd::Answered);
        session.push_user("Bye.");
        assert_eq!(run(&mut session, wire(), &model, is_streamed).await, RunEnd::Answered);
        let [first, second, third] = &model.requests()[..] else { panic!("three requests") };
        assert_eq!(first["tools"][0]["name"], "code_execution");
        let function =
            list(&first["tools"]).iter().find(|tool| tool["name"] == "run_command").expect("it is sent");
        assert_eq!(function["allowed_callers"], json!(["code_execution_20260120"]));
        assert_eq!(first.get("container"), None);
        assert_eq!(second["messages"][1]["content"], json!([program, call]), "the caller goes back");
        assert_eq!(second["messages"][2]["content"].as_array().map(Vec::len), Some(1), "only the result");
        if !is_streamed {
            // The chunks of a given reply have no container.
            assert_eq!(second["container"], "container_1");
        }
        assert_eq!(third.get("container"), None, "a container expires");
        assert_eq!(third["messages"][3]["content"][0], output);
    }
}

#[test]
fn a_streamed_reply_has_its_container() {
    let events = [
        json!({ "type": "message_start", "message": { "id": "msg_1", "model": "m", "usage": {} } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "tool_use", "id": "a", "name": "f", "input": {} } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use", "container": { "id": "container_1" } }, "usage": {} }),
        json!({ "type": "message_stop" }),
    ];
    let mut assembler = tool_runtime::stream::ReplyAssembler::new();
    for event in events {
        let _ = assembler.push(Anthropic::new().read_event(&event.to_string()));
    }
    let reply = assembler.into_reply().expect("it is complete");
    let result = tool_runtime::ToolMessage::new("a", "r");
    let messages = [tool_runtime::message::Message::user("q"), reply.into(), result.into()];
    assert_eq!(json(&crate::write(&Anthropic::new(), &messages))["container"], "container_1");
}

#[tokio::test]
async fn the_result_of_a_call_has_its_caller() {
    let caller = json!({ "type": "program", "caller_id": "call_p" });
    let program = json!({ "type": "program", "id": "prog_1", "call_id": "call_p", "code": "run_command({})", "fingerprint": "f" });
    let call = json!({ "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "run_command",
        "arguments": r#"{"command":"ls"}"#, "status": "completed", "caller": caller });
    let output = json!({ "type": "program_output", "id": "po_1", "call_id": "call_p", "result": "ls", "status": "completed" });
    let wire =
        || Responses::new().definition_fields("run_command", json!({ "allowed_callers": ["programmatic"] }));
    for is_streamed in [false, true] {
        let model = model(
            wire(),
            [responses_reply(&json!([program, call])), responses_reply(&json!([output, done()]))],
        );
        let events = Arc::new(Mutex::new(Vec::new()));
        let mut session = Session::new().user("Go.");
        let registry = registry();
        let seen = Arc::clone(&events);
        let run = session.run(&registry).wire(wire()).on_event(move |event| {
            if let Event::Call(call) = event {
                seen.lock().expect("no panic").push(call.tool.clone());
            }
        });
        let end = if is_streamed {
            run.stream(|request| model.stream(request)).await
        } else {
            run.complete(|request| model.complete(request)).await
        };
        assert_eq!(end.expect("the requests are accepted"), RunEnd::Answered);
        let second = &model.requests()[1];
        assert_eq!(list(&second["input"])[1..3], [program.clone(), call.clone()]);
        assert_eq!(
            second["input"][3],
            json!({ "type": "function_call_output", "call_id": "call_1", "output": r#"Some("ls") None"#, "caller": caller })
        );
        let events = events.lock().expect("no panic").clone();
        assert!(!events.is_empty() && events.iter().all(|tool| tool == "run_command"), "{events:?}");
    }
}

#[test]
fn a_definition_has_the_schema_of_its_result_if_the_wire_sends_it() {
    /// The time.
    #[tool(read_only, output_schema)]
    fn clock() -> u8 {
        12
    }

    let registry = Registry::new(tools![clock, run_command]).expect("two tools");
    let messages = [tool_runtime::message::Message::user("q")];
    let parts = tool_runtime::wire::RequestParts::new(&messages).tools(registry.schemas());
    for is_sent in [false, true] {
        let wire = Responses::new().output_schemas(is_sent);
        let body = json(&wire.write(&parts).expect("it is written"));
        assert_eq!(tool_runtime_testing::check_request(&wire, &body), Ok(()));
        let declared = registry.tool("clock").and_then(|tool| tool.output_schema.cloned());
        assert_eq!(body["tools"][0].get("output_schema").cloned(), declared.filter(|_| is_sent));
        assert_eq!(body["tools"][1].get("output_schema"), None);
    }
}
