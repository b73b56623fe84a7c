//! Application state and call context.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tool_runtime::registry::BuildErrorKind;
use tool_runtime::{CallContext, Registry, RunContext, ToolCall, tool, tools};

struct Db(&'static str);
struct User(String);

/// Uses every kind of parameter.
#[tool]
async fn everything(
    city: &str,
    numbers: &[u32],
    unit: Option<&str>,
    #[state] db: &Db,
    #[context] call: &CallContext,
) -> String {
    let user = call.run_context().get::<User>().map_or("nobody", |user| &user.0);
    format!("{city} {numbers:?} {unit:?} {} {} {} {user}", db.0, call.id(), call.tool())
}

#[tokio::test]
async fn a_tool_can_take_text_lists_state_and_context() {
    let registry = Registry::builder().tools(tools![everything]).state(Db("db")).build().expect("a registry");
    let call = ToolCall::new("call_7", "everything", r#"{"city":"Beijing","numbers":[1,2]}"#);
    let context = RunContext::new().state(User("Ada".to_owned()));
    let messages = registry.with(&context).dispatch(std::slice::from_ref(&call)).await;
    assert_eq!(messages[0].content, "Beijing [1, 2] None db call_7 everything Ada");
    let messages = registry.dispatch(&[call]).await;
    assert_eq!(messages[0].content, "Beijing [1, 2] None db call_7 everything nobody");

    let schema = registry.schemas()[0].parameters().get();
    assert!(!schema.contains("db") && !schema.contains("call"), "{schema}");
}

#[tokio::test]
async fn a_function_with_state_and_context_can_be_called_directly() {
    let call =
        CallContext::new("id", "name").with_run_context(RunContext::new().state(User("Bo".to_owned())));
    assert_eq!(everything("B", &[], Some("C"), &Db("x"), &call).await, r#"B [] Some("C") x id name Bo"#);
}

/// Returns the user.
#[tool]
fn who(#[state] user: &User, #[state] db: &Db) -> String {
    format!("{} {}", user.0, db.0)
}

/// Counts.
#[tool]
fn count(#[state] counter: &Arc<AtomicU32>, #[state] missing: &u64) -> u32 {
    counter.fetch_add(1, Ordering::Relaxed) + u32::try_from(*missing).unwrap_or(0)
}

#[test]
fn every_missing_state_of_every_tool_is_reported_at_once() {
    let error = Registry::builder()
        .tools(tools![who, count, everything])
        .state(Arc::new(AtomicU32::new(0)))
        .state_per_run::<User>()
        .build()
        .expect_err("states are missing");
    let mut missing: Vec<String> = error
        .errors()
        .iter()
        .map(|error| match error {
            BuildErrorKind::MissingState { tool, parameter, state, .. } => {
                format!("{tool} {parameter} {state}")
            }
            other => panic!("{other}"),
        })
        .collect();
    missing.sort();
    let db = std::any::type_name::<Db>();
    assert_eq!(
        missing,
        ["count missing u64".to_owned(), format!("everything db {db}"), format!("who db {db}")]
    );
    let text = error.to_string();
    let one = format!("`who` needs the state `db: &{db}`; add `.state(..)` with a value of this type");
    assert!(text.contains(&one), "{text}");
}

#[tokio::test]
async fn a_call_in_a_run_without_its_state_is_an_error() {
    let registry = Registry::builder()
        .tools(tools![who])
        .state(Db("db"))
        .state_per_run::<User>()
        .build()
        .expect("a registry");
    let calls = [ToolCall::new("1", "who", "{}")];
    let messages = registry.dispatch(&calls).await;
    // The missing state is reported to the program and not sent to the model.
    assert_eq!(messages[0].content, "Error: the tool `who` is not available now.");
    let user = std::any::type_name::<User>();
    let reason = messages[0].outcome().and_then(|outcome| outcome.error()?.source()).map(ToString::to_string);
    assert_eq!(
        reason,
        Some(format!("neither the registry nor the run context has a state of type `{user}`"))
    );
    let messages = registry.with(&RunContext::new().state(User("Ada".to_owned()))).dispatch(&calls).await;
    assert_eq!(messages[0].content, "Ada db");
}

#[tokio::test]
async fn the_state_of_a_run_takes_precedence_over_that_of_the_registry_only_in_that_run() {
    let registry = Registry::builder()
        .tools(tools![who])
        .state(Db("own"))
        .state(User("any".to_owned()))
        .build()
        .expect("a registry");
    let calls = [ToolCall::new("1", "who", "{}")];
    let context = RunContext::new().state(Db("theirs"));
    let with_db = registry.with(&context);
    let with_user = registry.with(&context.state(User("Ada".to_owned())));
    let (first, second, third) =
        futures_util::join!(with_db.dispatch(&calls), with_user.dispatch(&calls), registry.dispatch(&calls),);
    assert_eq!(
        [first[0].content.as_str(), second[0].content.as_str(), third[0].content.as_str()],
        ["any theirs", "Ada theirs", "any own"]
    );
}

#[test]
fn two_states_of_one_type_are_a_build_error() {
    let error =
        Registry::builder().state(Db("a")).state(Db("b")).build().expect_err("two states of one type");
    assert!(matches!(error.errors(), [BuildErrorKind::DuplicateState { .. }]), "{error}");
}

trait Store: Send + Sync {
    fn name(&self) -> &'static str;
}
struct Disk;
impl Store for Disk {
    fn name(&self) -> &'static str {
        "disk"
    }
}

/// Uses a trait object.
#[tool]
fn stored(#[state] store: &Arc<dyn Store>) -> &'static str {
    store.name()
}

#[tokio::test]
async fn state_can_be_a_shared_trait_object() {
    let store: Arc<dyn Store> = Arc::new(Disk);
    let registry = Registry::builder().tools(tools![stored]).state(store).build().expect("a registry");
    assert_eq!(registry.call("stored", "").await.text(), "disk");
}

#[test]
fn debug_does_not_show_the_values_of_a_run_context() {
    let context = RunContext::new().state(User("secret".to_owned()));
    assert!(!format!("{context:?}").contains("secret"));
}

type Callback = Arc<dyn for<'a> Fn(&'a str) -> &'a str + Send + Sync>;

/// Calls a callback of the program.
#[tool]
fn calls_back<'a>(
    text: &'a str,
    #[state] callback: &'a Arc<dyn for<'b> Fn(&'b str) -> &'b str + Send + Sync>,
) -> String {
    callback(text).to_owned()
}

#[tokio::test]
async fn the_type_of_state_may_have_higher_ranked_lifetimes() {
    let callback: Callback = Arc::new(str::trim);
    let registry = Registry::builder().tools(tools![calls_back]).state(callback).build().expect("a registry");
    assert_eq!(registry.call("calls_back", r#"{"text":" a "}"#).await.text(), "a");
}

#[tokio::test]
async fn a_later_value_of_a_run_context_replaces_an_earlier_one() {
    let context = RunContext::new().state(User("Ada".to_owned()));
    let replaced = context.clone().state(User("Bo".to_owned()));
    assert_eq!(context.get::<User>().map(|user| &*user.0), Some("Ada"), "the other context is unchanged");
    assert_eq!(replaced.get::<User>().map(|user| &*user.0), Some("Bo"));
    assert!(context.get::<Db>().is_none());
}
