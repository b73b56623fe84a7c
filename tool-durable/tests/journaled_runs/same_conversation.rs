//! A session that runs again has the same messages, whatever kinds of calls it has.

use super::*;
use serde_json::json;
use tool_runtime::RegistryBuilder;
use tool_runtime::search::Search;

/// Runs a session whose replies have these calls, then runs the earlier session again, and compares the messages. Returns the
/// results.
async fn replayed(builder: RegistryBuilder, ledger: &Ledger, replies: Vec<ScriptedReply>) -> Vec<String> {
    let registry = builder.state(ledger.clone()).build().expect("tools");
    let registry = registry.with(&RunContext::new().run_id("order-7"));
    let (journal, model) = (MemoryJournal::default(), ScriptedModel::new(replies));
    let stored = Session::new().user("Go.");
    let mut session = stored.clone();
    assert_eq!(run(&mut session, &registry, &journal, &model).await, RunEnd::Answered);
    let effects = ledger.entries();
    for mut again in [stored.clone(), stored.clone().claim()] {
        assert_eq!(run(&mut again, &registry, &journal, &model).await, RunEnd::Answered);
        assert_eq!(again.messages(), session.messages());
    }
    assert_eq!(ledger.entries(), effects, "no tool runs again");
    results(&session)
}

fn call(tool: &str, arguments: &str) -> ScriptedReply {
    AssistantMessage::from_tool_calls(vec![ToolCall::new("a", tool, arguments)]).into()
}

#[tokio::test(start_paused = true)]
async fn coerced_arguments_stay_those_of_the_model() {
    let ledger = Ledger::default();
    let builder = Registry::builder().tools(tools![charge]).state(Work(SHORT)).lenient_arguments(true);
    let results = replayed(builder, &ledger, vec![call("charge", r#"{"order": "7"}"#), done().into()]).await;
    assert_eq!(results, ["order 7 is charged"]);
}

#[tokio::test(start_paused = true)]
async fn calls_of_call_tool_stay_those_of_the_model() {
    let ledger = Ledger::default();
    let builder = Registry::builder().tools(tools![charge]).state(Work(SHORT)).search(Search::new());
    let arguments = r#"{"name": "charge", "arguments": {"order": 7}}"#;
    let results = replayed(builder, &ledger, vec![call("call_tool", arguments), done().into()]).await;
    assert_eq!(results, ["order 7 is charged"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_later_than_its_limit_stays_late() {
    for tool in ["charge", "label"] {
        let ledger = Ledger::default();
        let builder = Registry::builder().tools(tools![charge, label]).state(Work(LONG)).call_timeout(LIFE);
        let results = replayed(builder, &ledger, vec![call(tool, r#"{"order":7}"#), done().into()]).await;
        assert!(results[0].contains("did not finish within 60 s"), "{results:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn unknown_tools_and_invalid_arguments_keep_their_errors() {
    let ledger = Ledger::default();
    let builder = Registry::builder().tools(tools![charge]).state(Work(SHORT));
    let replies = vec![
        call("chrage", r#"{"order":7}"#),
        call("charge", &json!({"order": "x"}).to_string()),
        done().into(),
    ];
    let results = replayed(builder, &ledger, replies).await;
    assert!(results[0].contains("did you mean `charge`?"), "{results:?}");
    assert!(results[1].contains("`order`"), "{results:?}");
    assert_eq!(ledger.entries(), Vec::<String>::new());
}
