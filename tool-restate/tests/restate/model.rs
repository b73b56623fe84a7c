//! The scripted model. Each request has an own name (`ask`), so that two replies to one request differ.

use crate::ledger::{What, nonce, wait_for_release, write};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tool_runtime::conversation::Request;
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, ToolCall};

/// The requests that this process has failed.
static FAILURES: AtomicUsize = AtomicUsize::new(0);

const SCRIPT: [&[&str]; 2] =
    [&["look", "charge", "ship", "decline"], &["relocate", "refund", "change", "ask"]];

fn replies(request: &Request) -> usize {
    request.messages().iter().filter(|message| matches!(message, Message::Assistant(_))).count()
}

fn user(request: &Request) -> &str {
    let is_user = |message: &&Message| matches!(message, Message::User(_));
    request.messages().iter().find(is_user).map(Message::text).unwrap_or_default()
}

/// Two replies with four calls each, and an answer.
pub(crate) async fn complete(request: Request) -> io::Result<AssistantMessage> {
    let (session, reply) = (user(&request), replies(&request));
    let order = format!("{session}:{reply}:{}", nonce());
    write(What::Asked, &order, "", "");
    tokio::time::sleep(Duration::from_millis(fastrand::u64(2..40))).await;
    let Some(tools) = SCRIPT.get(reply) else {
        return Ok(AssistantMessage::from_text(format!("The end of {order}")));
    };
    // Many servers count the ids from `call_0` in each reply.
    let call = |(position, tool): (usize, &&str)| {
        ToolCall::new(format!("call_{position}"), *tool, format!(r#"{{"order":"{order}:{position}"}}"#))
    };
    Ok(AssistantMessage::from_tool_calls(tools.iter().enumerate().map(call)))
}

/// The user's message has the number of replies with calls, the calls of each, and the tool: `20 8 nothing`. Further words are a number
/// of bytes for `long_text`. Other names stand for models that fail, that take long, or that wait for the test.
pub(crate) async fn follow(request: Request) -> io::Result<AssistantMessage> {
    let newest = request.messages().iter().rposition(|message| matches!(message, Message::User(_)));
    let messages = &request.messages()[newest.unwrap_or_default()..];
    let text = messages.first().map(Message::text).unwrap_or_default();
    let words: Vec<_> = text.split(' ').collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(0_usize);
    let tool = words.get(2).copied().unwrap_or_default();
    match tool {
        "fail" => return Err(io::Error::other("the model is overloaded")),
        "fail_once" if FAILURES.fetch_add(1, Ordering::Relaxed) == 0 => {
            return Err(io::Error::other("the model is overloaded"));
        }
        "panic" => panic!("the client has a defect"),
        "slow_model" => tokio::time::sleep(Duration::from_millis(1500)).await,
        "held_model" => wait_for_release().await,
        _ => {}
    }
    let replies = messages.iter().filter(|message| matches!(message, Message::Assistant(_))).count();
    if replies >= number(0) {
        return Ok(AssistantMessage::from_text("The end"));
    }
    let call = |position| {
        let (order, bytes) =
            (format!(r#"{{"order":"{text}:{position}"}}"#), format!(r#"{{"bytes":{}}}"#, number(3)));
        let (tool, arguments) = match tool {
            "long_text" => (tool, bytes),
            "slow_model" | "held_model" => ("ship", order),
            "hold_and_refund" => (["hold", "refund"][position % 2], order),
            _ => (tool, order),
        };
        ToolCall::new(format!("call_{position}"), tool, arguments)
    };
    Ok(AssistantMessage::from_tool_calls((0..number(1)).map(call)))
}
