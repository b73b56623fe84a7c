//! The container of the provider's code execution, in which programs of the model call tools:
//! <https://platform.claude.com/docs/en/agents-and-tools/tool-use/programmatic-tool-calling>.

use super::NAME;
use crate::message::Message;
use crate::wire::{Body, WireError};
use serde_json::{Map, Value};

const FIELD: &str = "container";

/// The container as a further field of its reply; none if the value is null.
pub(super) fn read(container: &Value) -> Map<String, Value> {
    let container = Some(container).filter(|container| !container.is_null());
    container.map(|container| (FIELD.to_owned(), container.clone())).into_iter().collect()
}

/// Writes the container of a reply that the request continues: its program waits for results of tools in it. A later message of
/// the user starts without one, since a container expires.
pub(super) fn write(body: &mut Body, messages: &[Message]) -> Result<(), WireError> {
    let continued = messages.iter().rev().take_while(|message| !matches!(message, Message::User(_)));
    let container = continued.filter_map(|message| match message {
        Message::Assistant(reply) => reply.extra.on_wire(NAME).find(|(field, _)| *field == FIELD),
        _ => None,
    });
    match container.map(|(_, container)| &container["id"]).find(|id| id.is_string()) {
        Some(id) => body.write(FIELD, id),
        None => Ok(()),
    }
}
