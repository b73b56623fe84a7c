//! Opening a journal.

use crate::child::{Child, Role};
use crate::folder::Folder;
use crate::records::{begin, call, find_call, finish, key, process_file, same};
use redb::{Database, TableDefinition};
use std::error::Error;
use std::fs;
use std::process;
use tool_runtime_durable::{FileJournal, Journal, OpenError};

#[tokio::test]
async fn a_dropped_journal_can_be_opened_at_once_with_its_records() {
    let folder = Folder::new("reopen");
    for position in 0..20 {
        let journal = FileJournal::open(folder.journal()).unwrap();
        let clone = journal.clone();
        drop(journal);
        for earlier in 0..position {
            let found =
                find_call(&clone, &key("run", 0, earlier)).await.unwrap().expect("the call is recorded");
            assert!(same(&found.result.expect("it has finished"), &crate::records::result(&found.call.key)));
        }
        begin(&clone, &call("run", 0, position)).await;
        finish(&clone, &key("run", 0, position)).await;
    }
}

#[test]
fn a_second_open_in_the_same_process_names_this_process() {
    let folder = Folder::new("in-use-here");
    let journal = FileJournal::open(folder.journal()).unwrap();
    let error = FileJournal::open(folder.journal()).unwrap_err();
    assert!(matches!(error, OpenError::InUse { process: Some(id), .. } if id == process::id()), "{error}");
    assert_eq!(
        error.to_string(),
        format!(
            "the journal `{}` is in use by this process ({}): open it once, and clone it",
            folder.journal().display(),
            process::id()
        )
    );
    drop(journal);
    FileJournal::open(folder.journal()).unwrap();
}

#[tokio::test]
async fn a_second_process_is_named_and_after_its_kill_the_file_opens_at_once() {
    let folder = Folder::new("in-use-there");
    for round in 1..=3 {
        let mut child = Child::start(Role::Calls, &folder.journal());
        child.next_line();
        let error = FileJournal::open(folder.journal()).unwrap_err();
        assert!(matches!(error, OpenError::InUse { process: Some(id), .. } if id == child.id()), "{error}");
        let text = format!("is in use by process {}: stop it, or use another file", child.id());
        assert!(error.to_string().ends_with(&text), "{error}");
        child.kill();
        let journal = FileJournal::open(folder.journal()).unwrap();
        assert!(find_call(&journal, &key("run", 0, 0)).await.unwrap().is_some(), "round {round}");
        journal.remove_run("run").await.unwrap();
    }
}

#[test]
fn another_format_is_an_error_that_names_the_version() {
    const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
    let folder = Folder::new("other-format");
    drop(FileJournal::open(folder.journal()).unwrap());
    for version in [1, 3] {
        let database = Database::open(folder.journal()).unwrap();
        let transaction = database.begin_write().unwrap();
        transaction.open_table(META).unwrap().insert("version", version).unwrap();
        transaction.commit().unwrap();
        drop(database);
        let error = FileJournal::open(folder.journal()).unwrap_err();
        assert!(matches!(error, OpenError::OtherVersion { .. }), "{error}");
        assert!(error.to_string().contains(&format!("it has format {version}, and")), "{error}");
    }
}

#[test]
fn a_database_of_an_older_version_of_redb_is_another_version() {
    // The begin of a file of redb 2.6. Version 4 looks only at the format of the commit slots, which is 2.
    const HEADER: [u8; 34] = [
        b'r', b'e', b'd', b'b', 0x1a, 0x0a, 0xa9, 0x0d, 0x0a, 4, 0, 0, 0, 0x10, 0, 0, //
        0x82, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 1, 3, 0, 0, //
        0, 1,
    ];
    let folder = Folder::new("older-redb");
    let mut file = HEADER.to_vec();
    file.resize(3_686_400, 0);
    file[64] = 2;
    file[192] = 2;
    fs::write(folder.journal(), file).unwrap();
    let error = FileJournal::open(folder.journal()).unwrap_err();
    assert!(matches!(error, OpenError::OtherVersion { .. }), "{error}");
}

#[test]
fn a_file_that_is_not_a_journal_is_an_error_and_is_not_changed() {
    const TABLE: TableDefinition<u64, u64> = TableDefinition::new("orders");
    let folder = Folder::new("not-a-journal");
    let path = folder.journal();
    for content in [&b""[..], b"x", b"some text of another program", &[0; 5000]] {
        fs::write(&path, content).unwrap();
        let error = FileJournal::open(&path).unwrap_err();
        assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("interrupted calls are not recognised"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), content);
    }
    fs::remove_file(&path).unwrap();
    let database = Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction.open_table(TABLE).unwrap().insert(1, 2).unwrap();
    transaction.commit().unwrap();
    drop(database);
    assert!(matches!(FileJournal::open(&path).unwrap_err(), OpenError::Damaged { .. }));
}

#[tokio::test]
async fn a_missing_or_older_file_is_recognised() {
    let folder = Folder::new("older-file");
    let path = folder.journal();
    let journal = FileJournal::open(&path).unwrap();
    begin(&journal, &call("run", 0, 0)).await;
    drop(journal);
    let copy = fs::read(&path).unwrap();
    let journal = FileJournal::open(&path).unwrap();
    begin(&journal, &call("run", 0, 1)).await;
    drop(journal);
    fs::write(&path, copy).unwrap();
    let error = FileJournal::open(&path).unwrap_err();
    assert!(error.to_string().contains("it has 2 of at least 3 commits"), "{error}");
    fs::remove_file(&path).unwrap();
    let error = FileJournal::open(&path).unwrap_err();
    assert!(error.to_string().contains("the file is missing"), "{error}");
    fs::remove_file(process_file(&path)).unwrap();
    let journal = FileJournal::open(&path).unwrap();
    assert!(find_call(&journal, &key("run", 0, 0)).await.unwrap().is_none());
}

#[test]
fn a_folder_that_does_not_exist_is_an_error_of_the_system() {
    let folder = Folder::new("no-folder");
    let error = FileJournal::open(folder.journal().join("journal")).unwrap_err();
    assert!(matches!(error, OpenError::Io { .. }), "{error}");
    assert!(error.source().is_none());
}

#[tokio::test]
async fn a_creation_that_was_interrupted_continues() {
    let folder = Folder::new("interrupted-creation");
    let path = folder.journal();
    drop(FileJournal::open(&path).unwrap());
    let complete = fs::read(&path).unwrap();
    let without_first_bytes = [&[0; 9][..], &complete[9..]].concat();
    let created = folder.journal().with_extension("created");
    drop(Database::create(&created).unwrap());
    let without_tables = fs::read(&created).unwrap();
    for content in [None, Some(&b""[..]), Some(&without_first_bytes), Some(&without_tables), Some(&complete)]
    {
        let _ = fs::remove_file(&path);
        if let Some(content) = content {
            fs::write(&path, content).unwrap();
        }
        fs::write(process_file(&path), "process 1 commits 0\n").unwrap();
        let journal = FileJournal::open(&path).unwrap();
        assert!(begin(&journal, &call("run", 0, 0)).await.is_none());
    }
}
