//! Random replies of Gemini: streamed in pieces of any size, each equals the same reply that is not streamed. Both go back
//! unchanged, with their results, and the written history is read as the same messages.

use crate::gemini::{read, written};
use fastrand::Rng;
use serde_json::{Value, json};
use tool_runtime::message::Message;
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::{Gemini, Wire};
use tool_runtime::{AssistantMessage, ToolMessage, history};
use tool_runtime_testing::check_request;

const REPLIES: usize = 2_000;

fn text(random: &mut Rng) -> String {
    const PIECES: [&str; 8] = ["a", "é", "\"", "\\", "{}", "\n", "北京", " "];
    (0..random.usize(1..8)).map(|_| PIECES[random.usize(..PIECES.len())]).collect()
}

fn part(random: &mut Rng) -> Value {
    let mut part = match random.u8(..8) {
        0 => json!({ "text": text(random), "thought": true }),
        1 | 2 => json!({ "text": text(random) }),
        3 => json!({ "executableCode": { "language": "PYTHON", "code": text(random) } }),
        _ => {
            let name = ["f", "g", "n_2", "a.b"][random.usize(..4)];
            let args: Value =
                (0..random.usize(..3)).map(|_| (text(random), json!([1, { "a": null }]))).collect();
            let mut call = json!({ "name": name, "args": args });
            if random.u8(..3) == 0 {
                // Some gateways use the name of the tool as the id of all its calls.
                call["id"] = if name == "f" { name.into() } else { random.u32(..).to_string().into() };
            }
            json!({ "functionCall": call })
        }
    };
    if random.bool() {
        part["thoughtSignature"] = json!("c2ln");
    }
    part
}

/// Parts of a reply. Adjacent parts that a stream would join are left out.
fn parts(random: &mut Rng) -> Vec<Value> {
    let mut parts: Vec<Value> = Vec::new();
    for _ in 0..random.usize(1..7) {
        let part = part(random);
        let fields = |part: &Value| part.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>());
        let is_joined = part["text"].is_string() && part.get("thoughtSignature").is_none();
        if !is_joined || parts.last().is_none_or(|last| fields(last) != fields(&part)) {
            parts.push(part);
        }
    }
    parts
}

/// The chunks of a stream with these parts, of which text without a signature is in pieces.
fn chunks(random: &mut Rng, parts: &[Value]) -> Vec<Value> {
    let mut chunks: Vec<Vec<Value>> = vec![Vec::new()];
    let mut push = |random: &mut Rng, part: Value| {
        if random.bool() {
            chunks.push(Vec::new());
        }
        chunks.last_mut().expect("there is one").push(part);
    };
    for part in parts {
        match part["text"].as_str() {
            Some(text) if part.get("thoughtSignature").is_none() => {
                for letter in text.chars() {
                    let mut piece = part.clone();
                    piece["text"] = json!(letter.to_string());
                    push(random, piece);
                }
            }
            _ => push(random, part.clone()),
        }
    }
    let count = chunks.len();
    let chunks = chunks.into_iter().enumerate().map(|(index, parts)| {
        let mut candidate = json!({ "content": { "role": "model", "parts": parts } });
        if index + 1 == count {
            candidate["finishReason"] = json!("STOP");
        }
        json!({ "candidates": [candidate], "responseId": "r1", "modelVersion": "gemini-3" })
    });
    chunks.collect()
}

/// The messages of an exchange with this reply, with results in any order.
fn exchange(random: &mut Rng, reply: AssistantMessage) -> Vec<Message> {
    let calls = reply.tool_calls.iter().enumerate();
    let mut results: Vec<Message> = calls
        .map(|(index, call)| {
            ToolMessage::new(&call.id, format!("result {index}")).with_tool(&call.name).into()
        })
        .collect();
    random.shuffle(&mut results);
    [vec![Message::user("?"), reply.into()], results, vec![Message::user("!")]].concat()
}

#[test]
fn a_streamed_reply_equals_the_whole_reply_and_a_written_history_is_read_again() {
    let seed = std::env::var("WIRES_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("WIRES_SEED={seed}");
    let mut random = Rng::with_seed(seed);
    for _ in 0..REPLIES {
        let parts = parts(&mut random);
        let whole = read(&json!(parts), "STOP");
        let mut assembler = ReplyAssembler::new().wire(Gemini::new());
        for chunk in chunks(&mut random, &parts) {
            assembler.push(chunk);
        }
        let streamed = assembler.into_reply().expect("it is complete");
        assert_eq!(streamed.tool_calls, whole.tool_calls);
        assert_eq!((&streamed.content, streamed.reasoning()), (&whole.content, whole.reasoning()));
        let (streamed, whole) = (exchange(&mut random, streamed), exchange(&mut random, whole));
        history::validate(&streamed).expect("it is valid");
        let contents = written(&streamed);
        assert_eq!(contents, written(&whole), "the order of the results does not matter");
        assert_eq!(contents[1]["parts"], json!(parts));
        assert_eq!(check_request(&Gemini::new(), &json!({ "contents": contents })), Ok(()));
        let read = Gemini::new().read_messages(&contents.to_string()).expect("it is read");
        history::validate(&read).expect("it is valid");
        assert_eq!(written(&read), contents);
        // Each result still belongs to its call.
        let texts = |messages: &[Message]| -> Vec<String> {
            let Message::Assistant(reply) = &messages[1] else { panic!("a reply") };
            let text_of = |id: &str| {
                messages.iter().find_map(|message| match message {
                    Message::Tool(result) if result.tool_call_id == id => Some(result.text().to_owned()),
                    _ => None,
                })
            };
            reply.tool_calls.iter().map(|call| text_of(&call.id).expect("it has a result")).collect()
        };
        assert_eq!(texts(&read), texts(&whole));
    }
}
