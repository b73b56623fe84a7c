//! The breakpoints of the prompt cache: <https://platform.claude.com/docs/en/build-with-claude/prompt-caching>.

use crate::wire::element::Element;
use crate::wire::role_messages::RoleMessages;
use crate::wire::{Body, Cache, WireError};
use serde_json::{Value, json};

const FIELD: &str = "cache_control";

fn breakpoint(cache: Cache) -> Value {
    if cache.one_hour { json!({ "type": "ephemeral", "ttl": "1h" }) } else { json!({ "type": "ephemeral" }) }
}

/// Sets a breakpoint after an element.
pub(super) fn mark(element: &mut Element<'_>, cache: Cache) -> Result<(), WireError> {
    element.set([(FIELD, &breakpoint(cache))])
}

/// Removes the breakpoints that were read.
pub(super) fn remove_breakpoints(elements: &mut [Element<'_>]) -> Result<(), WireError> {
    elements.iter_mut().try_for_each(|element| element.remove(FIELD))
}

/// Sets the breakpoints of the messages, in place of those that were read. `has_tools`: the tools may have one.
pub(super) fn mark_messages<'a>(
    system: &mut [Element<'a>],
    messages: &mut RoleMessages<'a>,
    cache: Cache,
    has_tools: bool,
) -> Result<(), WireError> {
    if cache.is_empty() {
        return Ok(());
    }
    remove_breakpoints(system)?;
    for content in messages.contents() {
        remove_breakpoints(content)?;
    }
    let mut others = usize::from(cache.tools && has_tools) + usize::from(cache.automatic);
    if let (true, Some(last)) = (cache.system, system.last_mut()) {
        mark(last, cache)?;
        others += 1;
    }
    for content in messages.newest_of_user(cache.message_breakpoints(others)) {
        if let Some(last) = content.last_mut() {
            mark(last, cache)?;
        }
    }
    Ok(())
}

/// Writes the automatic breakpoint.
pub(super) fn write(body: &mut Body, cache: Cache) -> Result<(), WireError> {
    if cache.automatic { body.write(FIELD, &breakpoint(cache)) } else { Ok(()) }
}
