//! Replies with many calls that do not run, for a registry with many tools.

use crate::cases::{Case, Input};
use serde_json::json;
use tool_runtime::search::Search;
use tool_runtime::{DynamicTool, Registry, RunContext, ToolCall};

const TOOLS: usize = 1_000;
const CALLS: usize = 10_000;

/// Builds the call with a number.
type MakeCall = fn(usize) -> ToolCall;

pub(crate) fn cases() -> Vec<Case> {
    let not_allowed: MakeCall = |_| ToolCall::new("c", "tool_0", "{}");
    let unknown: MakeCall = |number| ToolCall::new("c", format!("tol_{number}"), "{}");
    let search: MakeCall = |number| ToolCall::new("c", "search_tools", format!(r#"{{"query":"q{number}"}}"#));
    let inner: MakeCall = |number| {
        let arguments = format!(r#"{{"name":"tol_{number}","arguments":{{}}}}"#);
        ToolCall::new("c", "call_tool", arguments)
    };
    let invalid: MakeCall = |_| ToolCall::new("c", "tool_1", r#"{"a":1}"#);
    vec![
        case("calls of a tool that is not allowed", None, not_allowed),
        case("calls of unknown tools", None, unknown),
        case("calls with invalid arguments", None, invalid),
        case("with a search: calls of a tool that is not allowed", Some(0), not_allowed),
        case("with a search: calls of unknown tools", Some(0), unknown),
        case("with a search: calls of unknown tools, others pinned", Some(TOOLS / 2), unknown),
        case("with a search: searches without a match", Some(0), search),
        case("with a search: searches without a match, others pinned", Some(TOOLS / 2), search),
        case("with a search: calls in `call_tool` of unknown tools", Some(0), inner),
    ]
}

/// Dispatches the calls to a registry that allows all tools but the first. `pinned` tools are in the requests of a registry
/// with a search.
fn case(name: &'static str, pinned: Option<usize>, call: MakeCall) -> Case {
    let prepare = move || {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let tool = |number| {
            DynamicTool::new(format!("tool_{number}"), "A tool.", schema.clone(), |_| async {
                Ok::<_, String>(())
            })
        };
        let name = |number| format!("tool_{number}");
        let mut builder = Registry::builder();
        for number in 0..TOOLS {
            builder = builder.dynamic(tool(number));
        }
        if let Some(pinned) = pinned {
            builder = builder.search(Search::new().pin((1..=pinned).map(name)));
        }
        let registry = builder.build().expect("a registry");
        let context = RunContext::new().allowed_tools((1..TOOLS).map(name));
        let calls: Vec<ToolCall> = (0..CALLS).map(call).collect();
        // A call has about 60 bytes more in a reply.
        let bytes = calls.iter().map(|call| call.name.len() + call.arguments.len() + 60).sum();
        let task = async move {
            let messages = registry.with(&context).dispatch(&calls).await;
            messages.last().map_or("no message", |message| message.text()).to_owned()
        };
        Input::Task { bytes, task: Box::pin(task) }
    };
    Case { name, prepare: Box::new(prepare) }
}
