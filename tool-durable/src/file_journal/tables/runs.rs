//! The last use of runs, and their removal.

use super::{OperationError, WriteTables, millis};
use redb::ReadableTable;
use std::time::Duration;

impl WriteTables<'_> {
    /// Sets the last use of a run, if it is recorded, to the time of the transaction.
    pub(crate) fn renew_run(&mut self, run_id: &str) -> Result<(), OperationError> {
        if self.runs.get(run_id)?.is_some() {
            self.use_run(run_id);
        }
        Ok(())
    }

    /// Removes a run with its calls, results and replies, and returns their number.
    pub(crate) fn remove_run(&mut self, run_id: &str) -> Result<usize, OperationError> {
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
    /// removed. A run that is `in_use` stays, and counts as used `now`.
    pub(crate) fn remove_expired(
        &mut self,
        last_use: Duration,
        now: Duration,
        records: usize,
        in_use: impl Fn(&str) -> bool,
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
            if in_use(&run_id) {
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
    use tool_runtime::BatchContext;
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
            in_use: impl Fn(&str) -> bool,
        ) {
            let (now, last_use) = (Duration::from_secs(second), Duration::from_secs(last_use));
            self.write(second, |tables| {
                tables.remove_expired(last_use, now, records, in_use).unwrap();
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
            tables.find_call(&call(run_id, position).key).unwrap().is_some()
        }
    }

    impl Drop for TestStore {
        fn drop(&mut self) {
            self.store = None;
            let _ = fs::remove_dir_all(&self.folder);
        }
    }

    fn call(run_id: &str, position: usize) -> JournalCall {
        let key = BatchContext::new().run_id(run_id).key(0, position).unwrap();
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
    fn a_run_in_use_stays_and_counts_as_used() {
        let mut store = TestStore::new("in-use");
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
