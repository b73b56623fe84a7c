//! The time and the memory of each input grow in proportion to its size. `LIMITS.md` has the rows.

mod limited;
mod page;
mod restated_calls;

use crate::{CHECKS_TIMES, cpu_time, lock_processor};
use futures_util::stream;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use tool_runtime::history::{self, TrimBudget};
use tool_runtime::message::Message;
use tool_runtime::stream::{Chunk, ReplyAssembler};
use tool_runtime::wire::{self, RequestParts};
use tool_runtime::{AssistantMessage, Conversation, DynamicTool, Registry, Session, ToolCall};
use tool_runtime_repair::repair;

/// The sizes of each input, in bytes.
const SIZES: [usize; 3] = [50_000, 200_000, 800_000];

/// How much more a byte of the largest input may cost than one of the smallest: a quadratic cost would be 16.
const MAX_GROWTH: f64 = 4.0;

/// A cost that is not measured exactly, in nanoseconds and in bytes per byte.
const NOISE: [f64; 2] = [20.0, 1.0];

/// An input, and what is measured with it. The name begins with that in `LIMITS.md`; a comma and the case may follow.
struct Row {
    name: String,
    /// Makes an input of about this size. Returns its size, and runs it.
    make: Box<Make>,
}

type Make = dyn Fn(usize) -> (usize, Run);
type Run = Box<dyn FnOnce()>;

fn row<T: 'static>(
    name: impl Into<String>,
    input: impl Fn(usize) -> T + 'static,
    size: impl Fn(&T) -> usize + 'static,
    run: impl Fn(T) + Clone + 'static,
) -> Row {
    let make = move |bytes| {
        let (input, run) = (input(bytes), run.clone());
        let size = size(&input);
        let run_input: Run = Box::new(move || run(input));
        (size, run_input)
    };
    Row { name: name.into(), make: Box::new(make) }
}

/// The text before and after the calls of a reply, and a call.
const REPLIES: [(&str, [&str; 3]); 7] = [
    (
        "chat_completions",
        [
            r#"{"choices":[{"message":{"role":"assistant","tool_calls":["#,
            r#"{"id":"c#","function":{"name":"f","arguments":"{\"a\":#}"}}"#,
            r#"]},"finish_reason":"tool_calls"}]}"#,
        ],
    ),
    (
        "anthropic",
        [
            r#"{"role":"assistant","content":["#,
            r#"{"type":"tool_use","id":"c#","name":"f","input":{"a":#}}"#,
            r#"],"stop_reason":"tool_use"}"#,
        ],
    ),
    (
        "responses",
        [
            r#"{"id":"r","status":"completed","output":["#,
            r#"{"type":"function_call","call_id":"c#","name":"f","arguments":"{\"a\":#}"}"#,
            "]}",
        ],
    ),
    (
        "gemini",
        [
            r#"{"candidates":[{"content":{"parts":["#,
            r#"{"functionCall":{"id":"c#","name":"f","args":{"a":#}}}"#,
            r#"]},"finishReason":"STOP"}]}"#,
        ],
    ),
    (
        "gemini_interactions",
        [
            r#"{"id":"i","status":"requires_action","steps":["#,
            r#"{"type":"function_call","id":"c#","name":"f","arguments":{"a":#}}"#,
            "]}",
        ],
    ),
    (
        "bedrock",
        [
            r#"{"output":{"message":{"role":"assistant","content":["#,
            r#"{"toolUse":{"toolUseId":"c#","name":"f","input":{"a":#}}}"#,
            r#"]}},"stopReason":"tool_use"}"#,
        ],
    ),
    (
        "ollama",
        [
            r#"{"model":"m","message":{"role":"assistant","content":"","tool_calls":["#,
            r#"{"id":"c#","function":{"name":"f","arguments":{"a":#}}}"#,
            r#"]},"done":true}"#,
        ],
    ),
];

/// The text, numbered and repeated up to this size.
fn numbered(template: &str, bytes: usize) -> Vec<String> {
    (0..bytes / template.len()).map(|number| template.replace('#', &number.to_string())).collect()
}

fn tool(schema: Value) -> Registry {
    let tool = DynamicTool::new("f", "", schema, |_| async { Ok::<_, String>(()) });
    Registry::builder().dynamic(tool).build().expect("a registry")
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future)
}

fn exchanges(bytes: usize) -> Vec<Message> {
    let calls = numbered("call_#", bytes / 20).into_iter();
    let exchanges = calls.map(|id| -> [Message; 2] {
        let call = ToolCall::new(&id, "f", r#"{"a":1}"#);
        [AssistantMessage::from_tool_calls(vec![call]).into(), tool_runtime::ToolMessage::new(id, "1").into()]
    });
    [Message::user("?")].into_iter().chain(exchanges.flatten()).collect()
}

fn size_of(messages: &[Message]) -> usize {
    serde_json::to_string(messages).expect("JSON").len()
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, [before, call, after]) in REPLIES {
        let body = move |bytes| [before, &numbered(call, bytes).join(","), after].concat();
        rows.push(row(format!("reply, {name}"), body, String::len, move |body| {
            let reply = wire::by_name(name).expect("a wire").read_reply(&body).expect("it is read");
            let registry = tool(json!({ "type": "object" }));
            let results = block_on(registry.dispatch(&reply.tool_calls));
            assert_eq!(results.len(), reply.tool_calls.len());
        }));
        let events_of_calls = move |bytes: usize| {
            let numbers = 0..bytes / call.len();
            let numbered = |number: usize| events(name, &call.replace('#', &number.to_string()), number);
            numbers.map(numbered).collect::<Vec<Vec<String>>>()
        };
        rows.push(row(
            format!("chunk of a stream, {name}"),
            events_of_calls,
            |calls| calls.iter().flatten().map(String::len).sum(),
            move |calls| {
                let mut assembler = ReplyAssembler::new().wire(wire::by_name(name).expect("a wire"));
                let count = calls.len();
                for event in calls.into_iter().flatten() {
                    let _ = assembler.push(event).count();
                }
                assert_eq!(assembler.into_reply().expect("a reply").tool_calls.len(), count);
            },
        ));
        rows.push(row(
            format!("history, {name}"),
            exchanges,
            |list| size_of(list),
            move |messages| {
                let wire = wire::by_name(name).expect("a wire");
                let body = wire.write(&RequestParts::new(&messages)).expect("it is written");
                let body = serde_json::to_string(&body).expect("JSON");
                let read = wire.read_messages(&body).expect("it is read");
                assert!(history::validate(&read).is_ok());
                let (repaired, _) = repair(read);
                let mut chat = Conversation::try_from(repaired).expect("it is valid");
                let _ = chat.trim(&TrimBudget::max_messages(messages.len() / 2));
                assert!(!chat.messages().is_empty());
            },
        ));
    }
    rows.extend([
        row(
            "reply, text",
            |bytes| "a".repeat(bytes),
            String::len,
            |text| {
                let body = json!({ "choices": [{ "message": { "role": "assistant", "content": text } }] });
                let reply = wire::by_name("chat_completions").expect("a wire").read_reply(&body.to_string());
                assert_eq!(reply.expect("a reply").text().len(), text.len());
            },
        ),
        row(
            "arguments of a call",
            |bytes| list(r#"{"b":1}"#, bytes),
            String::len,
            |arguments| {
                assert!(!call(&arguments, false).is_error());
            },
        ),
        row(
            "errors in arguments",
            |bytes| list(r#"{"b":"x"}"#, bytes),
            String::len,
            |arguments| {
                assert!(call(&arguments, false).is_error());
            },
        ),
        row(
            "arguments to repair (`lenient`)",
            |bytes| list("{b:'1'}", bytes),
            String::len,
            |arguments| {
                assert!(!call(&arguments, true).is_error());
            },
        ),
        row(
            "schema of a `DynamicTool`",
            properties,
            |schema| schema.to_string().len(),
            |schema| drop(tool(schema)),
        ),
        row(
            "definitions",
            |bytes| bytes,
            |bytes| *bytes,
            |bytes| {
                let description = "a".repeat(400);
                let mut builder = Registry::builder();
                for number in 0..bytes / 500 {
                    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
                    let name = format!("tool_{number}");
                    let tool =
                        DynamicTool::new(name, &*description, schema, |_| async { Ok::<_, String>(()) });
                    builder = builder.dynamic(tool);
                }
                let registry = builder.build().expect("a registry");
                let messages = [Message::user("?")];
                for (name, _) in REPLIES {
                    let parts = RequestParts::new(&messages).tools(registry.schemas());
                    let _ = wire::by_name(name).expect("a wire").write(&parts).expect("it is written");
                }
            },
        ),
        row(
            "result of a tool",
            |bytes| "a".repeat(bytes),
            String::len,
            |text| {
                let tool = DynamicTool::new("f", "", json!({ "type": "object" }), move |_| {
                    let text = text.clone();
                    async move { Ok::<_, String>(text) }
                });
                let registry = Registry::builder().dynamic(tool).build().expect("a registry");
                let results = block_on(registry.dispatch(&[ToolCall::new("c", "f", "{}")]));
                assert!(!results[0].is_error());
            },
        ),
        row(
            "stored session",
            exchanges,
            |list| size_of(list),
            |messages| {
                let conversation = tool_runtime::Conversation::try_from(messages).expect("it is valid");
                let stored = serde_json::to_string(&Session::from(conversation)).expect("it is stored");
                let _: Session = serde_json::from_str(&stored).expect("it is loaded");
            },
        ),
        row(
            "events of a run",
            |bytes| numbered(TEXT_EVENT, bytes),
            |list| list.join("").len(),
            |events| {
                let mut session = Session::new().user("?");
                let mut count = 0;
                let registry = tool(json!({ "type": "object" }));
                let run = session.run(&registry).on_event(|_| count += 1);
                let sent = events.len();
                let chunks = |_| {
                    let chunks = events.clone().into_iter().chain([FINISH.to_owned()]).map(Chunk::from);
                    async move { Ok::<_, String>(stream::iter(chunks)) }
                };
                let _ = block_on(run.stream(chunks)).expect("it ends");
                assert!(count > sent);
            },
        ),
    ]);
    rows.extend(limited::rows());
    rows.extend(restated_calls::rows());
    rows
}

const TEXT_EVENT: &str = r#"{"choices":[{"delta":{"content":"a #"}}]}"#;
const FINISH: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;

/// The events of a stream with this call.
fn events(wire: &str, call: &str, number: usize) -> Vec<String> {
    let event = match wire {
        "chat_completions" => {
            let call = call.replacen('{', &format!(r#"{{"index":{number},"#), 1);
            format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{call}]}}}}]}}"#)
        }
        "anthropic" => format!(r#"{{"type":"content_block_start","index":{number},"content_block":{call}}}"#),
        "responses" => {
            format!(r#"{{"type":"response.output_item.done","output_index":{number},"item":{call}}}"#)
        }
        "gemini" => format!(r#"{{"candidates":[{{"content":{{"parts":[{call}]}}}}]}}"#),
        "gemini_interactions" => {
            let start = format!(r#"{{"event_type":"step.start","index":{number},"step":{call}}}"#);
            return vec![start, format!(r#"{{"event_type":"step.stop","index":{number}}}"#)];
        }
        "bedrock" => {
            let start = format!(r#"{{"toolUse":{{"toolUseId":"c{number}","name":"f"}}}}"#);
            let input = format!(r#"{{"toolUse":{{"input":"{{\"a\":{number}}}"}}}}"#);
            return vec![
                format!(r#"{{"contentBlockStart":{{"contentBlockIndex":{number},"start":{start}}}}}"#),
                format!(r#"{{"contentBlockDelta":{{"contentBlockIndex":{number},"delta":{input}}}}}"#),
                format!(r#"{{"contentBlockStop":{{"contentBlockIndex":{number}}}}}"#),
            ];
        }
        _ => format!(
            r#"{{"model":"m","message":{{"role":"assistant","content":"","tool_calls":[{call}]}},"done":false}}"#
        ),
    };
    vec![event]
}

fn list(item: &str, bytes: usize) -> String {
    format!(r#"{{"a":[{}]}}"#, vec![item; bytes / (item.len() + 1)].join(","))
}

fn call(arguments: &str, lenient: bool) -> tool_runtime::dispatch::ToolResult {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "array", "items": {
        "type": "object", "properties": { "b": { "type": "integer" } }, "required": ["b"] } } } });
    let tool = DynamicTool::new("f", "", schema, |_| async { Ok::<_, String>(()) });
    let registry = Registry::builder().dynamic(tool).lenient_arguments(lenient).build().expect("a registry");
    block_on(registry.call("f", arguments))
}

fn properties(bytes: usize) -> Value {
    let mut name = String::new();
    let properties: Map<String, Value> = (0..bytes / 200)
        .map(|number| {
            name.clear();
            let _ = write!(name, "property_{number}");
            (name.clone(), json!({ "type": "string", "description": "a".repeat(150) }))
        })
        .collect();
    json!({ "type": "object", "properties": properties })
}

#[test]
fn time_and_memory_grow_in_proportion_to_each_input() {
    let _processor = lock_processor();
    println!("{:<42} {:>12} {:>12} {:>12}   ns and bytes per byte", "input", "50 kB", "200 kB", "800 kB");
    let mut failures = Vec::new();
    let mut largest: HashMap<String, [f64; 2]> = HashMap::new();
    for Row { name, make } in rows() {
        let costs = SIZES.map(|bytes| cost(&*make, bytes));
        let text = costs.map(|[time, memory]| format!("{time:.0}, {memory:.1}"));
        println!("{name:<42} {:>12} {:>12} {:>12}", text[0], text[1], text[2]);
        for (kind, noise) in NOISE.iter().enumerate() {
            let is_checked = kind == 1 || CHECKS_TIMES;
            if is_checked && costs[2][kind] > (costs[0][kind] + noise) * MAX_GROWTH {
                failures.push(format!("{name}: {text:?}"));
            }
        }
        let input = name.split(',').next().unwrap_or_default().to_owned();
        let largest = largest.entry(input).or_default();
        *largest = [0, 1].map(|kind| largest[kind].max(costs[2][kind]));
    }
    failures.extend(page::differences(&largest));
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The nanoseconds and the bytes of memory per byte of an input of this size. Where times are checked, a small input runs as
/// often as takes the time of the largest one, since the clock of a thread is not exact.
fn cost(make: &Make, bytes: usize) -> [f64; 2] {
    let mut all = 0;
    let mut memory = 0;
    let mut time = 0;
    let runs = if CHECKS_TIMES { SIZES[2] / bytes } else { 1 };
    for _ in 0..runs {
        let (size, run) = make(bytes);
        let measured = allocation_counter::measure(|| {
            let before = cpu_time();
            run();
            time += cpu_time() - before;
        });
        all += size;
        memory += measured.bytes_max;
    }
    [time as f64 / all as f64, memory as f64 / all as f64]
}
