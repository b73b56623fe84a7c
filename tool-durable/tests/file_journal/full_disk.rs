//! A disk that fills.

use crate::child::{Child, Role};
use crate::folder::Folder;
use crate::records::{begin, call, find_call, finish, key, result, same};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tool_runtime_durable::{FileJournal, Journal, JournalError};

#[tokio::test]
async fn records_from_before_the_disk_was_full_stay_and_the_next_process_continues() {
    if !cfg!(unix) {
        println!("skipped: this system has no limit of the size of files");
        return;
    }
    let folder = Folder::new("size-limit");
    let path = folder.journal();
    // Without SIGXFSZ, a write beyond the limit is an error, as on a full disk.
    let limited = |blocks: usize| {
        let mut command = Command::new("sh");
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        command.arg("-c").arg(script).arg(env::current_exe().unwrap());
        command
    };
    let mut most = 0;
    for blocks in [0, 1, 2, 8, 100, 1000, 3000, 3072, 3100, 6200] {
        let _ = fs::remove_file(&path);
        let _ = fs::remove_file(crate::records::process_file(&path));
        let mut child = Child::start_with(limited(blocks), Role::Fill, &path);
        let (mut begun, mut finished) = (0, 0);
        let error = loop {
            let line = child.next_line();
            match line.split_once(' ').expect("an event and a position") {
                ("begun", _) => begun += 1,
                ("finished", _) => finished += 1,
                (_, error) => break error.to_owned(),
            }
        };
        assert!(error.starts_with("Storage") || error.starts_with("Io"), "{blocks}: {error}");
        assert!(error.contains("File too large"), "{blocks}: {error}");
        if begun > 0 {
            assert!(error.contains("free space on its disk"), "{blocks}: {error}");
        }
        assert!(child.line().is_none());

        let journal = FileJournal::open(&path).unwrap();
        for position in 0..begun {
            let key = key("run", 0, position);
            let found = find_call(&journal, &key).await.unwrap();
            let found = found.unwrap_or_else(|| panic!("{blocks}: the call {position} is lost"));
            assert_eq!(found.call.arguments.len(), 20_011);
            assert!(found.result.is_none_or(|found| same(&found, &result(&key))));
        }
        for position in 0..finished {
            let found = find_call(&journal, &key("run", 0, position)).await.unwrap().unwrap();
            assert!(found.result.is_some(), "{blocks}: the result of {position} is lost");
        }
        let next = call("run", 1, 0);
        assert!(begin(&journal, &next).await.is_none());
        finish(&journal, &next.key).await;
        most = most.max(begun);
    }
    assert!(most > 50, "at most {most} calls began");
}

/// A file system of a few MiB, which is unmounted when it is dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(path: &Path) -> Option<Self> {
        fs::create_dir_all(path).unwrap();
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=6m", "tmpfs"]).arg(path).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| SmallDisk(path.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Fills the disk of a file, except for this number of bytes.
fn fill(filler: &Path, space: u64) {
    let mut content = Vec::new();
    let mut size = 4 << 20;
    while size >= 4096 {
        let length = content.len();
        content.resize(length + size, 1);
        if fs::write(filler, &content).is_err() {
            content.truncate(length);
            size /= 2;
        }
    }
    fs::write(filler, &content).unwrap();
    let file = fs::File::options().write(true).open(filler).unwrap();
    file.set_len(content.len() as u64 - space).unwrap();
}

#[tokio::test]
async fn a_journal_on_a_full_disk_works_again_in_the_same_process_when_there_is_space() {
    let folder = Folder::new("small-disk");
    let Some(disk) = SmallDisk::mount(&folder.journal().with_extension("disk")) else {
        println!("skipped: this user cannot mount a tmpfs");
        return;
    };
    let journal = FileJournal::open(disk.0.join("orders.journal")).unwrap();
    let filler = disk.0.join("filler");
    let mut position = 0;
    // The disk is full at once, or when the file has grown.
    for (round, space) in [(0, 0), (1, 1 << 20), (2, 0), (3, 2 << 20)] {
        fill(&filler, space);
        let failed = loop {
            let mut large = call("run", round, position);
            large.arguments = format!(r#"{{"text":"{}"}}"#, "x".repeat(50_000));
            match journal.begin_call(&large).await {
                Ok(earlier) => assert!(earlier.is_none()),
                Err(error) => break (large.key, error),
            }
            if journal.finish_call(&large.key, &result(&large.key)).await.is_err() {
                journal.release_call(&large.key).await.unwrap();
            }
            position += 1;
            assert!(position < 1000, "the disk is not full");
        };
        let (failed, error) = failed;
        assert!(matches!(error, JournalError::Storage { .. }), "{error}");
        assert!(error.to_string().contains("free space on its disk"), "{error}");
        // Reads still work, and the failed call has no record.
        assert!(find_call(&journal, &failed).await.unwrap().is_none());
        fs::remove_file(&filler).unwrap();
        journal.remove_run("run").await.unwrap();
        for run in 0..=round {
            let small = call(&format!("after {run}"), round, 0);
            assert!(begin(&journal, &small).await.is_none());
            finish(&journal, &small.key).await;
        }
        for run in 0..=round {
            assert!(find_call(&journal, &key(&format!("after {run}"), round, 0)).await.unwrap().is_some());
        }
    }
    assert!(position > 10, "{position} calls began");
    drop(journal);
    FileJournal::open(disk.0.join("orders.journal")).unwrap();
}
