//! The table of error messages in the crate documentation: each row is produced here.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;
use tool_runtime::conversation::{PendingCalls, Received};
use tool_runtime::dispatch::{CancellationToken, Decision};
use tool_runtime::message::Message;
use tool_runtime::{
    AssistantMessage, Conversation, DynamicTool, Registry, RegistryBuilder, RunContext, ToolCall, ToolError,
    ToolMessage, tool, tools,
};

const DOCUMENT: &str = include_str!("../../../tool-runtime/src/guide/error_messages.md");

/// Look up the weather.
#[tool]
async fn get_weather(city: &str, #[arg(default = 0)] days: u8) -> Result<String, String> {
    match city {
        "Atlantis" => Err("no weather station in Atlantis".to_owned()),
        _ => Ok(format!("{city} in {days} days: sunny")),
    }
}

#[derive(Debug)]
struct Disconnected;

impl fmt::Display for Disconnected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no connection to db.internal:5432")
    }
}
impl std::error::Error for Disconnected {}
impl ToolError for Disconnected {
    fn for_model(&self) -> String {
        "the weather service is down; try again later".to_owned()
    }
}

/// Tools of the same name, each with one way to fail.
mod failing {
    use super::{BTreeMap, Disconnected, tool};

    /// Returns a `ToolError`.
    #[tool(name = "get_weather")]
    pub(super) fn with_tool_error(_city: &str) -> Result<(), Disconnected> {
        Err(Disconnected)
    }

    /// Panics.
    #[tool(name = "get_weather")]
    pub(super) async fn with_panic(_city: &str) {
        panic!("a secret");
    }

    /// Its keys are not strings.
    #[tool(name = "get_weather")]
    pub(super) fn with_unwritable_result(_city: &str) -> BTreeMap<(u8, u8), u8> {
        BTreeMap::from([((1, 2), 3)])
    }

    /// Never ends.
    #[tool(name = "get_weather", timeout = "5s")]
    pub(super) async fn with_endless_wait(_city: &str) {
        std::future::pending::<()>().await;
    }

    /// Never ends.
    #[tool(name = "get_weather")]
    pub(super) async fn with_unlimited_wait(_city: &str) {
        std::future::pending::<()>().await;
    }

    /// Never ends.
    #[tool(name = "get_weather", timeout = "5s", read_only)]
    pub(super) async fn with_endless_read(_city: &str) {
        std::future::pending::<()>().await;
    }

    /// Needs approval.
    #[tool(name = "get_weather", requires_approval)]
    pub(super) fn with_approval(_city: &str) {}

    /// Its number of calls is limited.
    #[tool(name = "get_weather", max_calls = 3)]
    pub(super) async fn with_max_calls(_city: &str) {}

    pub(super) struct Station;

    /// Needs a state.
    #[tool(name = "get_weather")]
    pub(super) fn with_state(_city: &str, #[state] _station: &Station) {}
}

/// The message for the last of these calls.
async fn message(registry: RegistryBuilder, calls: &[ToolCall]) -> ToolMessage {
    registry.build().expect("a registry").dispatch(calls).await.pop().expect("a message for each call")
}

async fn message_for(name: &str, arguments: &str) -> ToolMessage {
    message(Registry::builder().tools(tools![get_weather]), &[ToolCall::new("call_1", name, arguments)]).await
}

async fn message_of(registry: RegistryBuilder) -> ToolMessage {
    message(registry, &[beijing()]).await
}

/// The message for a call with this unit.
async fn message_in_unit(unit: &str) -> ToolMessage {
    let units = json!({"type": "object", "properties": {"unit": {"enum": ["degrees_celsius", "kelvin"]}}});
    let tool = DynamicTool::new("get_weather", "", units, |_| async { Ok::<_, String>(()) });
    let call = ToolCall::new("call_1", "get_weather", json!({ "unit": unit }).to_string());
    message(Registry::builder().dynamic(tool), &[call]).await
}

fn beijing() -> ToolCall {
    ToolCall::new("call_1", "get_weather", r#"{"city":"Beijing"}"#)
}

fn pending(chat: Conversation, call: ToolCall) -> PendingCalls {
    match chat.receive(AssistantMessage::from_tool_calls(vec![call])) {
        Received::ToolCalls(pending) => pending,
        Received::Answer(_) => unreachable!("the reply has a call"),
    }
}

async fn interrupted_stream() -> ToolMessage {
    let call = json!({
        "index": 0, "id": "call_1", "function": { "name": "get_weather", "arguments": r#"{"city":"Beijing"}"# }
    });
    let chunk = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] }).to_string();
    let error = r#"{"error":{"message":"overloaded"}}"#.to_owned();
    let chunks = futures_util::stream::iter([chunk, error]);
    let registry = Registry::new(tools![get_weather]).expect("a registry");
    let interrupted = registry.dispatch_stream(chunks).await.expect_err("the server failed");
    let (_, mut results): (_, Vec<ToolMessage>) = *interrupted.partial;
    results.remove(0)
}

async fn cancelled_run() -> ToolMessage {
    let token = CancellationToken::new();
    let context = RunContext::new().cancellation(token.clone());
    let registry = Registry::new(tools![failing::with_endless_wait]).expect("a registry").with(&context);
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        token.cancel();
    };
    let calls = [beijing()];
    let (mut results, ()) = tokio::join!(registry.dispatch(&calls), cancel);
    results.remove(0)
}

async fn third_result(city: &str) -> ToolMessage {
    let registry = Registry::new(tools![get_weather]).expect("a registry");
    let call = ToolCall::new("call_1", "get_weather", json!({ "city": city }).to_string());
    let mut chat = Conversation::new().user("The weather?");
    for _ in 0..3 {
        chat = pending(chat, call.clone()).dispatch(&registry).await;
    }
    tool_message(chat.messages().last())
}

fn tool_message(message: Option<&Message>) -> ToolMessage {
    match message {
        Some(Message::Tool(message)) => message.clone(),
        _ => unreachable!("the call has a tool message"),
    }
}

/// The message of a row about a call that cannot begin.
async fn produce_rejection(cause: &str) -> Option<ToolMessage> {
    let builder = Registry::builder;
    let message = match cause {
        "The registry has no such tool." => message_for("get_wether", r#"{"city":"Beijing"}"#).await,
        "No tool has a similar name." => {
            let other = DynamicTool::new("get_time", "", Value::Null, |_| async { Ok::<_, String>(()) });
            let call = ToolCall::new("call_1", "search_web", r#"{"query":"weather"}"#);
            message(builder().tools(tools![get_weather]).dynamic(other), &[call]).await
        }
        "The tool with a similar name is destructive, needs approval, or may do something else." => {
            let call = ToolCall::new("call_1", "get_wether", r#"{"city":"Beijing"}"#);
            message(builder().tools(tools![failing::with_approval]), &[call]).await
        }
        "The arguments are not JSON, and have one reading." => {
            message_for("get_weather", "{'city':'Beijing'}").await
        }
        "A value has another type, and one reading." => {
            message_for("get_weather", r#"{"city":"Beijing","days":"2"}"#).await
        }
        "A value differs from one of an enum in its case, `_`, `-` and spaces." => {
            message_in_unit("Degrees-Celsius").await
        }
        "A value is similar to one of an enum." => message_in_unit("degrees_celcius").await,
        "An argument is unknown." => {
            message_for("get_weather", r#"{"city":"Beijing","language":"en"}"#).await
        }
        "The arguments are inside an unknown key." => {
            message_for("get_weather", r#"{"parameters":{"city":"Beijing","days":2}}"#).await
        }
        "The arguments are not JSON." => message_for("get_weather", r#"{"city":"Beijing" "days":1}"#).await,
        "The text of the arguments is truncated." => message_for("get_weather", r#"{"city":"#).await,
        "The reply was truncated within the arguments of the call (`finish_reason`)." => {
            let call = ToolCall::new("call_1", "get_weather", r#"{"city":"Bei"#);
            let reply = AssistantMessage::from_tool_calls(vec![call]).with_finish_reason("length");
            message(builder().tools(tools![get_weather]), &reply.tool_calls).await
        }
        "The stream of the reply was interrupted." => interrupted_stream().await,
        "The arguments are not an object." => message_for("get_weather", r#"["Beijing"]"#).await,
        "The arguments are invalid under the schema." => {
            message_for("get_weather", r#"{"days":"tomorrow","town":"Beijing"}"#).await
        }
        _ => return None,
    };
    Some(message)
}

/// The message of one row.
async fn produce(cause: &str) -> Option<ToolMessage> {
    if let Some(message) = produce_rejection(cause).await {
        return Some(message);
    }
    let builder = Registry::builder;
    let message = match cause {
        "The tool returned an error." => message_for("get_weather", r#"{"city":"Atlantis"}"#).await,
        "The tool returned a `ToolError`." => {
            message_of(builder().tools(tools![failing::with_tool_error])).await
        }
        "The tool panicked." => message_of(builder().tools(tools![failing::with_panic])).await,
        "The result cannot be written as JSON." => {
            message_of(builder().tools(tools![failing::with_unwritable_result])).await
        }
        "The tool exceeded its time limit." => {
            message_of(builder().tools(tools![failing::with_endless_wait])).await
        }
        "A `read_only` tool exceeded its time limit." => {
            message_of(builder().tools(tools![failing::with_endless_read])).await
        }
        "The token of the run context was cancelled." => cancelled_run().await,
        "`before_call` denied the call." => {
            let deny = |_| async { Decision::Deny("only Beijing may be looked up".into()) };
            message_of(builder().tools(tools![get_weather]).before_call(deny)).await
        }
        "Nobody approved the call." => message_of(builder().tools(tools![failing::with_approval])).await,
        "`before_call` panicked." => {
            let panic = |_| async { panic!("a secret of the hook") };
            message_of(builder().tools(tools![get_weather]).before_call(panic)).await
        }
        "`before_call` exceeded its time limit." => {
            let wait = |_| std::future::pending();
            let limit = Duration::from_secs(5);
            message_of(builder().tools(tools![get_weather]).before_call(wait).approval_timeout(limit)).await
        }
        "An earlier call of the reply waits, and this one may not begin before it (`ordered_effects`)." => {
            let elsewhere = DynamicTool::external("look_out", "Looks out.", Value::Null);
            let registry = builder().tools(tools![get_weather]).dynamic(elsewhere).ordered_effects(true);
            message(registry, &[ToolCall::new("call_1", "look_out", "{}"), beijing()]).await
        }
        "`before_call` replaced the arguments by invalid ones." => {
            let replace = |_| async { Decision::RunWith(json!({"city": 7})) };
            message_of(builder().tools(tools![get_weather]).before_call(replace)).await
        }
        "The reply has too many calls." => {
            let registry = builder().tools(tools![get_weather]).max_calls_per_reply(20).build();
            let mut results = registry.expect("a registry").dispatch(&vec![beijing(); 21]).await;
            let rejected = results.pop().expect("a message for each call");
            assert!(results.iter().all(|result| result.content == "Beijing in 0 days: sunny"));
            rejected
        }
        "The run context does not allow the tool." => {
            let other = DynamicTool::new("get_time", "", Value::Null, |_| async { Ok::<_, String>(()) });
            let registry = builder().tools(tools![get_weather]).dynamic(other).build().expect("a registry");
            let context = RunContext::new().allowed_tools(["get_time"]);
            registry.with(&context).dispatch(&[beijing()]).await.remove(0)
        }
        "The tool was called more often than its `max_calls`." => {
            let registry = builder().tools(tools![failing::with_max_calls]);
            message(registry, &[beijing(), beijing(), beijing(), beijing()]).await
        }
        "Neither the registry nor the run context has the state of the tool." => {
            let tools = tools![failing::with_state];
            message_of(builder().tools(tools).state_per_run::<failing::Station>()).await
        }
        "The result comes later, and the dispatch does not wait for it." => {
            let elsewhere = DynamicTool::external("get_weather", "Looks out.", Value::Null);
            message_of(builder().dynamic(elsewhere)).await
        }
        "The call began in a run that was interrupted, and its tool is neither `read_only`, `idempotent` nor `resumable`." =>
        {
            let registry = Registry::new(tools![failing::with_unlimited_wait]).expect("a registry");
            let mut pending = pending(Conversation::new().user("Beijing?"), beijing());
            let dropped = tokio::time::timeout(Duration::from_secs(1), pending.run(&registry)).await;
            assert!(dropped.is_err());
            pending.run(&registry).await;
            pending.result_of("call_1")?.clone()
        }
        "The user skipped a call that began in a run that was interrupted." => {
            let registry = Registry::new(tools![failing::with_unlimited_wait]).expect("a registry");
            let mut pending = pending(Conversation::new().user("Beijing?"), beijing());
            let dropped = tokio::time::timeout(Duration::from_secs(1), pending.run(&registry)).await;
            assert!(dropped.is_err());
            tool_message(pending.skip_calls("skipped by user").messages().get(2))
        }
        "The user skipped the call." => {
            let chat = pending(Conversation::new().user("Beijing?"), beijing()).skip_calls("skipped by user");
            tool_message(chat.messages().get(2))
        }
        "A call failed the same way for the third time in a row." => third_result("Atlantis").await,
        "A call returned the same result for the third time in a row." => third_result("Beijing").await,
        _ => return None,
    };
    Some(message)
}

/// The kinds of [`CallError::kind`], from its source. The kind of a `Recorded` error is that of another call.
fn kinds() -> BTreeSet<String> {
    const SOURCE: &str = include_str!("../../../tool-runtime/src/outcome/call_error.rs");
    let row = |line: &'static str| line.trim().strip_prefix("E::")?.split_once("=> \"")?.1.split_once('"');
    let kinds = SOURCE.lines().filter_map(row).map(|(kind, _)| kind.to_owned());
    kinds.filter(|kind| kind != "recorded").collect()
}

#[tokio::test(start_paused = true)]
async fn each_row_of_the_table_is_the_message_of_its_cause_and_each_kind_has_a_row() {
    let rows: Vec<(&str, &str)> = DOCUMENT
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "))
        .filter(|(cause, _)| !["Cause", "---"].contains(cause))
        .collect();
    let mut produced_kinds = BTreeSet::new();
    for (cause, documented) in rows {
        let Some(message) = produce(cause).await else { panic!("the row `{cause}` has no test") };
        let lines: Vec<String> = message.text().lines().map(|line| format!("`` {line} ``")).collect();
        assert_eq!(lines.join("<br>"), documented, "the row `{cause}`");
        let error = message.outcome().and_then(|outcome| outcome.error());
        produced_kinds.extend(error.map(|error| error.kind().to_owned()));
    }
    assert_eq!(produced_kinds, kinds(), "each kind of error has a row");
    assert!(produced_kinds.len() >= 19, "{produced_kinds:?}");
}

#[tokio::test]
async fn unknown_tool_lists_at_most_twenty_names() {
    let tool = |n: usize| {
        DynamicTool::new(format!("tool_{n:02}"), "", Value::Null, |_| async { Ok::<_, String>(()) })
    };
    let registry = (0..25).fold(Registry::builder(), |registry, n| registry.dynamic(tool(n)));
    let text = message(registry, &[ToolCall::new("1", "x", "")]).await;
    let names: Vec<String> = (0..20).map(|n| format!("`tool_{n:02}`")).collect();
    assert_eq!(
        text.content,
        format!("Error: there is no tool `x`. Available: {} and 5 more.", names.join(", "))
    );
}
