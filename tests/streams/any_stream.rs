//! Streams with events of any kind and order, and of mutated text. The test and the fuzz target choose them, and check the same.

use futures_util::stream;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tool_runtime::message::Message;
use tool_runtime::stream::{ReplyAssembler, ReplyEvent};
use tool_runtime::wire::{self, RequestParts, Wire};
use tool_runtime::{AssistantMessage, DynamicTool, Registry, history};

/// Random numbers, or the bytes of a fuzzer.
pub(crate) trait Choices {
    /// A number below the limit, which is not zero.
    fn below(&mut self, limit: usize) -> usize;

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

const TEXTS: &[&str] = &[
    "",
    "a",
    "{",
    "}",
    "{}",
    "[",
    " ",
    "\\n",
    "\\\"",
    "\\\\",
    "null",
    "1",
    ",",
    ":",
    "é",
    "🙂",
    "\\ud83d",
    "\\ude42",
    "{\\\"a\\\":1}",
    "{\\\"a\\\":",
    "\\\"a\\\":1",
    "f",
    "length",
    "stop",
    "tool_use",
    "STOP",
    "MAX_TOKENS",
];

/// The ends of replies, and events that only some servers send.
const MORE_EVENTS: &[(&str, &[&str])] = &[
    (
        "chat_completions",
        &[
            r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#,
            r#"{"choices":[{"index":1,"delta":{"content":"b"}}]}"#,
            r#"{"error":{"message":"@"}}"#,
            "[DONE]",
        ],
    ),
    (
        "anthropic",
        &[
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":#}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}"#,
            r#"{"type":"content_block_stop","index":#}"#,
            r#"{"type":"error","error":{"message":"@"}}"#,
            r#"{"type":"message_stop"}"#,
        ],
    ),
    (
        "responses",
        &[
            r#"{"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}"#,
            r#"{"type":"response.completed","response":{"id":"r","status":"completed","output":[{"type":"function_call","call_id":"c","name":"f","arguments":"@"}]}}"#,
            r#"{"type":"response.incomplete","response":{"id":"r","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"custom_tool_call","call_id":"d","name":"f","input":"@"}]}}"#,
            r#"{"type":"response.incomplete"}"#,
            r#"{"type":"response.failed","response":{"error":{"message":"@"}}}"#,
        ],
    ),
    (
        "gemini",
        &[
            r#"{"candidates":[{"content":{"parts":[]},"finishReason":"STOP"}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":#}}}]},"finishReason":"MAX_TOKENS"}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":#}}}]},"finishReason":"STOP"}]}"#,
            r#"{"candidates":[{"finishReason":"MAX_TOKENS"}]}"#,
            r#"{"error":{"message":"@"}}"#,
        ],
    ),
    (
        "gemini_interactions",
        &[
            r#"{"event_type":"interaction.completed","interaction":{"id":"i","status":"completed","usage":{"total_input_tokens":#,"total_output_tokens":#}}}"#,
            r#"{"event_type":"interaction.completed","interaction":{"id":"i","status":"requires_action"}}"#,
            r#"{"event_type":"interaction.completed","interaction":{"id":"i","status":"incomplete"}}"#,
            r#"{"event_type":"interaction.status_update","interaction_id":"i","status":"requires_action"}"#,
            r#"{"event_type":"step.start","index":#,"step":{"type":"model_output","error":{"code":3,"message":"@"}}}"#,
            r#"{"event_type":"error","error":{"code":"gateway_timeout","message":"@"}}"#,
            "[DONE]",
        ],
    ),
    (
        "bedrock",
        &[
            r#"{"messageStop":{"p":"a","stopReason":"tool_use"}}"#,
            r#"{"messageStop":{"stopReason":"end_turn"}}"#,
            r#"{"messageStop":{"p":"a","stopReason":"max_tokens"}}"#,
            r#"{"messageStop":{"p":"a","stopReason":"model_context_window_exceeded"}}"#,
            r#"{"metadata":{"usage":{"inputTokens":#,"outputTokens":#,"totalTokens":#},"metrics":{"latencyMs":#}}}"#,
            r#"{"throttlingException":{"message":"@"}}"#,
            r#"{"modelStreamErrorException":{"message":"@","originalStatusCode":503}}"#,
        ],
    ),
    (
        "ollama",
        &[
            r#"{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}"#,
            r#"{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"length"}"#,
            r#"{"error":"@"}"#,
        ],
    ),
];

pub(crate) const WIRES: [&str; 7] =
    ["chat_completions", "anthropic", "responses", "gemini", "gemini_interactions", "bedrock", "ollama"];

/// The events of a stream on this wire, from the templates.
pub(crate) fn any_stream(choices: &mut impl Choices, name: &str, templates: &[&str]) -> Vec<String> {
    let (_, more) = MORE_EVENTS.iter().find(|(wire, _)| *wire == name).expect("a wire");
    let count = 1 + choices.below(12);
    let mut events: Vec<String> = Vec::with_capacity(count);
    for _ in 0..count {
        if let (true, Some(event)) = (choices.one_in(10), events.last()) {
            events.push(event.clone());
            continue;
        }
        let list = if choices.one_in(4) { more } else { templates };
        let template = list[choices.below(list.len())];
        let mut event = filled(choices, template);
        if choices.one_in(8) {
            mutate(choices, &mut event);
        }
        events.push(event);
    }
    events
}

fn filled(choices: &mut impl Choices, template: &str) -> String {
    let mut event = String::new();
    for letter in template.chars() {
        match letter {
            '@' => (0..choices.below(4)).for_each(|_| event += TEXTS[choices.below(TEXTS.len())]),
            '#' => event += &choices.below(3).to_string(),
            letter => event.push(letter),
        }
    }
    event
}

/// Removes, repeats or replaces a part of the text.
fn mutate(choices: &mut impl Choices, text: &mut String) {
    let letters: Vec<char> = text.chars().collect();
    let from = choices.below(letters.len().max(1));
    let to = (from + 1 + choices.below(12)).min(letters.len());
    let part: String = letters.get(from..to).unwrap_or_default().iter().collect();
    let (before, after): (String, String) =
        (letters[..from].iter().collect(), letters.get(to..).unwrap_or_default().iter().collect());
    *text = match choices.below(4) {
        0 => before,
        1 => before + &after,
        2 => before + &part + &part + &after,
        _ => before + TEXTS[choices.below(TEXTS.len())] + &after,
    };
}

/// The reply of these events, and its error.
type Reply = (AssistantMessage, Option<String>);

fn finished(assembler: ReplyAssembler) -> Reply {
    match assembler.into_reply() {
        Ok(reply) => (reply, None),
        Err(error) => {
            let text = error.to_string();
            (*error.partial, Some(text))
        }
    }
}

/// The reply without the ids that replace unusable ones, which are random.
fn without_ids((mut reply, error): Reply) -> String {
    for call in &mut reply.tool_calls {
        call.id.clear();
    }
    // The fingerprints of items depend on the ids.
    let items: Vec<String> = reply.native_items().map(str::to_owned).collect();
    format!("{:?} {:?} {items:?} {error:?}", reply.text(), reply.tool_calls)
}

/// Checks that the events of the reply agree with the reply, that chunks and their texts are read alike, that the reply can be
/// stored, written and dispatched, and that no truncated call runs.
pub(crate) fn check(name: &str, events: &[String]) {
    let wire = || wire::by_name(name).expect("a wire");
    let mut seen = Seen::default();
    let mut assembler = ReplyAssembler::new().wire(wire());
    for event in events {
        assembler.push(event.as_str()).for_each(|event| seen.take(event));
    }
    assembler.push_end().for_each(|event| seen.take(event));
    let whole = finished(assembler);
    seen.check(&whole.0);

    let mut assembler = ReplyAssembler::new().wire(wire());
    for event in events {
        assembler.push(wire().read_event(event));
    }
    assert_eq!(without_ids(finished(assembler)), without_ids(whole.clone()));

    let messages = [Message::from(whole.0.clone())];
    let mut stored = Vec::new();
    tool_runtime::message::stored::serialize(&messages[..], &mut serde_json::Serializer::new(&mut stored))
        .expect("it is stored");
    let loaded: Vec<Message> =
        tool_runtime::message::stored::deserialize(&mut serde_json::Deserializer::from_slice(&stored))
            .expect("it is loaded");
    assert_eq!(loaded, messages);
    for other in WIRES {
        if let Ok(body) = wire::by_name(other).expect("a wire").write(&RequestParts::new(&messages)) {
            let text = serde_json::to_string(&body).expect("JSON");
            serde_json::from_str::<Value>(&text).expect("JSON");
        }
    }
    dispatch(wire(), events);
}

/// Whether the arguments are an empty object, which need not be an event.
fn is_empty(arguments: &str) -> bool {
    serde_json::from_str(arguments).is_ok_and(|value: Value| value == json!({}))
}

/// The events of a reply.
#[derive(Default)]
struct Seen {
    text: String,
    reasoning: String,
    /// The arguments of each call so far.
    arguments: HashMap<usize, String>,
    /// The name and the arguments of each complete call.
    complete: HashMap<usize, (String, String)>,
    started: usize,
    has_failed: bool,
}

impl Seen {
    fn take(&mut self, event: ReplyEvent<'_>) {
        assert!(!self.has_failed, "{event:?} follows an error");
        match event {
            ReplyEvent::Text(piece) => self.text += piece,
            ReplyEvent::Reasoning(piece) => self.reasoning += piece,
            ReplyEvent::CallAnnounced { .. } => self.started += 1,
            ReplyEvent::CallArguments { index, arguments, piece, .. } => {
                let known = self.arguments.entry(index).or_default();
                let begins_again = arguments.len() == piece.len();
                assert!(begins_again || arguments == known.clone() + piece, "{arguments} {known} {piece}");
                arguments.clone_into(known);
            }
            ReplyEvent::CallComplete { index, call, .. } => {
                let no_pieces = || if is_empty(&call.arguments) { &*call.arguments } else { "" };
                let pieces = self.arguments.get(&index).map_or_else(no_pieces, String::as_str);
                assert_eq!(pieces, call.arguments, "the pieces are the arguments");
                let known = self.complete.insert(index, (call.name.clone(), call.arguments.clone()));
                assert_eq!(known, None, "a call is complete once");
            }
            ReplyEvent::Interrupted(_) => self.has_failed = true,
            _ => {}
        }
    }

    fn check(&self, reply: &AssistantMessage) {
        assert_eq!(self.text, reply.text());
        assert!(self.started <= reply.tool_calls.len());
        for (&index, (name, arguments)) in &self.complete {
            let call = &reply.tool_calls[index];
            assert_eq!(*name, call.name);
            // Arguments that contradict those of a complete call follow them.
            assert!(call.arguments.starts_with(&**arguments), "{call:?} {arguments}");
            assert!(!call.is_truncated(), "{call:?}");
        }
    }
}

/// Dispatches the stream to a registry that starts calls as early as it can.
fn dispatch(wire: Arc<dyn Wire>, events: &[String]) {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&ran);
    let tool = DynamicTool::new("f", "", json!({ "type": "object" }), move |arguments| {
        log.lock().expect("no panic").push(Value::Object(arguments));
        async { Ok::<_, String>("done") }
    });
    let registry =
        Registry::builder().dynamic(tool).start_all_while_streaming(true).build().expect("a registry");
    let chunks = stream::iter(events.iter().map(|event| wire.read_event(event)).collect::<Vec<_>>());
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let (reply, answers) = match runtime.block_on(registry.dispatch_stream(chunks)) {
        Ok(answered) => answered,
        Err(interrupted) => *interrupted.partial,
    };
    assert_eq!(answers.len(), reply.tool_calls.len());
    let mut ran = std::mem::take(&mut *ran.lock().expect("no panic"));
    for (call, answer) in reply.tool_calls.iter().zip(&answers) {
        assert_eq!(answer.tool_call_id, call.id);
        if !answer.is_error() {
            assert!(!call.is_truncated(), "{call:?} ran");
            // Missing arguments, null and `"null"` are an empty object.
            let arguments = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
            let arguments = arguments.unwrap_or_else(|| json!({}));
            let position = ran.iter().position(|ran| *ran == arguments);
            ran.swap_remove(position.expect("the call ran with its arguments"));
        }
    }
    assert_eq!(ran, Vec::<Value>::new(), "calls ran that the reply does not have");
    let messages: Vec<Message> =
        [Message::user("?"), reply.into()].into_iter().chain(answers.into_iter().map(Into::into)).collect();
    let _ = history::validate(&messages);
}
