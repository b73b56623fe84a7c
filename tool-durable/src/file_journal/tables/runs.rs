//! The last use of runs, and their removal.

use super::{OperationError, WriteTables, columns, millis};
use crate::file_journal::inner_runs;
use redb::ReadableTable;
use std::collections::BTreeMap;
use std::time::Duration;

impl WriteTables<'_> {
    /// Sets the last use of a run, if it is recorded, to the time of the transaction.
    pub(crate) fn renew_run(&mut self, run_id: &str) -> Result<(), OperationError> {
        if self.runs.get(run_id)?.is_some() {
            self.use_run(run_id);
        }
        Ok(())
    }

    /// Removes a run and its inner runs with their calls, results and replies, and returns the number of these records.
    pub(crate) fn remove_run(&mut self, run_id: &str) -> Result<usize, OperationError> {
        let mut removed = self.remove_records(run_id)?;
        // A later run has the same ids for its inner runs.
        for inner in self.inner_runs(run_id)?.into_keys() {
            removed += self.remove_records(&inner)?;
        }
        Ok(removed)
    }

    /// The inner runs of a run, with their last use if they are committed.
    fn inner_runs(&self, run_id: &str) -> Result<BTreeMap<String, Option<u64>>, OperationError> {
        let is_inner = |inner: &str| inner_runs::is_inner(inner, run_id);
        let used = self.used.keys().filter(|inner| is_inner(inner));
        let mut runs: BTreeMap<String, Option<u64>> = used.map(|inner| (inner.clone(), None)).collect();
        let range = inner_runs::range(run_id);
        for run in self.runs.range(&*range.start..&*range.end)? {
            let (inner, state) = run?;
            if is_inner(inner.value()) {
                runs.insert(inner.value().to_owned(), Some(state.value().0));
            }
        }
        Ok(runs)
    }

    /// Whether a later run may need the records of this one: a call around it has no result, or one of its inner runs was used
    /// after this time.
    fn is_needed(&self, run_id: &str, last_use: u64) -> Result<bool, OperationError> {
        for call in inner_runs::outer_calls(run_id) {
            let call = columns(&call);
            if self.calls.get(call)?.is_some() && self.results.get(call)?.is_none() {
                return Ok(true);
            }
        }
        Ok(self.inner_runs(run_id)?.values().any(|used| used.is_none_or(|used| used > last_use)))
    }

    fn remove_records(&mut self, run_id: &str) -> Result<usize, OperationError> {
        self.used.remove(run_id);
        if let Some(last_use) = self.runs.remove(run_id)?.map(|run| run.value().0) {
            self.closed_runs.remove((last_use, run_id))?;
        }
        let mut removed = 0;
        let mut remove = || {
            removed += 1;
            false
        };
        let calls = (run_id, 0, 0)..=(run_id, u64::MAX, u64::MAX);
        self.calls.retain_in(calls.clone(), |_, _| remove())?;
        self.results.retain_in(calls, |_, _| remove())?;
        self.replies.retain_in((run_id, 0)..=(run_id, u64::MAX), |_, _| remove())?;
        Ok(removed)
    }

    /// Removes runs without open calls that were last used at this time or earlier, until about `records` records are
    /// removed. A run that is in progress or needed stays, and counts as used `now`.
    pub(crate) fn remove_expired(
        &mut self,
        last_use: Duration,
        now: Duration,
        records: usize,
        is_in_progress: impl Fn(&str) -> bool,
    ) -> Result<(), redb::Error> {
        let last_use = millis(last_use);
        let mut removed = 0;
        while removed < records {
            let run_id = match self.closed_runs.first()? {
                // A run that this transaction uses stays, whatever the time is.
                Some((run, _)) if run.value().0 <= last_use && run.value().0 < millis(now) => {
                    run.value().1.to_owned()
                }
                _ => break,
            };
            // One more for the run itself, so that the loop ends.
            removed += 1;
            if is_in_progress(&run_id)
                || self.is_needed(&run_id, last_use).map_err(OperationError::into_database)?
            {
                self.use_run(&run_id);
                self.write_used(now)?;
            } else {
                removed += self.remove_run(&run_id).map_err(OperationError::into_database)?;
            }
        }
        Ok(())
    }

    /// Writes the last use and the open calls of the used runs.
    pub(crate) fn write_used(&mut self, now: Duration) -> Result<(), redb::Error> {
        let now = millis(now);
        for (run_id, change) in self.used.drain() {
            let run_id = run_id.as_str();
            let earlier = self.runs.get(run_id)?.map(|run| run.value());
            let open = earlier.map_or(0, |(_, open)| open).saturating_add_signed(change);
            if let Some((last_use, 0)) = earlier {
                self.closed_runs.remove((last_use, run_id))?;
            }
            if open == 0 {
                self.closed_runs.insert((now, run_id), ())?;
            }
            self.runs.insert(run_id, (now, open))?;
        }
        Ok(())
    }

    pub(crate) fn use_run(&mut self, run_id: &str) {
        self.used.entry(run_id.to_owned()).or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_journal::storage_error::Failure;
    use crate::file_journal::store::Store;
    use crate::journal::JournalCall;
    use std::path::PathBuf;
    use std::{env, fs, process};
    use tool_runtime::RunContext;
    use tool_runtime::dispatch::ToolResult;

    const NEVER_IN_USE: fn(&str) -> bool = |_| false;

    /// A store in a folder of its own, which is removed when it is dropped.
    struct TestStore {
        folder: PathBuf,
        store: Option<Store>,
    }

    impl TestStore {
        fn new(test: &str) -> Self {
            let folder = env::temp_dir().join(format!("journal-{test}-{}", process::id()));
            fs::create_dir_all(&folder).unwrap();
            let store = Store::open(&folder.join("journal")).unwrap();
            TestStore { folder, store: Some(store) }
        }

        /// Executes a write in a transaction at this second of the running time.
        fn write<T>(
            &mut self,
            second: u64,
            write: impl FnOnce(&mut WriteTables<'_>) -> Result<T, OperationError>,
        ) -> T {
            let now = Duration::from_secs(second);
            let store = self.store.as_mut().unwrap();
            store
                .write(now, |tables| -> Result<T, Failure> {
                    let value = write(tables).unwrap();
                    tables.write_used(now).unwrap();
                    Ok(value)
                })
                .unwrap()
        }

        fn begin(&mut self, second: u64, run_id: &str, position: usize) {
            let call = call(run_id, position);
            let record = serde_json::to_vec(&call).unwrap();
            self.write(second, |tables| tables.begin_call(&call.key, &record));
        }

        fn finish(&mut self, second: u64, run_id: &str, position: usize) {
            let record = serde_json::to_vec(&ToolResult::ok("charged")).unwrap();
            self.write(second, |tables| tables.finish_call(&call(run_id, position).key, &record));
        }

        fn remove_expired(&mut self, second: u64, last_use: u64, records: usize) {
            self.remove_expired_unless(second, last_use, records, NEVER_IN_USE);
        }

        fn remove_expired_unless(
            &mut self,
            second: u64,
            last_use: u64,
            records: usize,
            is_in_progress: impl Fn(&str) -> bool,
        ) {
            let (now, last_use) = (Duration::from_secs(second), Duration::from_secs(last_use));
            self.write(second, |tables| {
                tables.remove_expired(last_use, now, records, is_in_progress).unwrap();
                Ok(())
            });
        }

        fn has_unused_run(&self, last_use: u64) -> bool {
            self.store.as_ref().unwrap().has_unused_run(Duration::from_secs(last_use)).unwrap()
        }

        fn last_use(&self, run_id: &str) -> Option<u64> {
            let tables = self.store.as_ref().unwrap().read().unwrap();
            tables.last_use(run_id).unwrap().map(|time| time.as_secs())
        }

        fn has_call(&self, run_id: &str, position: usize) -> bool {
            let tables = self.store.as_ref().unwrap().read().unwrap();
            let calls = tables.find_calls(run_id, 0).unwrap();
            calls.iter().any(|recorded| recorded.call.key.position == position)
        }
    }

    impl Drop for TestStore {
        fn drop(&mut self) {
            self.store = None;
            let _ = fs::remove_dir_all(&self.folder);
        }
    }

    fn call(run_id: &str, position: usize) -> JournalCall {
        let key = RunContext::new().run_id(run_id).key(0, position).unwrap();
        let (id, tool, arguments) = ("call_0".to_owned(), "charge".to_owned(), "{}".to_owned());
        JournalCall { key, id, tool, arguments }
    }

    #[test]
    fn a_run_is_removed_as_a_whole_after_its_last_use() {
        let mut store = TestStore::new("whole");
        for position in 0..3 {
            store.begin(10, "run", position);
            store.finish(20 + position as u64, "run", position);
        }
        assert_eq!(store.last_use("run"), Some(22));
        assert!(!store.has_unused_run(21));
        store.remove_expired(30, 21, 100);
        assert!((0..3).all(|position| store.has_call("run", position)));
        assert!(store.has_unused_run(22));
        store.remove_expired(31, 22, 1);
        assert!((0..3).all(|position| !store.has_call("run", position)));
        assert_eq!(store.last_use("run"), None);
        assert!(!store.has_unused_run(1000));
    }

    #[test]
    fn a_run_with_an_open_call_is_neither_removed_nor_looked_at() {
        let mut store = TestStore::new("open");
        store.begin(1, "run", 0);
        store.begin(1, "run", 1);
        store.finish(2, "run", 0);
        assert!(!store.has_unused_run(1000));
        store.remove_expired(2000, 1000, 100);
        assert!(store.has_call("run", 0) && store.has_call("run", 1));
        store.finish(2001, "run", 1);
        assert!(!store.has_unused_run(2000));
        assert!(store.has_unused_run(2001));
    }

    #[test]
    fn a_run_in_progress_stays_and_counts_as_used() {
        let mut store = TestStore::new("in-progress");
        for run in ["a", "b", "c"] {
            store.begin(1, run, 0);
            store.finish(1, run, 0);
        }
        store.remove_expired_unless(50, 10, 100, |run_id| run_id == "a");
        assert!(store.has_call("a", 0) && !store.has_call("b", 0) && !store.has_call("c", 0));
        assert_eq!(store.last_use("a"), Some(50));
        assert!(!store.has_unused_run(49));
    }

    #[test]
    fn expired_runs_are_removed_in_portions_beginning_with_the_oldest() {
        let mut store = TestStore::new("portions");
        for run in 0..10 {
            store.begin(run, &format!("run {run}"), 0);
            store.finish(run, &format!("run {run}"), 0);
        }
        // A run counts as one record, and has a call and a result.
        for removed in [2, 4, 6] {
            store.remove_expired(100, 50, 6);
            let left = (0..10).filter(|run| store.last_use(&format!("run {run}")).is_some());
            assert_eq!(left.collect::<Vec<_>>(), (removed..10).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_renewed_run_expires_later_and_an_unknown_one_is_not_created() {
        let mut store = TestStore::new("renewed");
        store.begin(1, "run", 0);
        store.finish(1, "run", 0);
        store.write(9, |tables| tables.renew_run("run"));
        store.write(9, |tables| tables.renew_run("unknown"));
        assert_eq!((store.last_use("run"), store.last_use("unknown")), (Some(9), None));
        store.remove_expired(20, 8, 100);
        assert!(store.has_call("run", 0));
    }

    /// Records a call that has no result.
    fn open(store: &mut TestStore, second: u64, run_id: &str) {
        store.begin(second, run_id, 0);
    }

    fn close(store: &mut TestStore, second: u64, run_id: &str) {
        store.begin(second, run_id, 0);
        store.finish(second, run_id, 0);
    }

    #[test]
    fn removing_a_run_removes_the_runs_of_its_inner_sessions() {
        let mut store = TestStore::new("inner");
        let removed = ["order-7", "order-7/0/0", "order-7/0/0/3/1", "order-7/2/10"];
        let kept = ["order-70", "order-70/0/0", "order-7/a/0", "order-7/2", "order", "order-6/0/0"];
        for run_id in removed.into_iter().chain(kept) {
            close(&mut store, 1, run_id);
        }
        open(&mut store, 1, "order-7/5/5");
        store.write(2, |tables| {
            // Not committed yet.
            tables.record_reply("order-7/6/6", 0, b"{}")?;
            tables.remove_run("order-7")
        });
        for run_id in removed.into_iter().chain(["order-7/5/5", "order-7/6/6"]) {
            assert!(!store.has_call(run_id, 0) && store.last_use(run_id).is_none(), "{run_id}");
        }
        assert!(kept.iter().all(|run_id| store.has_call(run_id, 0) && store.last_use(run_id) == Some(1)));
        // Nothing is left of them.
        store.remove_expired(100, 50, 1000);
        assert!(kept.iter().all(|run_id| !store.has_call(run_id, 0)));
        assert!(!store.has_unused_run(1000));
    }

    #[test]
    fn an_inner_run_does_not_expire_while_a_call_around_it_is_open() {
        let mut store = TestStore::new("open-outer");
        open(&mut store, 1, "order-7");
        close(&mut store, 1, "order-7/0/0");
        close(&mut store, 1, "order-7/0/0/0/0");
        // The call around this one is not recorded.
        close(&mut store, 1, "order-7/1/0");
        for second in [100, 200] {
            store.remove_expired(second, second - 50, 1000);
            assert!(store.has_call("order-7/0/0", 0) && store.has_call("order-7/0/0/0/0", 0));
            assert_eq!(store.last_use("order-7/0/0"), Some(second));
            assert!(!store.has_unused_run(second - 1), "each commit would look at it again");
        }
        assert!(!store.has_call("order-7/1/0", 0));
        store.finish(300, "order-7", 0);
        store.remove_expired(400, 250, 1000);
        assert!(!store.has_call("order-7/0/0", 0) && !store.has_call("order-7/0/0/0/0", 0));
        assert!(store.has_call("order-7", 0));
    }

    #[test]
    fn an_expired_run_is_removed_with_its_inner_runs() {
        let mut store = TestStore::new("expired-outer");
        close(&mut store, 1, "order-7");
        // Nobody continues this call, since the one around it has a result.
        open(&mut store, 1, "order-7/0/0");
        close(&mut store, 1, "order-8");
        close(&mut store, 90, "order-8/0/0");
        store.remove_expired(100, 50, 1000);
        assert!(!store.has_call("order-7", 0) && !store.has_call("order-7/0/0", 0));
        assert!(store.has_call("order-8", 0) && store.has_call("order-8/0/0", 0));
        store.remove_expired(200, 150, 1000);
        assert!(!store.has_call("order-8", 0) && !store.has_call("order-8/0/0", 0));
    }

    #[test]
    fn the_running_time_continues_in_the_next_process() {
        let mut store = TestStore::new("running-time");
        store.begin(1000, "run", 0);
        store.store = None;
        let reopened = Store::open(&store.folder.join("journal")).unwrap();
        assert!(reopened.now() >= Duration::from_secs(1000));
        assert!(reopened.now() < Duration::from_secs(2000));
    }
}
