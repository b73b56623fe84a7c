//! The run ids of the rules, and unusual ones.

use super::expected::{finished, interrupted};
use super::records::{call, reply, result};
use super::{Checked, Store};
use crate::journal::Journal;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The run ids that the rules have used. No other run has them.
pub(super) struct RunIds {
    prefix: String,
    used: Mutex<Vec<String>>,
}

impl RunIds {
    pub(super) fn new() -> Self {
        // The keys of a new state are random.
        let random = RandomState::new().build_hasher().finish();
        RunIds { prefix: format!("check-{random:016x}"), used: Mutex::default() }
    }

    /// A new run id that ends with this text.
    pub(super) fn add(&self, text: &str) -> String {
        let mut used = self.lock();
        let run_id = format!("{}-{}-{text}", self.prefix, used.len());
        used.push(run_id.clone());
        run_id
    }

    /// The run id that continues another one.
    pub(super) fn continued(&self, run_id: &str, text: &str) -> String {
        let run_id = format!("{run_id}{text}");
        self.lock().push(run_id.clone());
        run_id
    }

    pub(super) fn all(&self) -> Vec<String> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        // No code panics while it has the lock.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Continuations of one run id. Some stores compare texts without the case, without spaces at the end, in a normal form, or
/// only up to a length.
const UNUSUAL: [&str; 34] = [
    "",
    "%",
    "_",
    "*",
    "?",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "a",
    "A",
    "ä",
    "a\u{308}",
    "Ä",
    "ａ",
    "注文",
    "👩\u{200d}🚀",
    "\u{202e}",
    "\u{feff}",
    "/",
    "//",
    "/0",
    "/a/0",
    "/0/0/",
    "..",
    "'",
    "\"",
    "`",
    "\\",
    "\\n",
    "$1",
    ":a",
    "; DROP TABLE calls; --",
];

pub(super) async fn unusual_run_ids_are_distinct<J: Journal>(store: &Store<'_, J>) -> Checked {
    const LENGTH: usize = 300;
    let base = store.run_ids.add("order");
    let mut run_ids: Vec<String> = UNUSUAL.iter().map(|text| store.run_ids.continued(&base, text)).collect();
    for end in ["a", "b"] {
        let text = format!("{}{end}", "x".repeat(LENGTH.saturating_sub(base.len() + end.len())));
        run_ids.push(store.run_ids.continued(&base, &text));
    }
    for run_id in &run_ids {
        let call = call(run_id, 0, 0)?;
        store.first.begin(&call).returns(&None).await?;
        store.first.finish(&call.key, &result(run_id)).await?;
        store.first.record_reply(&reply(run_id, 0, run_id)).returns(&true).await?;
        store.first.begin_reply(run_id, 1).returns(&None).await?;
        store.first.release_reply(run_id, 1).await?;
    }
    for run_id in &run_ids {
        let call = call(run_id, 0, 0)?;
        let record = finished(&call, &result(run_id));
        store.second.find_calls(run_id, 0).returns(&vec![record]).await?;
        store.second.find_reply(run_id, 0).returns(&Some(reply(run_id, 0, run_id))).await?;
    }
    for (position, run_id) in run_ids.iter().enumerate() {
        store.second.remove(run_id).await?;
        store.first.find_calls(run_id, 0).returns(&Vec::new()).await?;
        store.first.find_reply(run_id, 0).returns(&None).await?;
        for other in run_ids.iter().skip(position + 1) {
            store.first.find_reply(other, 0).returns(&Some(reply(other, 0, other))).await?;
        }
    }
    let call = call(&base, 0, 0)?;
    store.first.begin(&call).returns(&None).await?;
    store.first.release(&call.key).await?;
    store.second.find(&call.key).returns(&Some(interrupted(&call))).await
}
