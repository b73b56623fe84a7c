//! The check of the prompt cache before a request is sent.

use super::Session;
use crate::conversation::{ReplyWarning, Request};
use crate::wire::PrefixChange;

/// A warning if the request invalidates the cache of the request before it.
pub(super) fn check_cache(session: &mut Session, request: &Request) -> Option<ReplyWarning> {
    // The program gets the error of a request that cannot be written.
    let body = serde_json::to_value(request).ok()?;
    let earlier = session.last_request.replace(body);
    let change = PrefixChange::between(request.wire.name(), &earlier?, session.last_request.as_ref()?)?;
    Some(ReplyWarning::CachePrefixChanged { change })
}
