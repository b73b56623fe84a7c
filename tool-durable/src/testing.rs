//! Checks whether a store keeps the rules of [`Journal`]. Feature `testing`.
//!
//! [`check_journal`] runs the rules below in this order. [`BrokenRule`] names the first one that the store breaks.
//!
//! Calls:
//!
//! - `unknown_records_are_not_found`
//! - `a_begun_call_is_found`: with all its fields, and only with its own key.
//! - `find_calls_returns_each_call_of_the_reply`: and no other call.
//! - `an_interrupted_call_begins_again`: its record has no result, and stays as it began first.
//! - `a_result_is_kept_without_loss`: text, JSON, images, files, errors and tickets.
//! - `a_finished_call_does_not_run`: a later begin is ready with the result, and runs nothing.
//! - `the_first_result_stays`
//! - `an_interrupted_call_can_finish`: a run records the error of a call that another run began.
//!
//! Calls that run:
//!
//! - `a_begin_waits_until_the_call_finishes`: in both handles; then it has the result.
//! - `a_begin_waits_until_the_call_is_released`: in both handles; then one of them runs the call.
//! - `a_begin_that_is_dropped_while_it_waits_runs_nothing`
//! - `a_begin_that_is_dropped_at_any_time_runs_nothing`: also before it is polled.
//! - `concurrent_begins_run_a_call_once`
//! - `concurrent_begins_run_an_interrupted_call_one_after_another`
//! - `a_running_call_blocks_no_other_call`
//!
//! Replies:
//!
//! - `a_reply_is_recorded_once`: the first reply stays.
//! - `a_reply_is_kept_without_loss`
//! - `a_recorded_reply_is_not_requested`
//! - `a_request_waits_until_the_reply_is_recorded`: then it has the reply.
//! - `a_request_waits_until_the_other_is_released`: then it requests the reply itself.
//! - `a_request_that_is_dropped_while_it_waits_holds_nothing`
//! - `a_request_that_is_dropped_at_any_time_holds_nothing`
//! - `concurrent_requests_record_a_reply_once`
//! - `a_request_blocks_no_other_reply`
//!
//! Removal of runs:
//!
//! - `remove_run_removes_each_record_of_the_run`: calls begin anew.
//! - `remove_run_removes_the_records_of_inner_runs`
//! - `remove_run_keeps_runs_with_similar_ids`
//! - `a_run_with_a_running_call_is_not_removed`: nor is one with such a call in an inner run.
//! - `a_run_with_a_requested_reply_is_not_removed`
//! - `a_run_in_progress_blocks_no_other_removal`
//!
//! Run ids and sizes:
//!
//! - `unusual_run_ids_are_distinct`: with slashes, quotes, wildcards, line breaks, other scripts, and 300 bytes.
//! - `large_records_are_kept`: 1 MB each.
//! - `the_records_of_ended_runs_are_removed`: those of all rules before.

mod calls;
mod concurrent;
mod expected;
mod handle;
mod records;
mod removal;
mod replies;
mod requests;
mod run_ids;
mod running_calls;

use crate::journal::Journal;
use concurrent::BoxedCheck;
use handle::Handle;
use run_ids::RunIds;
use std::error::Error;
use std::fmt;

/// The outcome of a check. The error is that of [`BrokenRule::found`].
type Checked<T = ()> = Result<T, String>;

/// Checks a store by the [rules](self) of [`Journal`], and returns the first rule that it breaks.
///
/// `first` and `second` are handles of one store, as two processes have them. For a store that only one process can open,
/// they are clones.
///
/// The check uses new run ids, which start with `check-`, and removes their records at the end, so the store can have other
/// records. If a rule is broken, some records may remain. The check takes a few seconds, since several rules wait 200 ms to
/// recognize an operation that does not wait. An operation that is not ready after 30 seconds breaks its rule.
///
/// ```
/// use tool_runtime_durable::FileJournal;
/// use tool_runtime_durable::testing::check_journal;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("check-journal-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let journal = FileJournal::open(folder.join("orders.journal"))?;
/// check_journal(&journal, &journal.clone()).await?;
/// # drop(journal);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The first rule that the store breaks.
///
/// # Panics
///
/// Outside a Tokio runtime with a timer (`enable_time`).
///
/// # Paused time
///
/// The time of Tokio can be paused for a store in memory, and the check takes no time. A store with threads, a disk or a network
/// needs real time: paused time advances to the time limit while the store works.
pub async fn check_journal<J: Journal>(first: &J, second: &J) -> Result<(), BrokenRule> {
    let store = Store::new(first, second);
    for rule in rules() {
        if let Err(found) = (rule.check)(&store).await {
            store.remove_what_can_be_removed().await;
            return Err(BrokenRule { rule: rule.name, found });
        }
    }
    Ok(())
}

/// A [rule](self) that a store breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrokenRule {
    /// The name of the rule, for example `the_first_result_stays`.
    pub rule: &'static str,
    /// The value that the store returned, and the expected one; or an error, or an operation that does not end.
    pub found: String,
}

impl fmt::Display for BrokenRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the journal breaks the rule `{}`: {}", self.rule, self.found)
    }
}

impl Error for BrokenRule {}

/// A store that is checked.
struct Store<'a, J> {
    first: Handle<'a, J>,
    second: Handle<'a, J>,
    run_ids: RunIds,
}

/// A rule, and the function that checks it.
struct Rule<J> {
    name: &'static str,
    check: for<'a> fn(&'a Store<'a, J>) -> BoxedCheck<'a>,
}

/// The table of the functions, whose names are those of the rules.
macro_rules! table {
    ($($module:ident::$rule:ident,)*) => {
        vec![$(Rule { name: stringify!($rule), check: |store| Box::pin($module::$rule(store)) },)*]
    };
}

fn rules<J: Journal>() -> Vec<Rule<J>> {
    table![
        calls::unknown_records_are_not_found,
        calls::a_begun_call_is_found,
        calls::find_calls_returns_each_call_of_the_reply,
        calls::an_interrupted_call_begins_again,
        calls::a_result_is_kept_without_loss,
        calls::a_finished_call_does_not_run,
        calls::the_first_result_stays,
        calls::an_interrupted_call_can_finish,
        running_calls::a_begin_waits_until_the_call_finishes,
        running_calls::a_begin_waits_until_the_call_is_released,
        running_calls::a_begin_that_is_dropped_while_it_waits_runs_nothing,
        running_calls::a_begin_that_is_dropped_at_any_time_runs_nothing,
        running_calls::concurrent_begins_run_a_call_once,
        running_calls::concurrent_begins_run_an_interrupted_call_one_after_another,
        running_calls::a_running_call_blocks_no_other_call,
        replies::a_reply_is_recorded_once,
        replies::a_reply_is_kept_without_loss,
        replies::a_recorded_reply_is_not_requested,
        requests::a_request_waits_until_the_reply_is_recorded,
        requests::a_request_waits_until_the_other_is_released,
        requests::a_request_that_is_dropped_while_it_waits_holds_nothing,
        requests::a_request_that_is_dropped_at_any_time_holds_nothing,
        requests::concurrent_requests_record_a_reply_once,
        requests::a_request_blocks_no_other_reply,
        removal::remove_run_removes_each_record_of_the_run,
        removal::remove_run_removes_the_records_of_inner_runs,
        removal::remove_run_keeps_runs_with_similar_ids,
        removal::a_run_with_a_running_call_is_not_removed,
        removal::a_run_with_a_requested_reply_is_not_removed,
        removal::a_run_in_progress_blocks_no_other_removal,
        run_ids::unusual_run_ids_are_distinct,
        records::large_records_are_kept,
        removal::the_records_of_ended_runs_are_removed,
    ]
}

impl<'a, J: Journal> Store<'a, J> {
    fn new(first: &'a J, second: &'a J) -> Self {
        let (first, second) = (Handle::new(first, "first"), Handle::new(second, "second"));
        Store { first, second, run_ids: RunIds::new() }
    }

    fn handles(&self) -> [&Handle<'a, J>; 2] {
        [&self.first, &self.second]
    }

    /// Removes the records of a store that breaks a rule.
    async fn remove_what_can_be_removed(&self) {
        let remove = async {
            for run_id in self.run_ids.all() {
                // The operations that the rule has begun may be in progress.
                let _ = self.first.remove(&run_id).await;
            }
        };
        let _ = tokio::time::timeout(handle::LIMIT, remove).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileJournal;

    #[test]
    fn the_documentation_lists_each_rule_in_order() {
        let lines = include_str!("testing.rs").lines();
        let documented: Vec<&str> =
            lines.filter_map(|line| line.strip_prefix("//! - `")?.split('`').next()).collect();
        let rules: Vec<&str> = rules::<FileJournal>().into_iter().map(|rule| rule.name).collect();
        assert_eq!(documented, rules);
    }
}
