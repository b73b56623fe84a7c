//! Replies and streams.

use crate::cases::{Case, Input};
use serde_json::{Value, json};
use std::fmt::Write as _;
use tool_runtime::conversation::Received;
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::{AssistantMessage, Conversation, Registry, ToolCall};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = [
        ("begins of calls in text", "<tool_call>!"),
        ("begins of calls and white space", "<tool_call> "),
        ("begins of calls in lines of words", "<tool_call> a"),
        ("begins of functions", "<function= "),
        ("begins of calls of other templates", "[TOOL_CALLS] .\n"),
    ]
    .into_iter()
    .map(|(name, words)| reply(name, move || words.repeat(100_000 / words.len())))
    .collect();
    cases.push(reply("a long line of white space", || format!("<tool_call>{}", " ".repeat(100_000))));
    cases.push(stream("repeated finish reasons", || {
        let calls: Vec<Value> = (0..1_000).map(call).collect();
        let mut chunks = vec![json!({"choices": [{"delta": {"tool_calls": calls}}]})];
        chunks.extend(vec![json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}); 2_000]);
        chunks
    }));
    cases.push(stream("a finish reason with each call", || {
        let finished = |index| json!({"choices": [{"delta": {"tool_calls": [call(index)]}, "finish_reason": "tool_calls"}]});
        (0..1_500).map(finished).collect()
    }));
    cases.push(stream("a finish reason between calls", || {
        let pair = |index| {
            [
                json!({"choices": [{"delta": {"tool_calls": [call(index)]}}]}),
                json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
            ]
        };
        (0..1_000).flat_map(pair).collect()
    }));
    cases.push(Case { name: "unknown names of tools", prepare: Box::new(unknown_names) });
    cases
}

fn call(index: usize) -> Value {
    json!({"index": index, "id": format!("c{index}"), "function": {"name": "f", "arguments": "{\"a\":1}"}})
}

fn reply(name: &'static str, text: impl Fn() -> String + Send + 'static) -> Case {
    let prepare = move || {
        let text = text();
        let run = Box::new(move || {
            let reply: AssistantMessage =
                serde_json::from_value(json!({ "content": text })).expect("a reply");
            match Conversation::new().user("Hello!").receive(reply) {
                Received::Answer(chat) => format!("{} warnings", chat.warnings().len()),
                Received::ToolCalls(_) => "calls".to_owned(),
            }
        });
        Input::Text { bytes: 100_000, run }
    };
    Case { name, prepare: Box::new(prepare) }
}

fn stream(name: &'static str, chunks: impl Fn() -> Vec<Value> + Send + 'static) -> Case {
    let prepare = move || {
        let chunks: Vec<String> = chunks().iter().map(Value::to_string).collect();
        let bytes = chunks.iter().map(String::len).sum();
        let run = Box::new(move || {
            let mut assembler = ReplyAssembler::new();
            let mut events = 0;
            for chunk in chunks {
                events += assembler.push(chunk).count();
            }
            let calls = assembler.into_reply().map_or(0, |reply| reply.tool_calls.len());
            format!("{events} events, {calls} calls")
        });
        Input::Text { bytes, run }
    };
    Case { name, prepare: Box::new(prepare) }
}

/// A thousand tools, and calls of names that are similar to all of them.
fn unknown_names() -> Input {
    let mut source = String::new();
    let calls: Vec<ToolCall> = (0..20)
        .map(|index| {
            source.clear();
            write!(source, "tool_with_a_rather_long_name_that_ends_in_{index:05}x").expect("a string");
            ToolCall::new(format!("c{index}"), source.clone(), "{}")
        })
        .collect();
    let run = Box::new(move || {
        let tool = |index: usize| {
            let name = format!("tool_with_a_rather_long_name_that_ends_in_{:05}", index + 50_000);
            tool_runtime::DynamicTool::new(name, "", Value::Null, |_| async { Ok::<_, String>(()) })
        };
        let builder = (0..1_000).fold(Registry::builder(), |builder, index| builder.dynamic(tool(index)));
        let registry = builder.build().expect("a thousand tools");
        let answers =
            futures_util::future::FutureExt::now_or_never(async { registry.dispatch(&calls).await });
        answers.map_or_else(String::new, |answers| answers[0].content.to_string())
    });
    Input::Text { bytes: 100_000, run }
}
