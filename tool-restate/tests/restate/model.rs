//! The scripted model. Each request has an own name (`ask`), so that two replies to one request differ.

use crate::ledger::{What, nonce, write};
use std::io;
use std::time::Duration;
use tool_runtime::conversation::Request;
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, ToolCall};

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

/// The user's message has the number of replies, the calls of each, and the tool: `20 8 nothing`. The second word may be a number of
/// bytes for the tool `long_text`.
pub(crate) async fn follow(request: Request) -> io::Result<AssistantMessage> {
    let newest = request.messages().iter().rposition(|message| matches!(message, Message::User(_)));
    let messages = &request.messages()[newest.unwrap_or_default()..];
    let text = messages.first().map(Message::text).unwrap_or_default();
    let mut words = text.split(' ');
    let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or(0_usize);
    let (all, calls) = (number(), number());
    let tool = words.next().unwrap_or_default();
    let replies = messages.iter().filter(|message| matches!(message, Message::Assistant(_))).count();
    match tool {
        "fail" => return Err(io::Error::other("the model is overloaded")),
        "fail_once" if !std::env::temp_dir().join(text.replace(' ', "_")).exists() => {
            std::fs::write(std::env::temp_dir().join(text.replace(' ', "_")), "")?;
            return Err(io::Error::other("the model is overloaded"));
        }
        "panic" => panic!("the client has a defect"),
        "slow_model" => tokio::time::sleep(Duration::from_millis(1500)).await,
        _ => {}
    }
    if replies >= all {
        return Ok(AssistantMessage::from_text("The end"));
    }
    let call = |position| match tool {
        "long_texts" => ToolCall::new(format!("call_{position}"), "long_text", r#"{"bytes":1000000}"#),
        "relocate_and_refund" => {
            let (tool, order) =
                (["relocate", "refund"][position], format!(r#"{{"order":"{text}:{position}"}}"#));
            ToolCall::new(format!("call_{position}"), tool, order)
        }
        "long_text" => ToolCall::new(format!("call_{position}"), tool, format!(r#"{{"bytes":{calls}}}"#)),
        "slow_model" => {
            ToolCall::new(format!("call_{position}"), "ship", format!(r#"{{"order":"{text}:{position}"}}"#))
        }
        _ => ToolCall::new(format!("call_{position}"), tool, format!(r#"{{"order":"{text}:{position}"}}"#)),
    };
    let calls = if tool == "long_text" { 1 } else { calls };
    Ok(AssistantMessage::from_tool_calls((0..calls).map(call)))
}
