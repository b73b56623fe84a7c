//! Requests with tools of the providers: tools that the provider runs, tools that the provider defines and the program runs,
//! further fields of definitions, calls of programs of the model, and approvals.

use crate::client_tool_functions::{
    apply_patch, do_actions, edit_file, memories, run_command, run_commands, use_computer,
};
use crate::{draw_chart, get_weather, print_body, run};
use serde_json::{Value, json};
use std::sync::Arc;
use tool_runtime::conversation::{Received, Request};
use tool_runtime::wire::{Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Responses, Wire};
use tool_runtime::{Conversation, Registry, ToolChoice, tools};

fn registry() -> Registry {
    Registry::new(tools![
        get_weather,
        draw_chart,
        run_command,
        edit_file,
        memories,
        use_computer,
        run_commands,
        apply_patch,
        do_actions
    ])
    .expect("nine tools")
}

fn anthropic() -> Anthropic {
    Anthropic::new()
        .hosted_tool(json!({ "type": "web_search_20250305", "name": "web_search", "max_uses": 3 }))
        .hosted_tool(json!({ "type": "code_execution_20260120", "name": "code_execution" }))
        .client_tool(json!({ "type": "bash_20250124", "name": "bash" }), "run_command")
        .client_tool(
            json!({ "type": "text_editor_20250728", "name": "str_replace_based_edit_tool", "max_characters": 9000 }),
            "edit_file",
        )
        .client_tool(json!({ "type": "memory_20250818", "name": "memory" }), "memories")
        .definition_fields(
            "get_weather",
            json!({ "input_examples": [{ "city": "Rome" }], "eager_input_streaming": true,
                "allowed_callers": ["direct", "code_execution_20260120"] }),
        )
        .definition_fields("draw_chart", json!({ "cache_control": { "type": "ephemeral", "ttl": "5m" } }))
        .definition_fields("apply_patch", json!({ "defer_loading": true }))
        .definition_fields("run_command", json!({ "input_examples": [{ "command": "ls" }] }))
}

fn anthropic_computer() -> Anthropic {
    Anthropic::new().client_tool(
        json!({ "type": "computer_20251124", "name": "computer", "display_width_px": 800, "display_height_px": 600 }),
        "use_computer",
    )
}

fn responses() -> Responses {
    Responses::new()
        .hosted_tool(json!({ "type": "web_search", "search_context_size": "low" }))
        .hosted_tool(json!({ "type": "mcp", "server_label": "shop", "server_url": "https://example.com",
            "require_approval": "always" }))
        .hosted_tool(json!({ "type": "programmatic_tool_calling" }))
        .client_tool(json!({ "type": "shell", "environment": { "type": "local" } }), "run_commands")
        .client_tool(json!({ "type": "apply_patch" }), "apply_patch")
        .client_tool(json!({ "type": "computer" }), "do_actions")
        .definition_fields(
            "get_weather",
            json!({ "allowed_callers": ["direct", "programmatic"], "output_schema": { "type": "string" } }),
        )
        .definition_fields("draw_chart", json!({ "defer_loading": false }))
        .definition_fields("run_commands", json!({ "allowed_callers": ["direct", "programmatic"] }))
}

fn anthropic_reply(blocks: &Value, reason: &str) -> Value {
    json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": blocks,
        "stop_reason": reason, "usage": { "input_tokens": 1, "output_tokens": 2 } })
}

fn responses_reply(items: &Value) -> Value {
    json!({ "id": "resp_1", "object": "response", "model": "m", "status": "completed", "output": items,
        "usage": { "input_tokens": 1, "output_tokens": 2 } })
}

/// Continues after an answer.
fn answer(chat: Conversation, wire: &dyn Wire, reply: &Value) -> Conversation {
    let reply = wire.read_reply(&reply.to_string()).expect("it is read");
    let Received::Answer(chat) = chat.receive(reply) else { panic!("no calls") };
    chat.user("Thank you.")
}

fn start() -> Conversation {
    Conversation::new().system("Be brief.").user("Go.")
}

fn tool_use(id: &str, name: &str, input: &Value) -> Value {
    json!({ "type": "tool_use", "id": id, "name": name, "input": input })
}

/// Calls of Anthropic's tools, one of which fails.
async fn calls_of_anthropics_tools(registry: &Registry) -> Conversation {
    let mut direct = tool_use("toolu_5", "get_weather", &json!({ "city": "Rome" }));
    direct["caller"] = json!({ "type": "direct" });
    let blocks = json!([
        { "type": "text", "text": "I look." },
        tool_use("toolu_1", "bash", &json!({ "command": "ls" })),
        tool_use("toolu_2", "bash", &json!({ "command": "false" })),
        tool_use("toolu_3", "str_replace_based_edit_tool",
            &json!({ "command": "view", "path": "/a", "view_range": [1, 2] })),
        tool_use("toolu_4", "memory", &json!({ "command": "view", "path": "/memories" })),
        direct,
        tool_use("toolu_6", "bash", &json!({ "restart": true })),
    ]);
    run(start(), &anthropic(), &anthropic_reply(&blocks, "tool_use"), registry).await
}

/// A call of Anthropic's computer.
async fn call_of_anthropics_computer(registry: &Registry) -> Conversation {
    let blocks =
        json!([tool_use("toolu_1", "computer", &json!({ "action": "left_click", "coordinate": [1, 2] }))]);
    run(start(), &anthropic_computer(), &anthropic_reply(&blocks, "tool_use"), registry).await
}

/// A program in Anthropic's container that calls a tool: before and after its end.
async fn program_in_anthropics_container(registry: &Registry) -> [Conversation; 2] {
    let mut call = tool_use("toolu_1", "get_weather", &json!({ "city": "Rome" }));
    call["caller"] = json!({ "type": "code_execution_20260120", "tool_id": "srvtoolu_1" });
    let mut failing = tool_use("toolu_2", "get_weather", &json!({ "city": "Atlantis" }));
    failing["caller"] = call["caller"].clone();
    let program = json!({ "type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution",
        "input": { "code": "await get_weather({\"city\": \"Rome\"})" }, "caller": { "type": "direct" } });
    let mut first = anthropic_reply(&json!([program, call, failing]), "tool_use");
    first["container"] = json!({ "id": "container_1", "expires_at": "2026-11-27T12:00:00Z" });
    let calling = run(start(), &anthropic(), &first, registry).await;
    let last = json!([
        { "type": "code_execution_tool_result", "tool_use_id": "srvtoolu_1", "content":
            { "type": "code_execution_result", "stdout": "sunny", "stderr": "", "return_code": 0, "content": [] } },
        { "type": "text", "text": "It is sunny." },
    ]);
    let ended = answer(calling.clone(), &anthropic(), &anthropic_reply(&last, "end_turn"));
    [calling, ended]
}

fn program_of_openai() -> Value {
    json!({ "type": "program", "id": "prog_1", "call_id": "call_p", "code": "await tools.get_weather()", "fingerprint": "f" })
}

fn output_of_program() -> Value {
    json!({ "type": "program_output", "id": "po_1", "call_id": "call_p", "result": "sunny", "status": "completed" })
}

fn text_of_openai() -> Value {
    json!({ "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{ "type": "output_text", "text": "Done.", "annotations": [], "logprobs": [] }] })
}

/// Calls of OpenAI's tools, some of which fail, and some of which a program makes.
async fn calls_of_openais_tools(registry: &Registry) -> Conversation {
    let program = json!({ "type": "program", "caller_id": "call_p" });
    let direct = json!({ "type": "direct" });
    let shell = |number: u8, commands: Value, limit: Option<u32>, caller: &Value| {
        json!({ "type": "shell_call", "id": format!("sh_{number}"), "call_id": format!("call_{number}"),
            "status": "completed", "environment": { "type": "local" }, "caller": caller,
            "action": { "commands": commands, "timeout_ms": 0, "max_output_length": limit } })
    };
    let patch = |number: u8, operation: Value, caller: &Value| {
        json!({ "type": "apply_patch_call", "id": format!("apc_{number}"), "call_id": format!("call_{number}"),
            "status": "completed", "operation": operation, "caller": caller })
    };
    let computer = |number: u8, actions: Value, checks: Value| {
        json!({ "type": "computer_call", "id": format!("cu_{number}"), "call_id": format!("call_{number}"),
            "status": "completed", "actions": actions, "pending_safety_checks": checks })
    };
    let checks = json!([{ "id": "sc_1", "code": "malicious_instructions", "message": "Look." }]);
    let items = json!([
        program_of_openai(),
        shell(1, json!(["ls", "pwd"]), Some(4096), &program),
        shell(2, json!(["false"]), None, &direct),
        shell(3, json!(["sleep"]), None, &Value::Null),
        patch(4, json!({ "type": "create_file", "path": "a.rs", "diff": "+a" }), &program),
        patch(5, json!({ "type": "update_file", "path": "a.rs", "diff": "@@" }), &direct),
        patch(6, json!({ "type": "delete_file", "path": "a.rs" }), &Value::Null),
        computer(7, json!([{ "type": "click", "button": "left", "x": 1, "y": 2 }, { "type": "screenshot" }]), checks),
        computer(8, json!([{ "type": "wait" }]), json!([])),
        { "type": "computer_call", "id": "cu_9", "call_id": "call_9", "status": "completed",
          "action": { "type": "type", "text": "a" }, "pending_safety_checks": [] },
    ]);
    run(start(), &responses(), &responses_reply(&items), registry).await
}

/// A program of OpenAI's model that calls a tool: before and after its end.
async fn program_in_openais_runtime(registry: &Registry) -> [Conversation; 2] {
    let call = |number: u8, city: &str| {
        json!({ "type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number}"),
            "name": "get_weather", "arguments": json!({ "city": city }).to_string(), "status": "completed",
            "caller": { "type": "program", "caller_id": "call_p" } })
    };
    let first = responses_reply(&json!([program_of_openai(), call(1, "Rome"), call(2, "Atlantis")]));
    let calling = run(start(), &responses(), &first, registry).await;
    let last = responses_reply(&json!([output_of_program(), text_of_openai()]));
    let ended = answer(calling.clone(), &responses(), &last);
    [calling, ended]
}

/// A request for an approval of a call of an MCP server that is approved and denied, and the conversation after the call.
async fn approvals(registry: &Registry) -> [Conversation; 3] {
    let first = responses_reply(&json!([
        { "type": "mcp_list_tools", "id": "mcpl_1", "server_label": "shop", "tools": [
            { "name": "refund", "description": "Refunds.", "input_schema": { "type": "object" }, "annotations": null }] },
        { "type": "mcp_approval_request", "id": "mcpr_1", "server_label": "shop", "name": "refund",
          "arguments": r#"{"order":7}"# },
    ]));
    let pending = || {
        let reply = responses().read_reply(&first.to_string()).expect("it is read");
        let Received::ToolCalls(pending) = start().receive(reply) else { panic!("it calls") };
        pending
    };
    let (mut approved, mut denied) = (pending(), pending());
    approved.approve("mcpr_1").expect("it waits");
    denied.deny("mcpr_1", "it is too much").expect("it waits");
    let (approved, denied) = (approved.dispatch(registry).await, denied.dispatch(registry).await);
    let last = responses_reply(&json!([
        { "type": "mcp_call", "id": "mcp_1", "server_label": "shop", "name": "refund", "arguments": r#"{"order":7}"#,
          "approval_request_id": "mcpr_1", "output": "ok", "error": null, "status": "completed" },
        text_of_openai(),
    ]));
    let called = answer(approved.clone(), &responses(), &last);
    [approved, denied, called]
}

/// A search that Gemini runs, next to a call of a function.
async fn search_of_gemini(registry: &Registry) -> Conversation {
    let parts = json!([
        { "toolCall": { "toolType": "GOOGLE_SEARCH_WEB", "args": { "queries": ["weather"] }, "id": "s1" },
          "thoughtSignature": "EqQBCgIYAhIM" },
        { "toolResponse": { "toolType": "GOOGLE_SEARCH_WEB", "response": { "search_suggestions": "x" }, "id": "s1" },
          "thoughtSignature": "EqQBCgIYAhIM" },
        { "functionCall": { "name": "get_weather", "args": { "city": "Rome" }, "id": "f1" },
          "thoughtSignature": "EqQBCgIYAhIM" },
    ]);
    let reply = json!({ "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": "STOP" }],
        "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 2 }, "responseId": "r1" });
    run(start(), &Gemini::new(), &reply, registry).await
}

/// Prints the conversations with tools of the providers, and those of other modules, on each wire with tools of its provider.
pub(crate) async fn print(few: &Registry, others: &[(&str, Conversation)]) {
    let registry = registry();
    let [calling, ended] = program_in_anthropics_container(&registry).await;
    let [openai_calling, openai_ended] = program_in_openais_runtime(&registry).await;
    let [approved, denied, called] = approvals(&registry).await;
    let mut chats = vec![
        ("calls of Anthropic's tools", calls_of_anthropics_tools(&registry).await),
        ("a program in Anthropic's container", calling),
        ("after a program in Anthropic's container", ended),
        ("calls of OpenAI's tools", calls_of_openais_tools(&registry).await),
        ("a program of OpenAI's model", openai_calling),
        ("after a program of OpenAI's model", openai_ended),
        ("an approved call of a server", approved),
        ("a denied call of a server", denied),
        ("after a call of a server", called),
        ("a search of Gemini", search_of_gemini(&registry).await),
    ];
    chats.extend_from_slice(others);
    let gemini = Gemini::new().hosted_tool(json!({ "googleSearch": {} }));
    let interactions = GeminiInteractions::new()
        .hosted_tool(json!({ "type": "google_search", "search_types": ["web_search"] }))
        .hosted_tool(json!({ "type": "code_execution" }));
    let bedrock = Bedrock::new()
        .hosted_tool(json!({ "systemTool": { "name": "nova_grounding" } }))
        .definition_fields("get_weather", json!({ "strict": true }));
    let wires: [(&str, Arc<dyn Wire>); 11] = [
        ("", Arc::new(ChatCompletions::new())),
        ("", Arc::new(anthropic())),
        (", strict", Arc::new(anthropic().strict(true))),
        ("", Arc::new(responses())),
        (", strict", Arc::new(responses().strict(true).native_allowed_tools(true))),
        (", not stored", Arc::new(responses().store(false))),
        (", continued", Arc::new(responses().previous_response(true))),
        ("", Arc::new(gemini.clone())),
        ("", Arc::new(interactions.clone())),
        (", not stored", Arc::new(interactions.store(false))),
        ("", Arc::new(bedrock.clone())),
    ];
    for (settings, wire) in &wires {
        for (name, chat) in &chats {
            // The client's types require the ids of these items. Without `store`, a request has none.
            let needs_ids = name.contains("OpenAI") || name.contains("server");
            if !(needs_ids && wire.name() == "responses" && *settings == ", not stored") {
                let name = format!("{name}, tools of the provider{settings}");
                crate::print(&name, wire, &chat.request(&registry));
            }
        }
        print_choices(settings, wire, &start().request(&registry));
    }
    let computer: Arc<dyn Wire> = Arc::new(anthropic_computer());
    let chat = call_of_anthropics_computer(&registry).await;
    crate::print("a call of the computer", &computer, &chat.request(&registry));

    // Tools of the provider alone.
    let none = Registry::new(tools![]).expect("no tools");
    let gemini: Arc<dyn Wire> = Arc::new(gemini);
    for (_, wire) in wires.iter().filter(|(settings, _)| settings.is_empty()) {
        crate::print("only tools of the provider", wire, &start().request(&none));
    }
    let search = search_of_gemini(&registry).await;
    for (name, registry) in [("without functions", &none), ("with functions", few)] {
        for (choice, tool_choice) in [("", ToolChoice::Auto), (", required", ToolChoice::Required)] {
            let request = search.request(registry).tool_choice(tool_choice).wire(Arc::clone(&gemini));
            let body = request.body().expect("it is written");
            let body = body.with("toolConfig", json!({ "includeServerSideToolInvocations": true }));
            print_body(&format!("a combined search, {name}{choice}"), &gemini, body);
        }
    }
}

/// Prints the request with each tool choice.
fn print_choices(settings: &str, wire: &Arc<dyn Wire>, request: &Request) {
    let tools = ["run_command", "run_commands", "apply_patch", "do_actions", "get_weather"];
    let named = tools.map(|tool| ToolChoice::Tool(tool.to_owned()));
    for choice in [ToolChoice::None, ToolChoice::Required].into_iter().chain(named) {
        let request = request.clone().tool_choice(choice.clone()).parallel_calls(false);
        crate::print(&format!("tools of the provider{settings}, {choice:?}"), wire, &request);
    }
    let name = format!("tools of the provider{settings}, allowed tools");
    crate::print(&name, wire, &request.clone().allowed_tools(tools));
}
