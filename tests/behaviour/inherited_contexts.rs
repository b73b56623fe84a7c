//! Calls that a tool makes with what the run of its own call has, if it asks for it.

use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tool_runtime::dispatch::{ReadyCall, ToolResult};
use tool_runtime::session::RunEnd;
use tool_runtime::{AssistantMessage, CallContext, Registry, RunContext, Session, ToolCall, tool, tools};
use tool_runtime_testing::{ScriptedModel, ScriptedReply};

/// The part of the run that the tool inherits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InheritedPart {
    Nothing,
    Listeners,
    Middleware,
    AllowedTools,
    CallCounts,
}

/// Finds a page.
#[tool(max_calls = 3)]
async fn find(page: u32, #[context] call: &CallContext) -> String {
    call.emit(page);
    format!("page {page}")
}

/// Deletes a page.
#[tool]
fn delete(page: u32) -> String {
    format!("page {page} is deleted")
}

/// Reads several pages.
#[tool]
async fn read_pages(#[state] part: &InheritedPart, #[context] call: &CallContext) -> Vec<String> {
    let context = call.child_run_context();
    let context = match part {
        InheritedPart::Nothing => context,
        InheritedPart::Listeners => context.inherit_listeners(call),
        InheritedPart::Middleware => context.inherit_middleware(call),
        InheritedPart::AllowedTools => context.inherit_allowed_tools(call),
        InheritedPart::CallCounts => context.inherit_call_counts(call),
    };
    let registry = Registry::new(tools![find, delete]).expect("two tools").with(&context);
    let call = |id: &str, tool: &str| ToolCall::new(id, tool, r#"{"page":7}"#);
    let messages = registry.dispatch(&[call("a", "find"), call("b", "find"), call("c", "delete")]).await;
    messages.iter().map(|message| message.text().to_owned()).collect()
}

/// The result of `read_pages` after a call of `find`, and the events of both and of their inner calls: the outer call, the id and
/// the status.
async fn read(part: InheritedPart) -> (Vec<String>, Vec<(Value, Value, Value)>) {
    let registry = Registry::builder().tools(tools![find, delete, read_pages]).state(part).build();
    let context = RunContext::new().run_id("run").allowed_tools(["find", "read_pages"]);
    let registry = registry.expect("three tools").with(&context);
    let calls = [ToolCall::new("a", "find", r#"{"page":1}"#), ToolCall::new("b", "find", r#"{"page":2}"#)];
    let read = ToolCall::new("b", "read_pages", "{}");
    let replies = [
        ScriptedReply::from(AssistantMessage::from_tool_calls(calls)),
        AssistantMessage::from_tool_calls([read]).into(),
        AssistantMessage::from_text("Done.").into(),
    ];
    let model = ScriptedModel::new(replies);
    let (mut session, mut events) = (Session::new().user("Go."), Vec::new());
    let run = session.run(&registry).around_call(|call: ReadyCall| async move {
        let result = call.run().await;
        if call.tool() == "find" { result.map_text(|text| format!("[{text}]")) } else { result }
    });
    let run = run.on_event(|event| {
        let event = json!(event);
        if event["type"] == "call" {
            events.push((event["outer_call"].clone(), event["id"].clone(), event["status"].clone()));
        }
    });
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("it ends"), RunEnd::Answered);
    let result = session.messages().iter().rev().nth(1).expect("the result").text().to_owned();
    (serde_json::from_str(&result).expect("a list"), events)
}

#[tokio::test]
async fn a_tool_that_asks_for_nothing_gets_nothing_of_the_run() {
    let (results, events) = read(InheritedPart::Nothing).await;
    assert_eq!(results, ["page 7", "page 7", "page 7 is deleted"]);
    assert!(events.iter().all(|(outer, ..)| outer.is_null()));
}

#[tokio::test]
async fn each_part_is_inherited_on_its_own() {
    let (results, _) = read(InheritedPart::Middleware).await;
    assert_eq!(results, ["[page 7]", "[page 7]", "page 7 is deleted"]);

    let (results, _) = read(InheritedPart::AllowedTools).await;
    let not_allowed = "Error: the tool `delete` may not be called now. Available: `find`.";
    assert_eq!(results, ["page 7", "page 7", not_allowed]);

    let (results, _) = read(InheritedPart::CallCounts).await;
    assert_eq!(results[0], "page 7", "it is the third of three");
    assert!(results[1].contains("may be called only 3 times"), "{results:?}");
}

#[tokio::test]
async fn inherited_listeners_know_the_outer_call() {
    let (results, events) = read(InheritedPart::Listeners).await;
    assert_eq!(results.len(), 3);
    let inner: Vec<_> = events.iter().filter(|(outer, ..)| !outer.is_null()).collect();
    assert!(inner.iter().all(|(outer, ..)| outer.as_str().is_some_and(|id| id != "a")));
    for (id, statuses) in [("a", vec!["started", "emitted", "finished"]), ("c", vec!["started", "finished"])]
    {
        let of_call = inner.iter().filter(|(_, of, _)| of == id).map(|(.., status)| status.as_str());
        assert_eq!(of_call.collect::<Vec<_>>(), statuses.into_iter().map(Some).collect::<Vec<_>>());
    }
    let last = events.last().expect("events");
    assert_eq!((last.0.is_null(), last.2.as_str()), (true, Some("finished")), "the outer call ends last");
}

/// Runs an inner session.
#[tool]
async fn delegate(#[state] seen: &Arc<Mutex<Vec<String>>>, #[context] call: &CallContext) -> String {
    let context = call.child_run_context().inherit_middleware(call).inherit_listeners(call);
    let registry = Registry::new(tools![find]).expect("one tool").with(&context);
    let reply = AssistantMessage::from_tool_calls([ToolCall::new("a", "find", r#"{"page":7}"#)]);
    let model = ScriptedModel::new([reply, AssistantMessage::from_text("Found.")]);
    let mut session = Session::new().user("Find page 7.");
    let seen_here = Arc::clone(seen);
    let run = session.run(&registry).around_call(move |call: ReadyCall| {
        seen_here.lock().expect("no panic").push(format!("inner {}", call.tool()));
        async move { call.run().await }
    });
    let end = run.complete(|request| model.complete(request)).await.expect("it ends");
    format!("{end}: {}", session.messages()[2].text())
}

#[tokio::test]
async fn an_inner_session_adds_its_middleware_inside_of_that_of_the_run() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let registry = Registry::builder().tools(tools![delegate]).state(Arc::clone(&seen)).build();
    let registry = registry.expect("one tool").with(&RunContext::new().run_id("run"));
    let reply = AssistantMessage::from_tool_calls([ToolCall::new("x", "delegate", "{}")]);
    let model = ScriptedModel::new([reply, AssistantMessage::from_text("Done.")]);
    let (outer, mut session) = (Arc::clone(&seen), Session::new().user("Go."));
    let mut inner_events = 0;
    let run = session.run(&registry).around_call_outermost(move |call: ReadyCall| {
        let key = call.context().key().map(|key| key.to_string()).unwrap_or_default();
        outer.lock().expect("no panic").push(format!("outer {} {key}", call.tool()));
        async move { call.run().await }
    });
    let run = run.on_event(|event| inner_events += usize::from(json!(event)["outer_call"] == "x"));
    let end = run.complete(|request| model.complete(request)).await.expect("it ends");
    assert_eq!((end, session.messages()[2].text()), (RunEnd::Answered, "the model answered: page 7"));
    let expected = ["outer delegate run/0/0", "outer find run/0/0/0/0", "inner find"];
    assert_eq!(*seen.lock().expect("no panic"), expected);
    assert_eq!(inner_events, 3, "started, emitted, finished");
}

#[tokio::test]
async fn the_context_of_a_program_without_a_session_is_inherited() {
    let registry = Registry::builder().tools(tools![read_pages]).state(InheritedPart::Listeners);
    let events = Arc::new(Mutex::new(Vec::new()));
    let sent = Arc::clone(&events);
    let context = RunContext::new().on_event(move |event| {
        sent.lock().expect("no panic").push((event.outer_call.clone(), event.tool.clone()));
    });
    let registry = registry.build().expect("one tool").with(&context);
    let result: ToolResult = registry.call("read_pages", json!({})).await;
    assert!(!result.is_error());
    let events = events.lock().expect("no panic");
    let inner = events.iter().filter(|(outer, _)| outer.is_some()).count();
    assert_eq!((inner, events.len()), (8, 10));
}

/// Starts a search that continues after the call.
#[tool]
fn start_search(
    #[state] searches: &Mutex<Vec<tokio::task::JoinHandle<String>>>,
    #[context] call: &CallContext,
) -> &'static str {
    let context = call.child_run_context().inherit_listeners(call);
    let registry = Registry::new(tools![find]).expect("one tool").with(&context);
    let search = async move {
        registry.dispatch(&[ToolCall::new("a", "find", r#"{"page":7}"#)]).await[0].text().to_owned()
    };
    searches.lock().expect("no panic").push(tokio::spawn(search));
    "started"
}

#[tokio::test]
async fn calls_that_continue_after_their_outer_call_do_not_wait_for_the_listener() {
    let searches: Arc<Mutex<Vec<tokio::task::JoinHandle<String>>>> = Arc::default();
    let registry = Registry::builder().tools(tools![start_search]).state(Arc::clone(&searches)).build();
    let reply = AssistantMessage::from_tool_calls([ToolCall::new("x", "start_search", "{}")]);
    let mut session = Session::new().user("Go.");
    let run = session.run(&registry.expect("one tool")).on_event(|_| ());
    let end = run.complete(|request| {
        let search = searches.lock().expect("no panic").pop();
        let reply = reply.clone();
        async move {
            // The client answers when the search has ended.
            match search {
                Some(search) => {
                    search.await.map(AssistantMessage::from_text).map_err(|error| error.to_string())
                }
                None if request.messages().len() == 1 => Ok(reply),
                None => Ok(AssistantMessage::from_text("no search")),
            }
        }
    });
    assert_eq!(end.await.expect("it ends"), RunEnd::Answered);
    assert_eq!(session.final_text(), "page 7");
}
