//! Calls of `call_tool`, and of tools that the request does not contain.

use super::{builder, call, content, named, registry};
use serde_json::json;
use std::sync::{Arc, Mutex};
use tool_runtime::conversation::Received;
use tool_runtime::dispatch::{Decision, ProposedCall, ReadyCall};
use tool_runtime::search::Search;
use tool_runtime::session::RunEnd;
use tool_runtime::{
    AssistantMessage, CallError, Conversation, Registry, RunContext, Session, ToolCall, ToolMessage,
};
use tool_runtime_testing::{ScriptedModel, assert_called};

#[tokio::test]
async fn a_deferred_tool_runs_by_call_tool_and_by_its_own_name() {
    let registry = registry();
    let calls = [
        call("1", "get_weather", json!({"city": "Rome", "days": 2})),
        ToolCall::new("2", "get_weather", r#"{"city":"Rome"}"#),
        call("3", "now", json!({})),
    ];
    let messages = registry.dispatch(&calls).await;
    let texts: Vec<_> = messages.iter().map(ToolMessage::text).collect();
    assert_eq!(texts, ["Rome in 2 days: sunny", "Rome in 0 days: sunny", "12:00"]);
    let ids: Vec<_> = messages.iter().map(|message| &*message.tool_call_id).collect();
    assert_eq!(ids, ["1", "2", "3"]);
}

#[tokio::test]
async fn the_arguments_are_an_object_a_string_or_absent() {
    let registry = registry();
    for arguments in [
        r#"{"name":"get_weather","arguments":{"city":"Rome"}}"#,
        r#"{"name":"get_weather","arguments":"{\"city\":\"Rome\"}"}"#,
        r#"{"arguments":"{\"city\":\"R\\u006fme\"}","name":"get\u005fweather"}"#,
    ] {
        let text = content(&registry, ToolCall::new("1", "call_tool", arguments)).await;
        assert_eq!(text, "Rome in 0 days: sunny", "{arguments}");
    }
    for arguments in
        [r#"{"name":"now"}"#, r#"{"name":"now","arguments":null}"#, r#"{"name":"now","arguments":""}"#]
    {
        assert_eq!(
            content(&registry, ToolCall::new("1", "call_tool", arguments)).await,
            "12:00",
            "{arguments}"
        );
    }
}

#[tokio::test]
async fn invalid_arguments_of_a_deferred_tool_get_its_signature() {
    let registry = registry();
    let text = content(&registry, call("1", "get_weather", json!({"town": "Rome"}))).await;
    assert!(text.starts_with("Error: invalid arguments for `get_weather`: `city` is missing"), "{text}");
    assert!(text.contains("get_weather(city: string (The name of the city.), days?: integer"), "{text}");
    let by_name = content(&registry, ToolCall::new("1", "get_weather", r#"{"town":"Rome"}"#)).await;
    assert_eq!(by_name, text);
    let broken = r#"{"name":"get_weather","arguments":"{\"city\":"}"#;
    let text = content(&registry, ToolCall::new("1", "call_tool", broken)).await;
    assert!(text.starts_with("Error: the arguments of `get_weather` are truncated"), "{text}");
    assert!(text.contains("get_weather(city: string"), "{text}");
    let flat = ToolCall::new("1", "call_tool", r#"{"name":"get_weather","city":"Rome"}"#);
    let text = content(&registry, flat).await;
    assert!(text.contains("`city` is not an argument"), "{text}");
    assert!(
        text.contains("Pass the arguments of the tool in `arguments`. Its signature: get_weather("),
        "{text}"
    );
    let context = RunContext::new().allowed_tools(["now"]);
    let text = content(
        &registry.with(&context),
        ToolCall::new("1", "call_tool", r#"{"name":"get_weather","city":"Rome"}"#),
    )
    .await;
    assert!(!text.contains("get_weather"), "{text}");
    // The model has read the definition of a pinned tool.
    let text = content(&registry, call("1", "now", json!({"zone": "UTC"}))).await;
    assert!(text.starts_with("Error: invalid arguments for `now`") && !text.contains("Signature"), "{text}");
}

#[tokio::test]
async fn the_error_of_a_call_of_a_removed_tool_suggests_the_nearest_one() {
    let registry = registry();
    let text = content(&registry, call("1", "get_wether", json!({"city": "Rome"}))).await;
    let start = "Error: there is no tool `get_wether`. Call `get_weather` instead: {\"name\": \"get_weather\", \"arguments\": {\"city\":\"Rome\"}}";
    assert_eq!(
        text.strip_prefix(start),
        Some("\nSignature: get_weather(city: string (The name of the city.), days?: integer = 0)")
    );
    // No name is similar as a text: the words decide.
    let text = content(&registry, call("1", "invoice_send", json!({}))).await;
    assert!(
        text.starts_with("Error: there is no tool `invoice_send`. Call `send_invoice` instead."),
        "{text}"
    );
    assert!(text.contains("send_invoice(customer: integer)"), "{text}");
    // One shared word of several is not enough.
    let text = content(&registry, ToolCall::new("1", "invoice_customer_archive", "{}")).await;
    assert_eq!(
        text,
        "Error: there is no tool `invoice_customer_archive`. Find other tools with `search_tools`."
    );
}

#[tokio::test]
async fn a_tool_that_is_not_allowed_is_neither_called_nor_suggested() {
    let registry = registry();
    let context = RunContext::new().allowed_tools(["get_weather"]);
    let bound = registry.with(&context);
    let text = content(&bound, call("1", "delete_file", json!({"path": "a"}))).await;
    assert!(text.starts_with("Error: the tool `delete_file` may not be called now."), "{text}");
    let text = content(&bound, call("1", "delete_fil", json!({"path": "a"}))).await;
    assert!(
        text.starts_with("Error: there is no tool `delete_fil`. ") && !text.contains("delete_file"),
        "{text}"
    );
    assert_eq!(
        content(&bound, call("1", "get_weather", json!({"city": "Rome"}))).await,
        "Rome in 0 days: sunny"
    );
    assert!(
        bound.tool("search_tools").is_some_and(|tool| tool.is_allowed)
            && bound.tool("get_weather").is_some_and(|tool| tool.is_allowed)
            && !bound.tool("delete_file").is_some_and(|tool| tool.is_allowed)
    );
    let subset = registry.subset(["get_weather"]).expect("it is there");
    let text = content(&subset, call("1", "delete_file", json!({"path": "a"}))).await;
    assert!(text.starts_with("Error: there is no tool `delete_file`. ") && !text.contains("mean"), "{text}");
}

#[tokio::test]
async fn call_tool_cannot_call_itself() {
    let registry = registry();
    let nested = call("1", "call_tool", json!({"name": "now", "arguments": {}}));
    let text = content(&registry, nested).await;
    assert_eq!(
        text,
        "Error: `call_tool` cannot call itself. Pass the name and the arguments of another tool."
    );
    let text = content(&registry, call("1", "search_tools", json!({"query": "weather"}))).await;
    assert!(text.contains("get_weather"), "{text}");
}

#[tokio::test]
async fn invalid_arguments_of_call_tool_are_an_error_about_them() {
    let registry = registry();
    for (arguments, error) in [
        ("", "Error: invalid arguments for `call_tool`: `name` is missing"),
        ("[]", "Error: the arguments of `call_tool` must be one JSON object, not a list."),
        (r#"["now",{}]"#, "Error: the arguments of `call_tool` must be one JSON object, not a list."),
        (r#"{"name":"#, "Error: the arguments of `call_tool` are truncated"),
        (r#"{"name":7}"#, "Error: invalid arguments for `call_tool`: `name`: expected a string"),
        (
            r#"{"name":"now","zone":"UTC"}"#,
            "Error: invalid arguments for `call_tool`: `zone` is not an argument",
        ),
        (
            r#"{"name":"now","arguments":[1]}"#,
            "Error: the arguments of `now` must be one JSON object, not a list.",
        ),
    ] {
        let text = content(&registry, ToolCall::new("1", "call_tool", arguments)).await;
        assert!(text.starts_with(error), "{arguments}: {text}");
    }
}

#[tokio::test]
async fn lenient_arguments_are_repaired_in_both_layers() {
    let registry = builder().lenient_arguments(true).build().expect("the tools are valid");
    for arguments in [
        r#"{"name":"get_weather","arguments":{"city":"Rome","days":"2"}}"#,
        r#"{"name":"get_weather","arguments":{"city":"Rome","days":2,}}"#,
        r#"```json
{"name":"get_weather","arguments":{"city":"Rome","days":2}}
```"#,
    ] {
        let text = content(&registry, ToolCall::new("1", "call_tool", arguments)).await;
        assert_eq!(text, "Rome in 2 days: sunny", "{arguments}");
    }
}

#[tokio::test]
async fn hooks_middleware_and_events_have_the_tool_itself() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let [of_hook, of_layer, of_event] = [(); 3].map(|()| Arc::clone(&seen));
    let record = |seen: &Mutex<Vec<String>>, text: String| seen.lock().expect("no panic").push(text);
    let registry = builder()
        .before_call(move |call: ProposedCall| {
            record(&of_hook, format!("hook {} {}", call.tool(), call.arguments()));
            async { Decision::Undecided }
        })
        .around_call(move |call: ReadyCall| {
            record(&of_layer, format!("layer {} {}", call.tool(), call.arguments()));
            async move { call.run().await }
        })
        .build()
        .expect("the tools are valid");
    let context = RunContext::new().on_event(move |event| record(&of_event, format!("event {}", event.tool)));
    let arguments = json!({"city": "Rome"});
    let messages = registry.with(&context).dispatch(&[call("1", "get_weather", arguments)]).await;
    assert_eq!(messages[0].text(), "Rome in 0 days: sunny");
    let expected = [
        r#"hook get_weather {"city":"Rome"}"#,
        "event get_weather",
        r#"layer get_weather {"city":"Rome"}"#,
        "event get_weather",
    ];
    assert_eq!(*seen.lock().expect("no panic"), expected);
}

#[tokio::test]
async fn the_limits_are_those_of_the_tool() {
    let registry = registry();
    let bound = registry.with(&RunContext::new());
    assert_eq!(content(&bound, call("1", "send_invoice", json!({"customer": 7}))).await, "sent to 7");
    let text = content(&bound, call("2", "send_invoice", json!({"customer": 7}))).await;
    assert_eq!(text, "Error: not run: `send_invoice` may be called only once, and this limit is reached.");
    let needs = registry.dispatch(&[call("1", "delete_file", json!({"path": "a"}))]).await;
    let error = needs[0].outcome().and_then(|outcome| outcome.error());
    assert!(
        matches!(error, Some(CallError::NeedsApproval { tool, .. }) if tool == "delete_file"),
        "{error:?}"
    );
}

#[tokio::test]
async fn without_a_search_call_tool_is_an_ordinary_tool() {
    let own = named("call_tool", "Calls a person.").requires_approval();
    let own = Registry::builder().dynamic(own).build().expect("the name is free");
    let reply = AssistantMessage::from_tool_calls(vec![call("a", "Ada", json!({}))]);
    let model = ScriptedModel::new([reply, AssistantMessage::from_text("Done.")]);
    let mut session = Session::new().user("Call Ada.");
    let end = session.run(&own).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::NeedsApproval);
    assert_eq!(session.awaiting_approval()[0].tool, "call_tool");
    session.approve_with("a", json!({"name": "Bob"})).expect("it waits");
    let end = session.run(&own).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
    assert_called(&session, "call_tool", json!({"name": "Bob"}));
    let reply = AssistantMessage::from_tool_calls(vec![call("a", "Ada", json!({}))]);
    let Received::ToolCalls(mut pending) = Conversation::new().user("Call.").receive(reply) else {
        panic!("it calls a tool");
    };
    pending.approve_with("a", json!({"name": "Cy"})).expect("it waits");
    pending.run(&own).await;
    assert_eq!(pending.calls()[0].arguments, r#"{"name":"Cy"}"#);

    let registry =
        Registry::builder().dynamic(named("call_tool", "Calls.")).build().expect("the name is free");
    assert_eq!(content(&registry, call("1", "other", json!({}))).await, "call_tool");
    let remote =
        || Registry::builder().dynamic(named("call.tool", "Calls.")).dynamic(named("call_tool", "Calls."));
    let lenient = remote().rename_invalid_names(true).skip_invalid_tools(true).search(Search::new()).build();
    let lenient = lenient.expect("the tool with the reserved name is skipped");
    assert_eq!(lenient.skipped_tools().len(), 1);
    let deferred = lenient.deferred_schemas();
    assert!(deferred.len() == 1 && deferred[0].name().starts_with("call_tool_"), "{deferred:?}");
    let error = Registry::builder().dynamic(named("call_tool", "Calls.")).search(Search::new()).build();
    let error = error.expect_err("the name is taken").to_string();
    assert!(error.contains("the library has a tool named `call_tool`"), "{error}");
    let error = super::registry().merge(registry).expect_err("the name is taken").to_string();
    assert!(error.contains("the library has a tool named `call_tool`"), "{error}");
}

#[tokio::test]
async fn scripts_call_tools_in_the_same_way() {
    let registry = registry();
    let result =
        registry.call("call_tool", json!({"name": "get_weather", "arguments": {"city": "Rome"}})).await;
    assert_eq!(result.text(), "Rome in 0 days: sunny");
    let result = registry.call("get_weather", json!({})).await;
    assert!(result.text().contains("get_weather(city: string"), "{}", result.text());
}
