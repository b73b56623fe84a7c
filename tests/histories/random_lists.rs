//! Random lists of messages.

use crate::{rejection, rounds, seed, written};
use fastrand::Rng;
use serde_json::json;
use tool_runtime::history::{pairs, validate};
use tool_runtime::message::Message;
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, RequestParts, Responses, Wire,
};
use tool_runtime::{AssistantMessage, ToolCall, ToolMessage};
use tool_runtime_repair::{Orphans, Repair, repair, repair_with};
use tool_runtime_testing::check_request;

const IDS: [&str; 7] = ["", "a", "b", "c", "call_0", "functions.f:0", "functions.g:1"];

/// One of a few ids, so that ids often repeat.
fn id(random: &mut Rng) -> &'static str {
    IDS[random.usize(..IDS.len())]
}

fn message(random: &mut Rng) -> Message {
    match random.u8(..10) {
        0 => Message::system("Be brief."),
        1 => Message::developer("Be kind."),
        2 | 3 => Message::user("?"),
        4 => AssistantMessage::from_text("!").into(),
        5 => AssistantMessage::default().into(),
        6 | 7 => {
            let calls = (0..random.usize(..4)).map(|_| ToolCall::new(id(random), "f", "{}"));
            let mut reply = AssistantMessage::from_tool_calls(calls);
            if random.bool() {
                reply.content = Some("".into());
            }
            reply.into()
        }
        _ => {
            let mut tool_message =
                json!({"role": "tool", "tool_call_id": id(random), "content": random.u8(..).to_string()});
            match random.u8(..4) {
                0 => tool_message["name"] = json!(["f", "g", ""][random.usize(..3)]),
                1 => tool_message["content"] = json!([{"type": "text", "text": "x"}]),
                _ => {}
            }
            Message::Tool(serde_json::from_value::<ToolMessage>(tool_message).expect("it is read"))
        }
    }
}

pub(crate) fn list(random: &mut Rng) -> Vec<Message> {
    (0..random.usize(..16)).map(|_| message(random)).collect()
}

fn wires() -> [Box<dyn Wire>; 7] {
    [
        Box::new(ChatCompletions::new()),
        Box::new(Anthropic::new()),
        Box::new(Responses::new()),
        Box::new(Gemini::new()),
        Box::new(GeminiInteractions::new()),
        Box::new(Bedrock::new()),
        Box::new(Ollama::new()),
    ]
}

fn is_answer(message: &Message) -> bool {
    matches!(message, Message::Tool(_))
}

#[test]
fn repair_makes_every_list_valid() {
    let mut random = Rng::with_seed(seed("random lists"));
    let mut valid = 0;
    for _ in 0..rounds() {
        let list = list(&mut random);
        let shown = || list.iter().map(written).collect::<Vec<_>>().join("\n");
        let orphans = if random.bool() { Orphans::Drop } else { Orphans::ConvertToUser };
        let was_valid = validate(&list).is_ok();
        valid += usize::from(was_valid);
        assert_eq!(was_valid, rejection(&list).is_none(), "a strict server disagrees: {}", shown());
        let (fixed, repairs) = repair_with(list.clone(), orphans);
        assert!(validate(&fixed).is_ok() && rejection(&fixed).is_none(), "{}", shown());
        assert_eq!(fixed.is_empty(), list.is_empty(), "{}", shown());
        if !list.is_empty() {
            for wire in wires() {
                let body = wire.write(&RequestParts::new(&fixed)).expect("it is written");
                let body = serde_json::to_value(body).expect("it is JSON");
                assert_eq!(check_request(&*wire, &body), Ok(()), "{}: {}", wire.name(), shown());
            }
        }
        assert_eq!(
            repair_with(list.clone(), orphans),
            (fixed.clone(), repairs.clone()),
            "the repair is deterministic"
        );
        assert_eq!(was_valid, repairs.is_empty(), "only a valid list is not changed: {}", shown());
        if was_valid {
            assert_eq!(fixed, list);
        }
        assert!(
            repairs.is_sorted_by_key(Repair::index)
                && repairs.iter().all(|repair| repair.index() < list.len())
        );
        assert_eq!(
            repair(fixed.clone()),
            (fixed.clone(), Vec::new()),
            "a second repair changes nothing: {}",
            shown()
        );
        // Messages that are neither replies nor tool messages stay in order.
        let others = |messages: &[Message]| -> Vec<String> {
            let stays = |message: &&Message| {
                matches!(message, Message::System(_) | Message::Developer(_) | Message::User(_))
            };
            messages.iter().filter(stays).map(written).collect()
        };
        // A list of results alone becomes messages of the user, since servers reject an empty list.
        if orphans == Orphans::Drop && !list.iter().all(is_answer) {
            assert_eq!(others(&fixed), others(&list));
        }
        let reply_texts = |messages: &[Message]| -> Vec<String> {
            let replies = messages.iter().filter(|message| matches!(message, Message::Assistant(_)));
            replies.map(|message| message.text().to_owned()).collect()
        };
        assert_eq!(reply_texts(&fixed), reply_texts(&list));
        let replies = |messages: &[Message]| {
            messages.iter().filter(|message| matches!(message, Message::Assistant(_))).count()
        };
        assert_eq!(replies(&fixed), replies(&list), "no reply is lost: {}", shown());
        assert_eq!(pairs(&fixed).count(), fixed.iter().filter(|message| is_answer(message)).count());
    }
    println!("{valid} of {} were valid", rounds());
    assert!(valid > rounds() / 200, "some lists are valid");
}
