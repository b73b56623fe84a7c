//! The stages that an inner call passes.

use super::{Effects, Scripted, inner, registry, registry_over, result};
use serde_json::json;
use std::sync::{Arc, Mutex};
use tool_runtime::dispatch::{Decision, ReadyCall};
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{BuildError, Registry, RunContext, Session, ToolCall};

#[tokio::test]
async fn invalid_arguments_are_an_error_of_the_inner_call() -> Result<(), BuildError> {
    let calls = [
        json!({ "tool": "charge", "arguments": { "order": "x", "euros": 1 } }),
        json!({ "tool": "charg", "arguments": { "order": 1 } }),
        json!({ "tool": "charge", "arguments": "{\"order\":x}" }),
        inner("charge", 13),
    ];
    let effects = Effects::default();
    let mut session = Session::new().user("Go.");
    let end = Scripted::new("make_calls", calls).run(&mut session, &registry(&effects)?).await;
    assert_eq!(end, RunEnd::Answered);
    let texts: Vec<String> = serde_json::from_str(result(&session)).expect("a list");
    assert!(texts[0].starts_with("invalid arguments for `charge`: "), "{}", texts[0]);
    assert!(texts[0].contains("euros") && texts[0].contains("order"), "{}", texts[0]);
    assert_eq!(texts[1], "there is no tool `charg`; did you mean `charge`?");
    assert!(texts[2].starts_with("the arguments of `charge` are not valid JSON"), "{}", texts[2]);
    assert_eq!(texts[3], "the card was declined");
    assert_eq!(effects.all(), ["charge 13"]);
    Ok(())
}

#[tokio::test]
async fn the_hook_of_the_inner_registry_decides() -> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = registry_over(&effects, |inner| {
        inner.before_call(|call| async move {
            match call.tool() {
                "charge" => Decision::Deny("not today".into()),
                "refund" => Decision::RunWith(json!({ "order": 99 })),
                _ => Decision::Undecided,
            }
        })
    })?;
    let script = Scripted::new("make_calls", [inner("charge", 1), inner("refund", 2)]);
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(result(&session), r#"["not today","{\"refunded\":99}"]"#);
    assert_eq!(effects.all(), ["refund 99 "]);
    Ok(())
}

#[tokio::test]
async fn the_middleware_of_both_registries_and_of_the_run_is_around_inner_calls() -> Result<(), BuildError> {
    let mark = |mark: &'static str| {
        move |call: ReadyCall| async move {
            let result = call.run().await;
            if call.tool() == "charge" { result.map_text(|text| format!("{mark}({text})")) } else { result }
        }
    };
    let effects = Effects::default();
    let registry = registry_over(&effects, |inner| inner.around_call(mark("registry")))?;
    let script = Scripted::new("make_calls", [inner("charge", 1)]);
    let mut session = Session::new().user("Go.");
    let run = session.run(&registry).around_call(mark("inside")).around_call_outermost(mark("outside"));
    let end = run.complete(|request| script.complete(request)).await.expect("no error");
    assert_eq!(end, RunEnd::Answered);
    assert_eq!(result(&session), r#"["outside(registry(inside(charged 1)))"]"#);
    Ok(())
}

#[tokio::test]
async fn events_name_the_outer_call_and_each_call_ends_once() -> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = registry(&effects)?;
    let script = Scripted::new("make_calls", [inner("charge", 1), inner("refund", 2), inner("refund", 3)]);
    let events = Arc::new(Mutex::new(Vec::new()));
    let record = |event: &Event| {
        let event = json!(event);
        if event["type"] == "call" {
            let text = format!("{} {} {}", event["id"], event["outer_call"], event["status"]);
            events.lock().expect("no panic").push(text.replace('"', ""));
        }
    };
    let mut session = Session::new().user("Go.");
    for decision in ["approve", "deny", ""] {
        let run = session.run(&registry).on_event(record).complete(|request| script.complete(request));
        let _ = run.await.expect("no error");
        let _ = match decision {
            "approve" => session.approve("call_1/1"),
            "deny" => session.deny("call_1/2", "no"),
            _ => Ok(()),
        };
    }
    let expected = [
        "call_1 null started",
        "call_1/0 call_1 started",
        "call_1/0 call_1 finished",
        "call_1/1 call_1 needs_approval",
        "call_1 null needs_call",
        "call_1 null started",
        "call_1/1 call_1 started",
        "call_1/1 call_1 finished",
        "call_1/2 call_1 needs_approval",
        "call_1 null needs_call",
        "call_1/2 call_1 finished",
        "call_1 null started",
        "call_1 null finished",
    ];
    assert_eq!(*events.lock().expect("no panic"), expected);
    Ok(())
}

#[tokio::test]
async fn results_are_whole() -> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = registry_over(&effects, |inner| inner.max_result_bytes(100))?;
    let script = Scripted::new("make_calls", [json!({ "tool": "list", "arguments": {} })]);
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    let texts: Vec<String> = serde_json::from_str(result(&session)).expect("a list");
    let list: Vec<u32> = serde_json::from_str(&texts[0]).expect("the whole list");
    assert_eq!(list.len(), 1_000);
    Ok(())
}

#[tokio::test]
async fn identical_results_have_no_notes() -> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = registry_over(&effects, |inner| inner.note_repeated_calls(1))?;
    let script = Scripted::new("make_calls", (0..4).map(|_| inner("charge", 13)));
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(result(&session), json!(vec!["the card was declined"; 4]).to_string());
    Ok(())
}

#[tokio::test]
async fn without_a_session_the_context_of_the_dispatch_applies() -> Result<(), BuildError> {
    let effects = Effects::default();
    let events = Arc::new(Mutex::new(Vec::new()));
    let sender = Arc::clone(&events);
    let context = RunContext::new().run_id("run").on_event(move |event| {
        sender.lock().expect("no panic").push((event.id.clone(), event.outer_call.clone()));
    });
    let registry: Registry = registry(&effects)?.with(&context);
    let arguments = json!({ "calls": [inner("charge", 1)] }).to_string();
    let messages = registry.dispatch(&[ToolCall::new("a", "make_calls", arguments)]).await;
    assert_eq!(messages[0].text(), r#"["charged 1"]"#);
    assert!(events.lock().expect("no panic").contains(&("a/0".to_owned(), Some("a".to_owned()))));
    Ok(())
}
