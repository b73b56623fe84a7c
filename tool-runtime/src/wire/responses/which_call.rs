//! To which call of a streamed reply a piece belongs.
//!
//! A call has a `call_id`, which is its identity, and an item, which has an id and a position in the response. Servers state
//! a call in several items (<https://github.com/lobehub/lobehub/issues/13506>), omit positions or ids, or change ids.

use crate::json::sorted_text;
use crate::message::{Arguments, CallPiece, ToolCall};
use crate::wire::call_rules::CallRules;
use crate::wire::chat_completions;
use crate::wire::partial_calls::{PartialCalls, WhichCall};
use serde_json::Value;
use std::collections::HashMap;

pub(super) const CALL_RULES: CallRules =
    CallRules { has_unique_ids: true, sends_complete_calls: true, may_truncate_objects: false };

/// The call to which a piece belongs: the call with its `call_id` and its name; otherwise the call of its item, by the id of
/// the item or else by the position. A complete call without a known `call_id` is the call of its item only if it can be: some
/// servers change the `call_id`. Without a `call_id` and an item, the rules of Chat Completions apply.
pub(super) fn which_call(piece: &CallPiece, calls: &PartialCalls) -> WhichCall {
    if let Some(position) = calls.with_id_and_name(&piece.id, &piece.name) {
        return WhichCall::Known(position);
    }
    let with_index = || piece.index.and_then(|index| calls.with_index(index));
    let known = calls.with_item_id(&piece.item_id).or_else(with_index);
    if let (true, Some(position)) = (piece.has_no_head(), known) {
        return WhichCall::Known(position);
    }
    if let Arguments::Whole(arguments) = &piece.arguments {
        let newest = || calls.newest().filter(|_| piece.index.is_none());
        let can_be = |position: &usize| can_be_completed_by(*position, &piece.name, arguments, calls);
        if let Some(position) = known.or_else(newest).filter(can_be) {
            return WhichCall::Known(position);
        }
    }
    if piece.id.is_empty() { chat_completions::which_call(piece, calls) } else { WhichCall::New }
}

/// Whether the call at this position can be the complete call with this name and these arguments: no complete call arrived
/// for it yet, and its pieces do not differ. The id is not compared, since some servers change it.
fn can_be_completed_by(position: usize, name: &str, arguments: &str, calls: &PartialCalls) -> bool {
    calls.as_slice().get(position).is_some_and(|known| {
        let ToolCall { name: known_name, arguments: beginning, .. } = &known.call;
        let has_same_name = name.is_empty() || known_name.is_empty() || known_name == name;
        !known.is_confirmed && has_same_name && arguments.starts_with(&**beginning)
    })
}

/// The calls to which the complete calls at the end of a response belong.
///
/// A call may have another id there than before, and another index: vLLM changes the id
/// (<https://github.com/vllm-project/vllm/pull/47916>). So a call with the tool and the arguments of one that began is that
/// call, since no call may run twice.
pub(super) fn which_complete_calls(complete: &[CallPiece], calls: &PartialCalls) -> Vec<WhichCall> {
    let mut began = BegunCalls::new(calls);
    let known: Vec<Option<usize>> = complete.iter().map(|call| began.take_position_of(call)).collect();
    let which = complete.iter().zip(known).map(|(call, known)| match known {
        Some(position) => WhichCall::Known(position),
        None if began.take_same(call) => WhichCall::NoCall,
        // Without indices, it may be any of the calls.
        None if began.have_indices && call.index.is_some() => WhichCall::New,
        None => WhichCall::NoCall,
    });
    which.collect()
}

/// The calls that began before the end of the response.
struct BegunCalls<'a> {
    calls: &'a PartialCalls,
    have_indices: bool,
    /// The arguments of each call, which the complete call has if the call has none.
    arguments: Vec<String>,
    /// The number of calls with each tool and arguments that match no complete call yet.
    unmatched: HashMap<(String, String), usize>,
}

impl<'a> BegunCalls<'a> {
    fn new(calls: &'a PartialCalls) -> Self {
        let arguments: Vec<String> =
            calls.as_slice().iter().map(|known| normalized(&known.call.arguments)).collect();
        let mut unmatched: HashMap<(String, String), usize> = HashMap::new();
        for (known, arguments) in calls.as_slice().iter().zip(&arguments) {
            *unmatched.entry((known.call.name.clone(), arguments.clone())).or_default() += 1;
        }
        let have_indices = calls.as_slice().iter().all(|known| known.index.is_some());
        BegunCalls { calls, have_indices, arguments, unmatched }
    }

    /// The call that began with the id and the name of this complete call, or as its item and without or with the same arguments.
    fn take_position_of(&mut self, call: &CallPiece) -> Option<usize> {
        let arguments = normalized(whole(call));
        let with_index = call.index.and_then(|index| self.calls.with_index(index));
        let with_id = self.calls.with_id_and_name(&call.id, &call.name);
        let with_item_id = self.calls.with_item_id(&call.item_id);
        let began = |position: &usize| {
            let known = &self.arguments[*position];
            self.calls.as_slice()[*position].call.name == call.name
                && (known.is_empty() || *known == arguments)
        };
        let by_item = || [with_item_id, with_index].into_iter().flatten().find(began);
        let position = with_id.or_else(by_item)?;
        let known = std::mem::replace(&mut self.arguments[position], arguments);
        if let Some(count) = self.unmatched.get_mut(&(call.name.clone(), known)) {
            *count = count.saturating_sub(1);
        }
        Some(position)
    }

    /// Takes a call with the tool and the arguments of this one that matches no other complete call. Returns whether there
    /// is one.
    fn take_same(&mut self, call: &CallPiece) -> bool {
        match self.unmatched.get_mut(&(call.name.clone(), normalized(whole(call)))) {
            Some(count @ 1..) => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}

fn whole(call: &CallPiece) -> &str {
    match &call.arguments {
        Arguments::Whole(arguments) => arguments,
        Arguments::Piece(_) | Arguments::Json(_) => "",
    }
}

/// The arguments without differences of white space and of the order of keys.
fn normalized(arguments: &str) -> String {
    serde_json::from_str::<Value>(arguments).map_or_else(|_| arguments.to_owned(), sorted_text)
}
