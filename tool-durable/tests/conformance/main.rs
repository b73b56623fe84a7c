//! The rules of journals, with stores that keep them and stores that break one of them.

mod broken_journal;
mod defect;
#[path = "../memory_journal.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod memory_journal;

use broken_journal::BrokenJournal;
use defect::{BROKEN, Defect};
use memory_journal::MemoryJournal;
use std::path::Path;
use std::{fs, process};
use tool_runtime_durable::testing::check_journal;
use tool_runtime_durable::{FileJournal, Journal, JournalCall};

#[tokio::test]
async fn a_file_journal_keeps_the_rules() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("conformance-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    let journal = FileJournal::open(folder.join("orders.journal")).unwrap();
    check_journal(&journal, &journal.clone()).await.unwrap();
    drop(journal);
    fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_journal_in_memory_keeps_the_rules() {
    let journal = MemoryJournal::default();
    // The future can run in a task.
    let check = tokio::spawn(async move { check_journal(&journal, &journal.clone()).await });
    check.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_check_of_a_store_with_records_leaves_them_and_no_other() {
    let journal = MemoryJournal::default();
    let call = r#"{"key":{"run_id":"order-7","reply":0,"position":0},"id":"call_0","tool":"charge","arguments":"{}"}"#;
    let call: JournalCall = serde_json::from_str(call).unwrap();
    journal.begin_call(&call).await.unwrap();
    for _ in 0..2 {
        check_journal(&journal, &journal.clone()).await.unwrap();
        let state = journal.lock();
        assert_eq!(state.calls.keys().collect::<Vec<_>>(), [&call.key]);
        assert!(state.replies.is_empty());
        assert_eq!(state.in_progress.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn each_broken_journal_breaks_the_rule_of_its_defect() {
    for (defect, rule) in BROKEN {
        let journal = BrokenJournal::new(defect);
        let broken = match check_journal(&journal, &journal.clone()).await {
            Ok(()) => panic!("{defect:?} keeps the rules"),
            Err(broken) => broken,
        };
        println!("{defect:?}: {broken}");
        assert_eq!(broken.rule, rule, "{defect:?}: {broken}");
    }
}

#[tokio::test(start_paused = true)]
async fn handles_that_do_not_share_a_store_break_a_rule() {
    let broken = check_journal(&MemoryJournal::default(), &MemoryJournal::default()).await.unwrap_err();
    assert_eq!(broken.rule, "a_begun_call_is_found");
}

#[tokio::test(start_paused = true)]
async fn the_error_describes_what_the_store_returned_and_what_it_should_return() {
    let journal = BrokenJournal::new(Defect::RecordIsAlwaysNew);
    let broken = check_journal(&journal, &journal.clone()).await.unwrap_err();
    let text = broken.to_string();
    assert!(
        text.starts_with("the journal breaks the rule `a_reply_is_recorded_once`: `record_reply` of `check-"),
        "{text}"
    );
    assert!(text.ends_with("-replies/0` in the first handle returns `true`, and not `false`"), "{text}");
}

#[test]
fn each_rule_has_a_broken_journal() {
    let documentation = include_str!("../../src/testing.rs").lines();
    let mut rules: Vec<&str> =
        documentation.filter_map(|line| line.strip_prefix("//! - `")?.split('`').next()).collect();
    assert!(rules.len() > 30, "{rules:?}");
    rules.retain(|rule| BROKEN.iter().all(|(_, broken)| broken != rule));
    assert!(rules.is_empty(), "no broken journal for {rules:?}");
}
