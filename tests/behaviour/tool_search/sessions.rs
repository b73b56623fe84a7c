//! Sessions whose model calls tools with `call_tool`.

use super::{builder, call, registry};
use serde_json::json;
use tool_runtime::conversation::{PendingCalls, Received};
use tool_runtime::message::Message;
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::wire::{self, Wire};
use tool_runtime::{AssistantMessage, Conversation, Session, ToolCall};
use tool_runtime_testing::{ScriptedModel, assert_called, assert_valid, called_tools};

fn calling(calls: impl IntoIterator<Item = ToolCall>) -> AssistantMessage {
    AssistantMessage::from_tool_calls(calls)
}

fn stored(session: &Session) -> Session {
    let text = serde_json::to_string(session).expect("it can be stored");
    serde_json::from_str(&text).expect("it can be loaded")
}

#[tokio::test]
async fn an_approval_shows_and_edits_the_tool_itself() {
    let registry = registry();
    let replies = [
        calling([
            call("a", "delete_file", json!({"path": "a.txt"})),
            call("b", "delete_file", json!({"path": "b.txt"})),
            call("c", "delete_file", json!({"path": "c.txt"})),
        ]),
        AssistantMessage::from_text("Done."),
    ];
    let model = ScriptedModel::new(replies);
    let mut session = Session::new().user("Clean up.");
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval);
    let mut session = stored(&session);
    let waiting = session.awaiting_approval();
    assert_eq!(waiting[0].tool, "delete_file");
    assert_eq!(waiting[0].arguments, r#"{"path":"a.txt"}"#);
    session.approve("a").expect("it waits");
    session.approve_with("b", json!({"path": "other.txt"})).expect("it waits");
    session.deny("c", "").expect("it waits");
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
    let results: Vec<_> = session.messages()[2..5].iter().map(|message| message.text().to_owned()).collect();
    let denied = "Error: the call of `delete_file` was denied.";
    assert_eq!(results, ["a.txt is deleted", "other.txt is deleted", denied]);
    assert_valid(&session);
    // The history has the calls of the model, with the edited arguments.
    let requests = model.requests();
    let written = &requests[1]["messages"][1]["tool_calls"][1]["function"];
    assert_eq!(written["name"], "call_tool");
    let edited = json!({"name": "delete_file", "arguments": {"path": "other.txt"}});
    let arguments: serde_json::Value =
        serde_json::from_str(written["arguments"].as_str().expect("a string")).expect("it is JSON");
    assert_eq!(arguments, edited);
    assert_eq!(called_tools(&session), ["delete_file"; 3]);
    assert_called(&session, "delete_file", json!({"path": "other.txt"}));
}

#[tokio::test]
async fn edited_arguments_that_are_invalid_wait_again() {
    let registry = registry();
    let reply = calling([call("a", "delete_file", json!({"path": "a.txt"}))]);
    let model = ScriptedModel::new([reply, AssistantMessage::from_text("Done.")]);
    let mut session = Session::new().user("Clean up.");
    let _ = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    session.approve_with("a", json!({"paht": "b.txt"})).expect("it waits");
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval);
    let waiting = session.awaiting_approval();
    assert!(
        waiting[0].error.as_deref().is_some_and(|error| error.contains("`path` is missing")),
        "{waiting:?}"
    );
    assert_eq!(waiting[0].arguments, r#"{"paht":"b.txt"}"#);
    session.approve_with("a", json!({"path": "b.txt"})).expect("it waits");
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
    assert_eq!(session.messages()[2].text(), "b.txt is deleted");
}

/// A person who edits the arguments of one tool never approves another one.
#[tokio::test]
async fn an_edit_is_for_the_shown_tool_also_if_the_arguments_of_call_tool_are_repaired() {
    let registry = builder().lenient_arguments(true).build().expect("the tools are valid");
    let reply = || {
        calling([ToolCall::new("a", "call_tool", r#"{"name":"delete_file","arguments":{"path":"a.txt"},}"#)])
    };
    let edit = json!({"path": "b.txt", "name": "send_invoice"});

    let model = ScriptedModel::new([reply(), AssistantMessage::from_text("Done.")]);
    let mut session = Session::new().user("Clean up.");
    let _ = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    let mut session = stored(&session);
    assert_eq!(session.awaiting_approval()[0].tool, "delete_file");
    session.approve_with("a", &edit).expect("it waits");
    let mut session = stored(&session);
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval);
    let error = session.awaiting_approval()[0].error.clone().expect("the arguments are invalid");
    assert!(error.contains("invalid arguments for `delete_file`: `name` is not an argument"), "{error}");

    // The same before a first run.
    let Received::ToolCalls(mut pending) = Conversation::new().user("Clean up.").receive(reply()) else {
        panic!("it calls a tool");
    };
    pending.approve_with("a", json!({"path": "b.txt"})).expect("it waits");
    assert!(pending.is_approved("a") && pending.awaiting_approval().is_empty());
    let text = serde_json::to_string(&pending).expect("it can be stored");
    let pending: PendingCalls = serde_json::from_str(&text).expect("it can be loaded");
    let chat = pending.dispatch(&registry).await;
    assert_eq!(chat.messages()[2].text(), "b.txt is deleted");
}

#[tokio::test]
async fn pending_calls_show_the_tool_itself() {
    let registry = registry();
    let reply = calling([call("a", "delete_file", json!({"path": "a.txt"}))]);
    let Received::ToolCalls(mut pending) = Conversation::new().user("Clean up.").receive(reply) else {
        panic!("it calls a tool");
    };
    pending.run(&registry).await;
    let waiting = &pending.awaiting_approval()[0];
    assert_eq!((&*waiting.tool, &*waiting.arguments), ("delete_file", r#"{"path":"a.txt"}"#));
    pending.approve_with("a", r#"{"path":"b.txt"}"#).expect("it waits");
    let chat = pending.dispatch(&registry).await;
    assert_eq!(chat.messages()[2].text(), "b.txt is deleted");
}

#[tokio::test]
async fn events_have_the_tool_itself() {
    let registry = registry();
    let reply = calling([call("a", "get_weather", json!({"city": "Rome"}))]);
    let model = ScriptedModel::new([reply, AssistantMessage::from_text("Sunny.")]);
    let mut session = Session::new().user("Weather?");
    let mut tools = Vec::new();
    let run = session.run(&registry).on_event(|event: &Event| {
        if let Event::Call(event) = event {
            tools.push(event.tool.clone());
        }
    });
    let end = run.stream(|request| model.stream(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
    assert_eq!(tools, ["get_weather", "get_weather"]);
    assert_eq!(session.messages()[2].text(), "Rome in 0 days: sunny");
}

#[tokio::test]
async fn an_interrupted_call_continues_as_its_tool_allows() {
    let registry = registry();
    let calls = [
        call("a", "get_weather", json!({"city": "Rome"})),
        call("b", "send_invoice", json!({"customer": 7})),
    ];
    let Received::ToolCalls(pending) = Conversation::new().user("Go.").receive(calling(calls)) else {
        panic!("it calls tools");
    };
    // A process that ended while both calls ran.
    let mut stored = serde_json::to_value(&pending).expect("it can be stored");
    let text = stored.to_string();
    assert!(text.contains("call_tool"));
    for state in stored["calls"].as_array_mut().into_iter().flatten() {
        state["has_begun"] = json!(true);
    }
    let Ok(pending) = serde_json::from_value::<PendingCalls>(stored.clone()) else {
        panic!("it can be loaded: {stored}");
    };
    let chat = pending.dispatch(&registry).await;
    let texts: Vec<_> = chat.messages()[2..].iter().map(|message| message.text().to_owned()).collect();
    assert_eq!(texts[0], "Rome in 0 days: sunny");
    assert_eq!(
        texts[1],
        "Error: `send_invoice` was interrupted. It may have taken effect: check whether it did."
    );
}

#[tokio::test]
async fn requests_of_every_wire_are_valid_after_a_call() {
    let registry = registry();
    let wires: [Box<dyn Wire>; 7] = [
        Box::new(wire::ChatCompletions::new()),
        Box::new(wire::Anthropic::new()),
        Box::new(wire::Responses::new()),
        Box::new(wire::Gemini::new()),
        Box::new(wire::GeminiInteractions::new()),
        Box::new(wire::Bedrock::new()),
        Box::new(wire::Ollama::new()),
    ];
    for wire in wires {
        let wire = std::sync::Arc::new(wire);
        let replies = [
            calling([ToolCall::new("s", "search_tools", r#"{"query":"weather"}"#)]),
            calling([call("a", "get_weather", json!({"city": "Rome"})), call("b", "now", json!({}))]),
            AssistantMessage::from_text("Sunny."),
        ];
        // The model checks the rules of the provider.
        let model = ScriptedModel::new(replies).wire(std::sync::Arc::clone(&wire));
        let mut session = Session::new().user("Weather?");
        let run = session.run(&registry).wire(wire).complete(|request| model.complete(request)).await;
        assert_eq!(run.expect("the requests are valid"), RunEnd::Answered);
        assert_valid(&session);
    }
}

#[tokio::test]
async fn a_truncated_call_does_not_run() {
    let registry = registry();
    let reply = calling([call("a", "get_weather", json!({"city": "Rome"}))]);
    let Received::ToolCalls(pending) = Conversation::new().user("Go.").receive(reply) else {
        panic!("it calls a tool");
    };
    let mut stored = serde_json::to_value(&pending).expect("it can be stored");
    stored["reply"]["tool_calls"][0]["is_truncated"] = json!(true);
    let pending: PendingCalls = serde_json::from_value(stored).expect("it can be loaded");
    assert!(pending.calls()[0].is_truncated());
    let chat = pending.dispatch(&registry).await;
    let text = chat.messages()[2].text();
    assert!(
        text.starts_with("Error: the call of `get_weather` was not run: the reply was truncated"),
        "{text}"
    );
}

#[tokio::test]
async fn the_result_has_the_name_of_the_call_that_it_belongs_to() {
    let registry = registry();
    let reply = calling([call("a", "get_weather", json!({"city": "Rome"}))]);
    let Received::ToolCalls(pending) = Conversation::new().user("Weather?").receive(reply) else {
        panic!("it calls a tool");
    };
    let chat = pending.dispatch(&registry).await;
    let Message::Tool(result) = &chat.messages()[2] else { panic!("a result follows the reply") };
    assert_eq!(result.tool(), Some("call_tool"));
    let body = serde_json::to_value(
        chat.request(&registry).wire(wire::Ollama::new()).body().expect("it can be written"),
    );
    let body = body.expect("it is JSON");
    assert_eq!(body["messages"][1]["tool_calls"][0]["function"]["name"], "call_tool");
    assert_eq!(body["messages"][2]["tool_name"], "call_tool");
}
