//! Streams of one large event and many small ones, and replies of one large item and many small ones. Whatever is read or
//! copied again for each event takes quadratic time, so every kind of event is combined with every other one.

use crate::events::EVENTS;
use crate::{CHECKS_TIMES, cpu_time, lock_processor};
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::{self, RequestParts};
use tool_runtime::{AssistantMessage, Conversation, DynamicTool, Registry};

/// The bytes of the large event, and of the small events together.
const BYTES: usize = 200_000;
/// With `HOSTILE_PAIRS=long`. A copy of the text takes less time than a comparison, and needs more bytes to be visible.
const LONG_BYTES: usize = 1_000_000;

/// The limits per byte. The time is not checked without `--release`.
const MAX_NANOSECONDS: f64 = 600.0;
const MAX_MEMORY: f64 = 60.0;

/// The bodies of replies: a wire, the text before and after its items, and the items.
const REPLIES: &[(&str, [&str; 2], &[&str])] = &[
    (
        "chat_completions",
        [
            r#"{"choices":[{"message":{"role":"assistant","tool_calls":["#,
            r#"]},"finish_reason":"tool_calls"}]}"#,
        ],
        &[
            r#"{"id":"@","function":{"name":"f","arguments":"{\"a\":#}"}}"#,
            r#"{"id":"c","function":{"name":"@","arguments":"{\"a\":#}"}}"#,
            r#"{"id":"c","function":{"name":"f","arguments":"{\"a\":\"@\"}"}}"#,
            r#"{"id":"c","function":{"name":"f","arguments":"@"}}"#,
            r#"{"function":{"name":"f","arguments":{"a":"@"}},"x":"@"}"#,
        ],
    ),
    (
        "anthropic",
        [r#"{"id":"m","type":"message","role":"assistant","content":["#, r#"],"stop_reason":"tool_use"}"#],
        &[
            r#"{"type":"text","text":"@"}"#,
            r#"{"type":"thinking","thinking":"@","signature":"@"}"#,
            r#"{"type":"tool_use","id":"@","name":"f","input":{"a":#}}"#,
            r#"{"type":"tool_use","id":"c","name":"@","input":{"a":#}}"#,
            r#"{"type":"tool_use","id":"c","name":"f","input":{"a":"@"}}"#,
            r#"{"type":"tool_use","id":"c","name":"f","input":{}}"#,
            r#"{"type":"x","y":"@"}"#,
        ],
    ),
    (
        "responses",
        [r#"{"id":"r","object":"response","status":"completed","output":["#, "]}"],
        &[
            r#"{"type":"message","content":[{"type":"output_text","text":"@"}]}"#,
            r#"{"type":"reasoning","id":"r#","encrypted_content":"@"}"#,
            r#"{"type":"function_call","call_id":"@","name":"f","arguments":"{\"a\":#}"}"#,
            r#"{"type":"function_call","call_id":"c","name":"@","arguments":"{\"a\":#}"}"#,
            r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":\"@\"}"}"#,
            r#"{"type":"function_call","call_id":"c","name":"f","arguments":"@"}"#,
            r#"{"type":"custom_tool_call","call_id":"c","name":"f","input":"@"}"#,
        ],
    ),
    (
        "gemini",
        [r#"{"candidates":[{"content":{"parts":["#, r#"]},"finishReason":"STOP"}]}"#],
        &[
            r#"{"text":"@"}"#,
            r#"{"text":"a","thoughtSignature":"@"}"#,
            r#"{"functionCall":{"id":"@","name":"f","args":{"a":#}}}"#,
            r#"{"functionCall":{"name":"@","args":{"a":#}}}"#,
            r#"{"functionCall":{"id":"c","name":"f","args":{"a":"@"}}}"#,
            r#"{"functionCall":{"id":"c","name":"f","args":{}}}"#,
        ],
    ),
    (
        "gemini_interactions",
        [r#"{"id":"i","status":"requires_action","steps":["#, "]}"],
        &[
            r#"{"type":"model_output","content":[{"type":"text","text":"@"}]}"#,
            r#"{"type":"thought","signature":"@"}"#,
            r#"{"type":"thought","summary":[{"type":"text","text":"@"}]}"#,
            r#"{"type":"function_call","id":"@","name":"f","arguments":{"a":#}}"#,
            r#"{"type":"function_call","id":"c","name":"@","arguments":{"a":#}}"#,
            r#"{"type":"function_call","id":"c","name":"f","arguments":{"a":"@"}}"#,
            r#"{"type":"function_call","id":"c","name":"f","arguments":{}}"#,
            r#"{"type":"google_search_call","id":"@","arguments":{"queries":["@"]}}"#,
        ],
    ),
    (
        "bedrock",
        [r#"{"output":{"message":{"role":"assistant","content":["#, r#"]}},"stopReason":"tool_use"}"#],
        &[
            r#"{"text":"@"}"#,
            r#"{"reasoningContent":{"reasoningText":{"text":"@","signature":"@"}}}"#,
            r#"{"toolUse":{"toolUseId":"@","name":"f","input":{"a":#}}}"#,
            r#"{"toolUse":{"toolUseId":"c","name":"@","input":{"a":#}}}"#,
            r#"{"toolUse":{"toolUseId":"c","name":"f","input":{"a":"@"}}}"#,
            r#"{"toolUse":{"toolUseId":"c","name":"f","input":{}}}"#,
            r#"{"citationsContent":{"content":[{"text":"@"}],"citations":[]}}"#,
            r#"{"x":{"y":"@"}}"#,
        ],
    ),
    (
        "ollama",
        [r#"{"model":"m","message":{"role":"assistant","content":"","tool_calls":["#, r#"]},"done":true}"#],
        &[
            r#"{"id":"@","function":{"name":"f","arguments":{"a":#}}}"#,
            r#"{"id":"c","function":{"name":"@","arguments":{"a":#}}}"#,
            r#"{"id":"c","function":{"name":"f","arguments":{"a":"@"}}}"#,
            r#"{"id":"c","function":{"name":"f","arguments":{}}}"#,
        ],
    ),
];

#[test]
fn no_pair_of_events_takes_quadratic_time_or_memory() {
    let _processor = lock_processor();
    let mut scan = Scan::default();
    for &(wire, events) in EVENTS {
        for (first, later) in pairs(events) {
            let stream = parts(first, later, bytes());
            let bytes = stream.iter().map(String::len).sum();
            scan.measure(bytes, [first, later], || assembled(wire, &stream));
        }
    }
    scan.end();
}

#[test]
fn no_pair_of_items_takes_quadratic_time_or_memory() {
    let _processor = lock_processor();
    let mut scan = Scan::default();
    for &(wire, [before, after], items) in REPLIES {
        for (first, later) in pairs(items) {
            let body = [before, &parts(first, later, bytes()).join(","), after].concat();
            scan.measure(body.len(), [first, later], || read(wire, &body));
        }
    }
    scan.end();
}

fn pairs<'a>(kinds: &'a [&'a str]) -> impl Iterator<Item = (&'a str, &'a str)> {
    let large = kinds.iter().filter(|kind| kind.contains('@'));
    large.flat_map(move |first| kinds.iter().map(move |later| (*first, *later)))
}

/// The bytes of the large part, and of the small ones together.
fn bytes() -> usize {
    let is_long = std::env::var("HOSTILE_PAIRS").is_ok_and(|form| form == "long");
    if is_long {
        LONG_BYTES
    } else if CHECKS_TIMES {
        BYTES
    } else {
        // Each byte takes longer without `--release`.
        BYTES / 10
    }
}

/// The measurements of all pairs.
#[derive(Default)]
struct Scan {
    count: usize,
    slowest: f64,
    largest: f64,
    failures: Vec<String>,
}

impl Scan {
    fn measure(&mut self, bytes: usize, pair: [&str; 2], run: impl Fn() -> String) {
        let (mut time, mut end) = (0, String::new());
        let memory = allocation_counter::measure(|| {
            let before = cpu_time();
            end = run();
            time = cpu_time() - before;
        });
        let (time, memory) = (time as f64 / bytes as f64, memory.bytes_max as f64 / bytes as f64);
        self.count += 1;
        (self.slowest, self.largest) = (self.slowest.max(time), self.largest.max(memory));
        let is_slow = CHECKS_TIMES && time > MAX_NANOSECONDS;
        if is_slow || memory > MAX_MEMORY {
            self.failures.push(format!("{time:.0} ns and {memory:.1} bytes per byte: {pair:?} ({end})"));
        }
    }

    fn end(self) {
        let Scan { count, slowest, largest, failures } = self;
        println!("{count} pairs: at most {slowest:.0} ns and {largest:.1} bytes per byte");
        assert!(failures.is_empty(), "{failures:#?}");
    }
}

/// A large part and many small ones.
fn parts(first: &str, later: &str, bytes: usize) -> Vec<String> {
    let large = first.replace('@', &"x".repeat(bytes)).replace('#', "0");
    let small = (1..).map(|number: usize| later.replace('@', "y").replace('#', &number.to_string()));
    [large].into_iter().chain(small.take(bytes / later.len())).collect()
}

fn assembled(wire: &str, events: &[String]) -> String {
    let mut assembler = ReplyAssembler::new().wire(wire::by_name(wire).expect("a wire"));
    for event in events {
        let _ = assembler.push(event.as_str()).count();
    }
    match assembler.into_reply() {
        Ok(reply) => dispatched(wire, reply),
        Err(error) => error.to_string().chars().take(100).collect(),
    }
}

fn read(wire: &str, body: &str) -> String {
    match wire::by_name(wire).expect("a wire").read_reply(body) {
        Ok(reply) => dispatched(wire, reply),
        Err(error) => error.to_string().chars().take(100).collect(),
    }
}

/// Dispatches the calls of a reply, and writes the next request.
fn dispatched(wire: &str, reply: AssistantMessage) -> String {
    let tool =
        DynamicTool::new("f", "", serde_json::json!({"type": "object"}), |_| async { Ok::<_, String>(()) });
    let registry = Registry::builder().dynamic(tool).build().expect("a registry");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let results = runtime.block_on(registry.dispatch(&reply.tool_calls));
    let messages: Vec<_> = [reply.into()].into_iter().chain(results.into_iter().map(Into::into)).collect();
    let problems = tool_runtime::history::validate(&messages).err().map(|error| error.to_string().len());
    let _ = Conversation::try_from(messages.clone());
    let body = wire::by_name(wire).expect("a wire").write(&RequestParts::new(&messages));
    body.map_or_else(|error| error.to_string(), |_| format!("written, {problems:?}"))
}
