//! Rules about the records of replies.

use super::records::{full_reply, reply};
use super::{Checked, Store};
use crate::journal::Journal;

pub(super) async fn a_reply_is_recorded_once<J: Journal>(store: &Store<'_, J>) -> Checked {
    let (run_id, other) = (store.run_ids.add("replies"), store.run_ids.add("other"));
    let (first, second) = (reply(&run_id, 0, "first"), reply(&run_id, 0, "second"));
    store.first.record_reply(&first).returns(&true).await?;
    for handle in store.handles() {
        handle.record_reply(&second).returns(&false).await?;
        handle.find_reply(&run_id, 0).returns(&Some(first.clone())).await?;
        handle.find_reply(&run_id, 1).returns(&None).await?;
        handle.find_reply(&other, 0).returns(&None).await?;
    }
    for next in [reply(&run_id, 1, "third"), reply(&run_id, 1 << 40, "last"), reply(&other, 0, "other")] {
        store.second.record_reply(&next).returns(&true).await?;
        store.first.find_reply(&next.run_id, next.number).returns(&Some(next.clone())).await?;
    }
    store.second.find_reply(&run_id, 0).returns(&Some(first)).await
}

pub(super) async fn a_reply_is_kept_without_loss<J: Journal>(store: &Store<'_, J>) -> Checked {
    let run_id = store.run_ids.add("full-reply");
    let full = full_reply(&run_id, 0)?;
    store.first.record_reply(&full).returns(&true).await?;
    for handle in store.handles() {
        handle.find_reply(&run_id, 0).returns(&Some(full.clone())).await?;
    }
    Ok(())
}

pub(super) async fn a_recorded_reply_is_not_requested<J: Journal>(store: &Store<'_, J>) -> Checked {
    let run_id = store.run_ids.add("recorded");
    let recorded = full_reply(&run_id, 0)?;
    store.first.begin_reply(&run_id, 0).returns(&None).await?;
    store.first.record_reply(&recorded).returns(&true).await?;
    // A request would let the next one wait.
    for handle in [&store.first, &store.second, &store.second, &store.first] {
        handle.begin_reply(&run_id, 0).returns(&Some(recorded.clone())).await?;
    }
    // The removal of a run in progress would fail.
    store.second.remove(&run_id).await
}
