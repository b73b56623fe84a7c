//! The check of the prompt cache before a request is sent.

use super::Session;
use crate::conversation::{ReplyWarning, Request};
use crate::wire::PrefixChange;
use serde_json::Value;

/// The newest request of a session.
#[derive(Clone, Debug)]
pub(super) struct LastRequest {
    wire: &'static str,
    body: Value,
}

/// A warning if the request invalidates the cache of the request before it. A request on another wire has another cache.
pub(super) fn check_cache(session: &mut Session, request: &Request) -> Option<ReplyWarning> {
    // The program gets the error of a request that cannot be written.
    let new = LastRequest { wire: request.wire.name(), body: serde_json::to_value(request).ok()? };
    let earlier = session.last_request.replace(new.clone()).filter(|earlier| earlier.wire == new.wire)?;
    let change = PrefixChange::between(new.wire, &earlier.body, &new.body)?;
    Some(ReplyWarning::CachePrefixChanged { change })
}
