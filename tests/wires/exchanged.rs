//! The content of messages that every wire carries.

use serde_json::{Value, json};
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, ToolMessage};

/// A text, a call or a result, in one form where wires have different ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entry {
    /// The text of the user. Some wires join adjacent messages.
    Input(String),
    /// The text of replies, or the reason why the model declines.
    Text(String),
    Call {
        name: String,
        arguments: Value,
    },
    Result {
        is_error: bool,
        text: String,
    },
}

/// The instructions, wherever they are in the messages, and all other entries in their order.
pub(crate) fn exchanged(messages: &[Message]) -> (String, Vec<Entry>) {
    let (mut instructions, mut entries) = (String::new(), Vec::new());
    let mut ids: Vec<&str> = Vec::new();
    let mut results: Vec<(usize, Entry)> = Vec::new();
    for message in messages {
        if let Message::Tool(result) = message {
            let position = ids.iter().position(|id| *id == result.tool_call_id);
            results.push((position.expect("the messages are valid"), result_entry(result)));
            continue;
        }
        // In the order of the calls.
        results.sort_by_key(|(position, _)| *position);
        entries.extend(results.drain(..).map(|(_, entry)| entry));
        match message {
            Message::Assistant(reply) => {
                ids = reply.tool_calls.iter().map(|call| &*call.id).collect();
                push_reply(&mut entries, reply);
            }
            Message::System(input) | Message::Developer(input) => instructions.push_str(input.text()),
            Message::User(input) => {
                // The images and files of results, and the start of a conversation that starts with a reply.
                let titles = ["Content of the result of ", "Images of the tool results:"];
                let is_added =
                    titles.iter().any(|title| input.text().starts_with(title)) || input.text() == ".";
                if !is_added {
                    push_text(&mut entries, Entry::Input(input.text().to_owned()));
                }
            }
            other => panic!("{other:?}"),
        }
    }
    results.sort_by_key(|(position, _)| *position);
    entries.extend(results.into_iter().map(|(_, entry)| entry));
    (instructions, entries)
}

/// Adds a text to the newest entry, if that one is of the same kind. Some wires do not carry blank text.
fn push_text(entries: &mut Vec<Entry>, entry: Entry) {
    match (entries.last_mut(), entry) {
        (_, Entry::Input(text) | Entry::Text(text)) if text.trim().is_empty() => {}
        (Some(Entry::Input(known)), Entry::Input(text)) | (Some(Entry::Text(known)), Entry::Text(text)) => {
            known.push_str(&text);
        }
        (_, entry) => entries.push(entry),
    }
}

fn push_reply(entries: &mut Vec<Entry>, reply: &AssistantMessage) {
    let has_text = !reply.text().trim().is_empty() || !reply.tool_calls.is_empty();
    let text = if has_text { reply.text() } else { reply.refusal().unwrap_or_default() };
    push_text(entries, Entry::Text(text.to_owned()));
    for call in &reply.tool_calls {
        let arguments = match serde_json::from_str(&call.arguments) {
            Ok(object @ Value::Object(_)) => object,
            _ if call.arguments.trim().is_empty() => json!({}),
            _ => json!({ "invalid_json": call.arguments }),
        };
        // Servers reject other names.
        let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
        let name = call.name.chars().map(|letter| if is_allowed(letter) { letter } else { '_' }).collect();
        entries.push(Entry::Call { name, arguments });
    }
}

fn result_entry(result: &ToolMessage) -> Entry {
    let is_notice = |line: &&str| !line.starts_with("[image: ") && !line.starts_with("[file: ");
    let text = result.text().lines().filter(is_notice).collect::<Vec<_>>().join("\n");
    match text.strip_prefix("Error: ") {
        Some(text) => Entry::Result { is_error: true, text: text.to_owned() },
        None => Entry::Result { is_error: result.is_error(), text },
    }
}
