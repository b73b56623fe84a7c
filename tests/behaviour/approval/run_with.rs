//! A hook that replaces arguments, and one that asks a person.

use super::{Runs, all};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tool_runtime::dispatch::{CallEvent, CallStatus, Decision, HookArguments, ProposedCall};
use tool_runtime::message::Message;
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{
    AssistantMessage, CallError, DynamicTool, Registry, RegistryBuilder, RunContext, Session, ToolCall, tool,
    tools,
};
use tool_runtime_testing::{ScriptedModel, ScriptedReply};

/// Calls an API.
#[tool]
fn request(path: &str, token: Option<&str>) -> String {
    format!("{path} with {}", token.unwrap_or("no token"))
}

/// Calls an API on a thread.
#[tool(blocking, requires_approval)]
fn request_on_a_thread(path: &str, token: Option<&str>) -> String {
    format!("{path} with {}", token.unwrap_or("no token"))
}

/// Adds the token of the program to each call, whatever the model has sent.
async fn add_token(call: ProposedCall) -> Decision {
    let mut arguments: Value = serde_json::from_str(call.arguments()).expect("the arguments are valid");
    arguments["token"] = "secret".into();
    Decision::RunWith(arguments)
}

fn builder() -> RegistryBuilder {
    Registry::builder().tools(tools![request, request_on_a_thread])
}

fn model(tool: &str) -> ScriptedModel {
    let call = ToolCall::new("a", tool, r#"{"path":"/orders"}"#);
    ScriptedModel::new([
        ScriptedReply::from(AssistantMessage::from_tool_calls([call])),
        AssistantMessage::from_text("Done.").into(),
    ])
}

fn dynamic() -> DynamicTool {
    DynamicTool::new("request_dynamic", "Calls.", Value::Null, |arguments| async move {
        let text = |key: &str| arguments[key].as_str().unwrap_or_default().to_owned();
        Ok::<_, String>(format!("{} with {}", text("path"), text("token")))
    })
}

#[tokio::test]
async fn the_tool_gets_the_arguments_of_the_hook_and_the_history_keeps_those_of_the_model() {
    for tool in ["request", "request_on_a_thread", "request_dynamic"] {
        for has_middleware in [false, true] {
            let mut registry = builder().dynamic(dynamic()).before_call(add_token);
            if has_middleware {
                registry = registry.around_call(|call| async move {
                    assert_eq!(call.proposed_arguments(), r#"{"path":"/orders"}"#);
                    assert!(call.arguments().contains("secret"));
                    call.run().await
                });
            }
            let (registry, model) = (registry.build().expect("three tools"), model(tool));
            let (mut session, mut events) = (Session::new().user("Go."), Vec::new());
            let run = session.run(&registry).on_event(|event| {
                if let Event::Call(event) = event {
                    events.push(event.clone());
                }
            });
            let end = run.complete(|request| model.complete(request)).await.expect("valid");
            assert_eq!(end, RunEnd::Answered);
            assert_eq!(session.messages()[2].text(), "/orders with secret", "{tool} {has_middleware}");
            let Message::Assistant(reply) = &session.messages()[1] else { panic!("a reply") };
            assert_eq!(reply.tool_calls[0].arguments, r#"{"path":"/orders"}"#);

            assert_eq!(events.len(), 2);
            for event in events {
                let written = serde_json::to_value(&event).expect("it is JSON");
                assert_eq!(written["arguments"], r#"{"path":"/orders"}"#);
                let (CallStatus::Started { run_with, .. } | CallStatus::Finished { run_with, .. }) =
                    &event.status
                else {
                    panic!("{event:?}")
                };
                let run_with = run_with.as_ref().map(HookArguments::as_str);
                assert_eq!(run_with, Some(r#"{"path":"/orders","token":"secret"}"#));
                assert!(!format!("{event:?}").contains("token"), "{event:?}");
                let with_secret = serde_json::to_value(event.with_tool_arguments()).expect("it is JSON");
                assert_eq!(with_secret["arguments"], r#"{"path":"/orders","token":"secret"}"#);
            }
        }
    }
}

#[tokio::test]
async fn invalid_arguments_of_a_hook_are_an_error_without_them() {
    for arguments in [json!({"path": "/orders", "token": 7}), json!({"token": "secret"}), json!(["secret"])] {
        let hook = move |_| std::future::ready(Decision::RunWith(arguments.clone()));
        let registry = builder().before_call(hook).build().expect("two tools");
        let calls = [ToolCall::new("a", "request", r#"{"path":"/orders"}"#)];
        let events = Arc::<Mutex<Vec<CallEvent>>>::default();
        let received = Arc::clone(&events);
        let context =
            RunContext::new().on_event(move |event| received.lock().expect("no panic").push(event.clone()));
        let messages = registry.with(&context).dispatch(&calls).await;
        let text =
            "Error: the tool `request` was not run: the application replaced its arguments by invalid ones.";
        assert_eq!((messages[0].text(), messages[0].error_kind()), (text, Some("invalid_replacement")));
        let error = messages[0].outcome().and_then(|outcome| outcome.error());
        let Some(CallError::InvalidReplacement { source, .. }) = error else { panic!("{error:?}") };
        assert!(source.to_string().contains("`request`"), "{source}");
        let written = serde_json::to_string(&*events.lock().expect("no panic")).expect("it is JSON");
        assert!(!written.contains("secret") && written.contains("not_run"), "{written}");
    }
}

#[tokio::test]
async fn replaced_arguments_do_not_change_what_a_person_approves() {
    let registry = builder().before_call(|call: ProposedCall| async move {
        if call.is_approved() { add_token(call).await } else { Decision::Ask }
    });
    let (registry, model) = (registry.build().expect("two tools"), model("request"));
    let mut session = Session::new().user("Go.");
    let run = session.run(&registry);
    let end = run.complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval);
    assert_eq!(session.awaiting_approval()[0].arguments, r#"{"path":"/orders"}"#);
    session.approve("a").expect("it waits");
    let run = session.run(&registry);
    let end = run.complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, session.messages()[2].text()), (RunEnd::Answered, "/orders with secret"));
}

/// `Ask` needs a person, whatever the tool declares, until a person has decided.
#[tokio::test]
async fn a_hook_can_ask_a_person() {
    let runs = Arc::<Runs>::default();
    let registry =
        Registry::builder().tools(all()).state(Arc::clone(&runs)).before_call(|_| async { Decision::Ask });
    let registry = registry.build().expect("three tools");
    let calls =
        [ToolCall::new("a", "read", r#"{"path":"x"}"#), ToolCall::new("b", "delete", r#"{"path":"y"}"#)];
    let messages = registry.dispatch(&calls).await;
    assert!(messages.iter().all(|message| message.error_kind() == Some("needs_approval")), "{messages:?}");

    let model = ScriptedModel::new([
        ScriptedReply::from(AssistantMessage::from_tool_calls(calls)),
        AssistantMessage::from_text("Done.").into(),
    ]);
    let mut session = Session::new().user("Go.");
    let end = session.run(&registry).stream(|request| model.stream(request)).await.expect("valid");
    assert_eq!((end, session.awaiting_approval().len()), (RunEnd::NeedsApproval, 2));
    session.approve("a").expect("it waits");
    session.deny("b", "no").expect("it waits");
    let end = session.run(&registry).stream(|request| model.stream(request)).await.expect("valid");
    assert_eq!((end, session.messages()[2].text()), (RunEnd::Answered, "in x"));
}

#[tokio::test]
async fn a_waiting_call_can_be_printed_in_a_terminal() {
    let call = ToolCall::new("a", "delete", "{\"path\":\"a\\u001b[2K\u{202e}txt\u{9b}1A\"}");
    let runs = Arc::<Runs>::default();
    let registry = Registry::builder().tools(all()).state(runs).build().expect("three tools");
    let model = ScriptedModel::new([ScriptedReply::from(AssistantMessage::from_tool_calls([call]))]);
    let mut session = Session::new().user("Go.");
    let _ = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    for waiting in session.awaiting_approval() {
        let printed = waiting.to_string();
        assert!(printed.starts_with("delete {\"path\":\"a\\u001b[2K\\u202etxt"), "{printed}");
        assert!(printed.chars().all(|letter| !letter.is_control() && letter != '\u{202e}'), "{printed}");
    }
}

/// The program runs the call elsewhere, so it has the arguments of the hook; the event does not show them.
#[tokio::test]
async fn a_call_that_runs_elsewhere_has_the_arguments_of_the_hook() {
    let parameters = json!({"type": "object", "properties": {"path": {}, "token": {}}});
    let elsewhere = DynamicTool::external("request_elsewhere", "Calls.", parameters);
    let registry = builder().dynamic(elsewhere).before_call(add_token).build().expect("three tools");
    let (mut session, model, mut events) =
        (Session::new().user("Go."), model("request_elsewhere"), Vec::new());
    let run = session.run(&registry).on_event(|event| {
        if let Event::Call(event) = event {
            events.push(event.clone());
        }
    });
    let end = run.complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsResult);
    assert_eq!(session.awaiting_result()[0].arguments, r#"{"path":"/orders","token":"secret"}"#);
    let [.., event] = &events[..] else { panic!("an event") };
    assert!(matches!(event.status, CallStatus::NeedsResult { .. }), "{event:?}");
    let written = serde_json::to_string(event).expect("it is JSON");
    assert!(written.contains("/orders") && !written.contains("secret"), "{written}");
}
