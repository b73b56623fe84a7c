//! To which call of a streamed reply a piece belongs.
//!
//! The documentation of Chat Completions gives each call an index, but servers omit indices, ids and names, repeat them, or
//! change them.

use crate::message::{Arguments, CallPiece, ToolCall, is_object};
use crate::wire::partial_call::PartialCall;
use crate::wire::partial_calls::{PartialCalls, WhichCall};

/// The call to which a piece belongs. A gateway of another API may deviate in the same ways.
pub(in crate::wire) fn which_call(piece: &CallPiece, calls: &PartialCalls) -> WhichCall {
    if piece.is_whole_call {
        return match calls.with_id_and_name(&piece.id, &piece.name) {
            Some(position) if calls.as_slice()[position].call.is_stated_by(&piece.id, &piece.name) => {
                WhichCall::Known(position)
            }
            _ => WhichCall::New,
        };
    }
    let candidate =
        candidate(piece, calls).and_then(|position| Some((position, calls.as_slice().get(position)?)));
    match candidate {
        Some((position, call)) if goes_on_with(call, piece) => WhichCall::Known(position),
        _ if piece.is_empty() => WhichCall::NoCall,
        _ if is_head_with_known_id(piece, calls) => WhichCall::NewIfContinued,
        Some((_, call)) if may_be_followed_by(call, piece) => WhichCall::NewIfContinued,
        _ => WhichCall::New,
    }
}

/// The call that the index and the id of a piece name; without both, the newest call.
fn candidate(piece: &CallPiece, calls: &PartialCalls) -> Option<usize> {
    let index = piece.index;
    let known = |position: usize| &calls.as_slice()[position];
    let by_id = calls.with_id(&piece.id);
    match (index.and_then(|index| calls.with_index(index)), by_id) {
        (Some(position), Some(_)) if known(position).call.id == piece.id => Some(position),
        // A known id with a name, under another index, belongs to another call.
        (_, Some(position))
            if piece.name.is_empty()
                || known(position).index.is_none()
                || index.is_none()
                || states_again(known(position), piece) =>
        {
            Some(position)
        }
        (Some(position), _) => Some(position),
        (None, _) if index.is_none() => calls.newest(),
        // The newest call may have no index, or a different one.
        (None, _) if piece.has_no_head() => calls.newest().filter(|&position| !known(position).is_whole()),
        (None, _) => None,
    }
}

/// Whether a piece that has the same index, or the same id, or neither, belongs to this call.
///
/// Calls share an index with Gemini and its gateways (<https://github.com/NousResearch/hermes-agent/issues/62940>)
/// and with sglang (<https://github.com/InternLM/lmdeploy/issues/3412>). vLLM repeated the name in each piece
/// (<https://github.com/vllm-project/vllm/issues/18412>); vLLM and others gave each piece a different id
/// (<https://github.com/cubist38/mlx-openai-server/pull/216>).
fn goes_on_with(call: &PartialCall, piece: &CallPiece) -> bool {
    let ToolCall { id, name, arguments, .. } = &call.call;
    let has_same_name = *name == piece.name;
    let has_index = piece.index.is_some();
    let has_id = !id.is_empty() && *id == piece.id;
    if !has_id && !id.is_empty() && !piece.id.is_empty() {
        let is_nothing_new = piece.name.is_empty() && piece.arguments.is_empty();
        let may_go_on = piece.name.is_empty() || has_same_name && has_index;
        return is_nothing_new || may_go_on && can_take(call, &piece.arguments);
    }
    if piece.name.is_empty() || name.is_empty() {
        return true;
    }
    if arguments.is_empty() {
        // A different name may be the next piece of the name, if the id or an index shows that both belong to one
        // call.
        return has_same_name || (has_id || has_index) && piece.arguments.is_empty();
    }
    if !has_same_name {
        let continues = !begins_object(piece) && (has_index || !piece.arguments.is_empty());
        let may_be_name = has_id || continues || states_more(call, piece);
        return may_be_name && !call.is_whole();
    }
    !call.is_whole() || has_id || has_index && piece.arguments.is_empty()
}

/// Whether a piece with a name has no arguments, and the id of a call of the same tool.
fn is_head_with_known_id(piece: &CallPiece, calls: &PartialCalls) -> bool {
    let known = calls.with_id(&piece.id).map(|position| &calls.as_slice()[position].call);
    piece.arguments.is_empty() && known.is_some_and(|known| known.is_stated_by(&piece.id, &piece.name))
}

/// Whether a piece with another index states the call again: with its complete arguments, or with more of them.
fn states_again(call: &PartialCall, piece: &CallPiece) -> bool {
    let Arguments::Piece(arguments) = &piece.arguments else { return false };
    if !call.call.is_stated_by(&piece.id, &piece.name) {
        return false;
    }
    if call.is_whole() && !call.is_empty_object() {
        return call.is_repeated_by(arguments);
    }
    // Equal pieces may begin two calls.
    states_more(call, piece) && (call.stated_arguments() != *arguments || is_object(arguments))
}

/// Whether a piece has all arguments of the call so far, and maybe more.
fn states_more(call: &PartialCall, piece: &CallPiece) -> bool {
    let Arguments::Piece(arguments) = &piece.arguments else { return false };
    !call.takes_no_more() && !piece.arguments.is_empty() && arguments.starts_with(call.stated_arguments())
}

/// Whether the arguments of the piece begin an object. Those of a piece of a name do not
/// (<https://github.com/openclaw/openclaw/issues/127603>).
fn begins_object(piece: &CallPiece) -> bool {
    match &piece.arguments {
        Arguments::Piece(arguments) | Arguments::Whole(arguments) => arguments.trim_start().starts_with('{'),
        Arguments::Json(_) => true,
    }
}

/// Whether these arguments can continue those of this call. Empty arguments after empty arguments belong to another call.
fn can_take(call: &PartialCall, arguments: &Arguments) -> bool {
    let have_begun = !call.call.arguments.is_empty() || !arguments.is_empty();
    have_begun && !call.is_whole()
}

/// Whether a piece is the head of another call of this tool, without arguments. Such a call exists only if its arguments
/// follow: vLLM ends a call with such a piece, which has an unrelated id.
fn may_be_followed_by(call: &PartialCall, piece: &CallPiece) -> bool {
    let has_own_id = !piece.id.is_empty() && piece.id != call.call.id;
    let is_same_tool = piece.name == call.call.name && piece.index.is_some();
    call.is_whole() && has_own_id && is_same_tool && piece.arguments.is_empty()
}
