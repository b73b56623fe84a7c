//! Calls, results and replies of tests.

use serde_json::json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use tool_runtime::RunContext;
use tool_runtime::dispatch::{CallKey, ToolResult};
use tool_runtime_durable::{FileJournal, Journal, JournalCall, JournalError, JournalReply, RecordedCall};

pub(crate) fn key(run_id: &str, reply: u64, position: usize) -> CallKey {
    RunContext::new().run_id(run_id).key(reply, position).expect("the batch has a run id")
}

pub(crate) fn call(run_id: &str, reply: u64, position: usize) -> JournalCall {
    let call = json!({
        "key": key(run_id, reply, position),
        "id": format!("call_{position}"),
        "tool": "charge",
        "arguments": format!(r#"{{"order":"{run_id}","cents":{}}}"#, reply * 100 + position as u64),
    });
    serde_json::from_value(call).expect("the fields of a call")
}

pub(crate) fn result(key: &CallKey) -> ToolResult {
    ToolResult::ok(format!("charged {key}"))
}

pub(crate) fn reply(run_id: &str, number: u64, text: &str) -> JournalReply {
    let reply = json!({
        "run_id": run_id,
        "number": number,
        "user_text": "Charge my orders.",
        "message": { "content": text },
    });
    serde_json::from_value(reply).expect("the fields of a reply")
}

/// Records a call that begins, and releases it, as if its process ended.
pub(crate) async fn begin(journal: &FileJournal, call: &JournalCall) -> Option<RecordedCall> {
    let earlier = journal.begin_call(call).await.expect("the journal works");
    journal.release_call(&call.key).await.expect("the journal works");
    earlier
}

pub(crate) async fn finish(journal: &FileJournal, key: &CallKey) {
    journal.finish_call(key, &result(key)).await.expect("the journal works");
}

/// The record of a call.
pub(crate) async fn find_call(
    journal: &FileJournal,
    key: &CallKey,
) -> Result<Option<RecordedCall>, JournalError> {
    let calls = journal.find_calls(&key.run_id, key.reply).await?;
    Ok(calls.into_iter().find(|recorded| recorded.call.key == *key))
}

pub(crate) fn same(left: &ToolResult, right: &ToolResult) -> bool {
    json!(left) == json!(right)
}

/// The process file of a journal.
pub(crate) fn process_file(journal: &Path) -> PathBuf {
    let mut path = OsString::from(journal);
    path.push(".process");
    path.into()
}

/// Numbers that a seed determines.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).expect("it is below a `usize`")
    }
}
