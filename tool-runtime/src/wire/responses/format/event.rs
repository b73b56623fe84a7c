//! Events of a streamed reply: <https://platform.openai.com/docs/api-reference/responses-streaming>.

use super::custom_tool::CustomTools;
use super::item::{Item, is_custom, may_end_in_text, read_items};
use super::reply::{Response, read_usage};
use super::tool_search::is_search;
use super::{FORMAT, NAME};
use crate::message::{
    Arguments, CallPiece, ContentPiece, Delta, Finish, ItemContent, ItemPiece, ReplyPiece, StreamError,
    WholeItem, is_object,
};
use crate::wire::error::{beginning, server_message};
use crate::wire::event_data::read_data;
use crate::wire::finish_reason::completeness;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    output_index: Option<i64>,
    #[serde(default, borrow)]
    item: Option<&'a RawValue>,
    #[serde(default)]
    delta: Value,
    #[serde(default)]
    arguments: Value,
    #[serde(default, borrow)]
    response: Option<Response<'a>>,
    // The fields of an error. Some servers wrap them in `error`.
    #[serde(default)]
    error: Value,
    #[serde(default)]
    message: Value,
    #[serde(default)]
    code: Value,
}

/// Reads the text after `data:` of a server-sent event.
pub(super) fn read(data: &str, custom_tools: &CustomTools) -> Delta {
    read_data(data, NAME, FORMAT, |text| read_event(serde_json::from_str(text)?, text, custom_tools))
}

fn failed(error: StreamError) -> Delta {
    Delta { error: Some(error), ..Delta::default() }
}

fn read_event(event: Event<'_>, text: &str, custom_tools: &CustomTools) -> serde_json::Result<Delta> {
    let delta = || event.delta.as_str().unwrap_or_default().to_owned();
    let content = match &*event.r#type {
        "response.output_text.delta" => ContentPiece { text: Some(delta()), ..ContentPiece::default() },
        "response.refusal.delta" => ContentPiece { refusal: Some(delta()), ..ContentPiece::default() },
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
            ContentPiece { reasoning: Some(delta()), ..ContentPiece::default() }
        }
        "response.function_call_arguments.delta" => {
            call(CallPiece { index: event.output_index, ..CallPiece::arguments(0, delta()) })
        }
        // Some servers send no pieces before it. Without an index, its call is unknown.
        "response.function_call_arguments.done" => match (event.output_index, event.arguments) {
            (Some(index), Value::String(text)) => call(CallPiece {
                arguments: Arguments::Whole(text),
                ..CallPiece::arguments(index, String::new())
            }),
            _ => ContentPiece::default(),
        },
        "response.output_item.added" => match event.item {
            // The id of a search is another one in the complete item.
            Some(item) if is_search(item.get()) => ContentPiece::default(),
            Some(item) => started(Item::read(item.get(), custom_tools)?, event.output_index),
            None => ContentPiece::default(),
        },
        "response.output_item.done" => match event.item {
            Some(item) => complete(item, event.output_index, custom_tools)?,
            None => ContentPiece::default(),
        },
        "response.created" | "response.queued" | "response.in_progress" => {
            let origin = event.response.map(|response| response.origin());
            return Ok(Delta {
                replies: vec![ReplyPiece::default()],
                model: origin.as_ref().and_then(|origin| origin.model.clone()),
                response_id: origin.and_then(|origin| origin.response_id),
                ..Delta::default()
            });
        }
        "response.completed" | "response.incomplete" => return Ok(ended(event.response, custom_tools)),
        "response.failed" | "error" => {
            let nested = event.response.map(|response| response.error).unwrap_or_default();
            let fields = json!({ "message": event.message, "code": event.code });
            let error = [nested, event.error].into_iter().find(|error| server_message(error).is_some());
            let error = error.unwrap_or(fields);
            let message = server_message(&error).unwrap_or_else(|| error.to_string());
            return Ok(failed(StreamError::Server { message, error }));
        }
        // The complete text after its pieces, parts of messages, and calls that the provider runs.
        kind if kind.starts_with("response.") => return Ok(Delta::default()),
        _ => {
            return Ok(match server_message(&event.error) {
                Some(message) => failed(StreamError::Server { message, error: event.error }),
                None => Delta { skipped: Some(beginning(text)), ..Delta::default() },
            });
        }
    };
    let replies = vec![ReplyPiece { content, ..ReplyPiece::default() }];
    Ok(Delta { replies, ..Delta::default() })
}

fn call(piece: CallPiece) -> ContentPiece {
    ContentPiece { calls: vec![piece], ..ContentPiece::default() }
}

/// The start of an item. Its arguments follow.
fn started(item: Item, index: Option<i64>) -> ContentPiece {
    match item.content {
        ItemContent::Call(started) => call(CallPiece {
            index,
            id: started.id,
            name: started.name,
            ..CallPiece::arguments(0, String::new())
        }),
        _ => ContentPiece::default(),
    }
}

/// A complete item. Its text arrived in pieces.
fn complete(
    item: &RawValue,
    index: Option<i64>,
    custom_tools: &CustomTools,
) -> serde_json::Result<ContentPiece> {
    let mut read = Item::read(item.get(), custom_tools)?;
    let is_valid = read.is_valid();
    let mut piece = ContentPiece::default();
    if let ItemContent::Call(call) = &mut read.content {
        if read.is_incomplete && is_object(&call.arguments) {
            // Arguments that are an object would complete the call.
            call.arguments.clear();
        }
        let takes_text = is_custom(call);
        piece.calls.push(CallPiece {
            index,
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: Arguments::Whole(call.arguments.clone()),
            takes_text,
            extra: call.extra.to_map(NAME),
        });
        if read.is_incomplete {
            return Ok(piece);
        }
    }
    let json = item.get().to_owned();
    piece.items.push(ItemPiece::Whole(WholeItem { index, json, content: read.content, is_valid }));
    Ok(piece)
}

/// The end of the response, which contains all items again.
fn ended(response: Option<Response<'_>>, custom_tools: &CustomTools) -> Delta {
    let Some(response) = response else { return Delta { is_done: true, ..Delta::default() } };
    let finish = response.finish_reason().map(|reason| Finish {
        completeness: completeness(&reason),
        reason,
        may_truncate_objects: response.output.as_deref().is_some_and(may_end_in_text),
    });
    let whole = response.output.as_deref().and_then(|output| whole_content(output, custom_tools));
    let origin = response.origin();
    Delta {
        replies: vec![ReplyPiece { whole, finish, ..ReplyPiece::default() }],
        model: origin.model,
        response_id: origin.response_id,
        usage: read_usage(&response.usage),
        is_done: true,
        ..Delta::default()
    }
}

/// The content of a response, from a server that sends no events for its items.
fn whole_content(output: &[&RawValue], custom_tools: &CustomTools) -> Option<ContentPiece> {
    let mut content = ContentPiece::default();
    for (index, item) in (0..).zip(output) {
        let piece = complete(item, Some(index), custom_tools).ok()?;
        content.calls.extend(piece.calls);
        content.items.extend(piece.items);
    }
    let reply = read_items(output, custom_tools).ok()?;
    content.text = reply.content.map(|text| text.as_str().to_owned());
    content.refusal = reply.refusal;
    Some(content)
}
