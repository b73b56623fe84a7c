//! To which call of a streamed reply a piece belongs.
//!
//! A block has its index, and a call its id. Gateways start several blocks with one id, each with more of the arguments.

use crate::message::CallPiece;
use crate::wire::call_rules::CallRules;
use crate::wire::chat_completions;
use crate::wire::partial_calls::{PartialCalls, WhichCall};

pub(in crate::wire) const CALL_RULES: CallRules =
    CallRules { has_unique_ids: true, sends_complete_calls: false, may_truncate_objects: true };

/// The call to which a piece belongs: the call with its id and its name. Without an id, the rules of Chat Completions apply.
pub(in crate::wire) fn which_call(piece: &CallPiece, calls: &PartialCalls) -> WhichCall {
    match calls.with_id_and_name(&piece.id, &piece.name) {
        Some(position) => WhichCall::Known(position),
        None if !piece.id.is_empty() => WhichCall::New,
        None => chat_completions::which_call(piece, calls),
    }
}
