//! Random valid histories, in the forms that servers accept.

use crate::{text_reply, user};
use fastrand::Rng;
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, ToolCall, ToolMessage};

/// A history of some exchanges, with calls in at least one reply.
pub(crate) fn history(random: &mut Rng) -> Vec<Message> {
    let mut messages = Vec::new();
    if random.bool() {
        messages.push(if random.bool() {
            Message::system("Be brief.")
        } else {
            Message::developer("Be kind.")
        });
    }
    // Some servers count from `call_0` in each reply.
    let counts = random.bool();
    let mut next = 0;
    for round in 0..random.usize(1..4) {
        if round > 0 || random.u8(..) < 200 {
            messages.push(user(["Hello!", "And now?", "Go on."][random.usize(..3)]));
        }
        for _ in 0..random.usize(1..4) {
            if counts {
                next = 0;
            }
            let ids: Vec<String> =
                (0..random.usize(1..5)).map(|index| format!("call_{}", next + index)).collect();
            next += ids.len();
            exchange(&ids, random, &mut messages);
        }
        if random.bool() {
            messages.push(text_reply("Done."));
        }
    }
    messages
}

fn exchange(ids: &[String], random: &mut Rng, messages: &mut Vec<Message>) {
    let calls = ids.iter().map(|id| {
        let arguments = format!(r#"{{"x":{}}}"#, random.u8(..));
        ToolCall::new(&**id, ["now", "today", "f"][random.usize(..3)], arguments)
    });
    let mut reply = AssistantMessage::from_tool_calls(calls);
    if random.u8(..) < 50 {
        reply.content = Some("Let me see.".into());
    }
    messages.push(reply.into());
    let mut tool_messages: Vec<Message> =
        ids.iter().map(|id| ToolMessage::new(&**id, format!("result {}", random.u16(..))).into()).collect();
    if random.bool() {
        random.shuffle(&mut tool_messages);
    }
    messages.append(&mut tool_messages);
}
