//! Registries that are bound to a run context, merged, and called directly; state that is shared.

use crate::contents;
use serde_json::json;
use std::sync::Arc;
use tool_runtime::conversation::Received;
use tool_runtime::registry::BuildErrorKind;
use tool_runtime::{
    AssistantMessage, CallContext, Conversation, Registry, RunContext, ToolCall, tool, tools, toolset,
};

struct Database(&'static str);

/// Reads the name of the database.
#[tool]
fn database(#[state] database: &Database) -> &'static str {
    database.0
}

/// Counts the owners of the database.
#[tool]
fn owners(#[state] database: &Arc<Database>) -> usize {
    Arc::strong_count(database)
}

/// Returns the key of the call.
#[tool]
fn key(#[context] call: &CallContext) -> Option<String> {
    call.key().map(|key| key.to_string())
}

/// Adds two numbers.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// The shop of a tenant.
struct Shop(&'static str);

#[toolset]
impl Shop {
    /// Returns the name of the shop.
    #[tool]
    fn shop(&self) -> &'static str {
        self.0
    }

    /// Asks first.
    #[tool(requires_approval)]
    fn close(&self, reason: &str) -> String {
        format!("{} is closed: {reason}", self.0)
    }
}

fn call(tool: &str) -> [ToolCall; 1] {
    [ToolCall::new("call_1", tool, "{}")]
}

#[tokio::test]
async fn an_arc_is_state_for_references_to_its_value() {
    let shared = Arc::new(Database("disk"));
    let registry = Registry::builder().tools(tools![database, owners]).state(Arc::clone(&shared)).build();
    let registry = registry.expect("the state serves both tools");
    assert_eq!(registry.call("database", ()).await.text(), "disk");
    assert_eq!(registry.call("owners", ()).await.text(), "2");
    let context = RunContext::new().state(Arc::new(Database("memory")));
    assert_eq!(context.get::<Database>().map(|database| database.0), Some("memory"));
    assert_eq!(registry.with(&context).call("database", ()).await.text(), "memory");
    let missing = Registry::new(tools![database]).expect_err("there is no state");
    assert!(matches!(missing.errors(), [BuildErrorKind::MissingState { .. }]));
    let per_run = Registry::builder().tools(tools![database]).state_per_run::<Arc<Database>>().build();
    assert!(per_run.is_ok());
}

#[tokio::test]
async fn a_toolset_can_come_from_the_run_context() {
    let registry = Registry::builder().toolset_per_run::<Shop>().build().expect("two tools");
    assert_eq!(registry.names(), ["close", "shop"]);
    for name in ["Books", "Bikes"] {
        let registry = registry.with(&RunContext::new().state(Shop(name)));
        assert_eq!(contents(&registry.dispatch(&call("shop")).await), [name]);
    }
    let shared = registry.with(&RunContext::new().state(Arc::new(Shop("Boats"))));
    assert_eq!(contents(&shared.dispatch(&call("shop")).await), ["Boats"]);
    let missing = registry.call("shop", ()).await;
    assert_eq!(missing.text(), "Error: the tool `shop` is not available now.");
    let source = missing.failure().and_then(|failure| std::error::Error::source(failure)).expect("a reason");
    assert!(source.to_string().contains("Shop"), "{source}");
    let with_default = Registry::builder().toolset_per_run::<Shop>().state(Shop("Default")).build();
    let with_default = with_default.expect("two tools");
    assert_eq!(with_default.call("shop", ()).await.text(), "Default");
}

#[tokio::test]
async fn a_call_of_a_toolset_of_the_run_waits_for_approval() {
    let registry = Registry::builder().toolset_per_run::<Shop>().build().expect("two tools");
    let registry = registry.with(&RunContext::new().state(Shop("Books")));
    let reply = AssistantMessage::from_tool_calls(vec![ToolCall::new("1", "close", r#"{"reason":"rain"}"#)]);
    let Received::ToolCalls(mut pending) = Conversation::new().user("Close.").receive(reply) else {
        panic!("it calls")
    };
    pending.run(&registry).await;
    assert_eq!(pending.awaiting_approval().len(), 1);
    pending.approve("1").expect("it waits");
    let chat = pending.dispatch(&registry).await;
    assert_eq!(chat.messages()[2].text(), "Books is closed: rain");
}

#[tokio::test]
async fn a_bound_registry_keeps_its_context_in_clones_subsets_and_unions() {
    let context = RunContext::new().state(Database("memory"));
    let registry = Registry::builder().tools(tools![database]).state_per_run::<Database>().build();
    let registry = registry.expect("one tool").with(&context);
    let union = registry.merge(Registry::new(tools![add]).expect("one tool")).expect("two tools");
    for registry in [registry.clone(), registry.subset(["database"]).expect("it has the tool"), union] {
        assert_eq!(contents(&registry.dispatch(&call("database")).await), ["memory"]);
    }
    let another = registry.with(&RunContext::new().state(Database("disk")));
    assert_eq!(contents(&another.dispatch(&call("database")).await), ["disk"]);
}

#[tokio::test]
async fn a_union_has_the_tools_of_both_with_their_state() {
    let [left, right] = ["left", "right"].map(Database);
    let first = Registry::builder().tools(tools![database]).state(left).max_calls_per_reply(1).build();
    let second = Registry::builder()
        .toolset(Shop("Books"))
        .tools(tools![owners])
        .state(Arc::new(right))
        .before_call(|_| async { tool_runtime::dispatch::Decision::Deny("no".into()) })
        .build();
    let (first, second) = (first.expect("one tool"), second.expect("three tools"));
    let union = first.merge(second.clone()).expect("different names");
    assert_eq!(union.names(), ["close", "database", "owners", "shop"]);
    assert_eq!(union.schemas().len(), 4);
    assert_eq!(contents(&union.dispatch(&call("database")).await), ["left"]);
    assert_eq!(contents(&union.dispatch(&call("owners")).await), ["1"]);
    assert_eq!(contents(&union.dispatch(&call("shop")).await), ["Books"], "the hook is that of the first");
    let two = [ToolCall::new("1", "shop", "{}"), ToolCall::new("2", "shop", "{}")];
    let messages = union.dispatch(&two).await;
    assert_eq!(messages[1].error_kind(), Some("too_many_calls"), "the limits are those of the first");
    let error = union.merge(second).expect_err("it has the tools already");
    assert_eq!(error.errors().len(), 3);
    assert!(error.to_string().contains("two tools are named `shop`"), "{error}");
}

#[tokio::test]
async fn a_tool_is_called_with_any_value_or_with_text() {
    #[derive(serde::Serialize)]
    struct Arguments {
        a: i64,
        b: i64,
    }
    let registry = Registry::new(tools![add]).expect("one tool");
    assert_eq!(registry.call("add", Arguments { a: 1, b: 2 }).await.text(), "3");
    assert_eq!(registry.call("add", json!({"a": 1, "b": 2})).await.text(), "3");
    assert_eq!(registry.call("add", r#"{"a":1,"b":2}"#).await.text(), "3");
    assert_eq!(registry.call("add", "text").await.error_kind(), Some("not_json"));
    assert_eq!(registry.call("add", [1, 2]).await.error_kind(), Some("not_an_object"));
    assert_eq!(registry.call("add", ()).await.error_kind(), Some("invalid_arguments"));
    let keys = std::collections::HashMap::from([([1], 2)]);
    assert_eq!(registry.call("add", keys).await.error_kind(), Some("not_json"));
    assert_eq!(registry.call("ad", ()).await.error_kind(), Some("unknown_tool"));
    let failure = registry.call("ad", ()).await.into_result().expect_err("there is no such tool");
    assert_eq!(failure.to_string(), "there is no tool `ad`. Call `add` instead.");
}

#[tokio::test]
async fn a_call_has_a_key_that_survives_a_restart() {
    let registry = Registry::new(tools![key]).expect("one tool");
    let calls = [ToolCall::new("call_0", "key", ""), ToolCall::new("call_1", "key", "")];
    assert_eq!(contents(&registry.dispatch(&calls).await), ["null", "null"], "no run, no key");
    let bound = registry.with(&RunContext::new().run_id("a/b").reply_number(3));
    assert_eq!(contents(&bound.dispatch(&calls).await), [r#""a/b/3/0""#, r#""a/b/3/1""#]);

    // In a conversation, the replies are counted.
    let bound = registry.with(&RunContext::new().run_id("run"));
    let mut chat = Conversation::new().user("Keys?");
    for reply in 0..2 {
        let calls = AssistantMessage::from_tool_calls(calls.to_vec());
        let Received::ToolCalls(pending) = chat.receive(calls) else { panic!("it calls") };
        chat = pending.dispatch(&bound).await;
        let last = chat.messages().last().map(|message| message.text().to_owned());
        assert_eq!(last, Some(format!(r#""run/{reply}/1""#)));
    }
}
