//! The permissions of the files, and links in their places.
#![cfg(unix)]

use crate::folder::Folder;
use crate::records::{begin, call, process_file};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;
use tool_runtime_durable::{FileJournal, OpenError};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn only_the_owner_can_read_the_files() {
    let folder = Folder::new("private");
    let journal = FileJournal::open(folder.journal()).unwrap();
    begin(&journal, &call("run", 0, 0)).await;
    assert_eq!((mode(&folder.journal()), mode(&process_file(&folder.journal()))), (0o600, 0o600));
    drop(journal);
    // An administrator gives access to a group.
    fs::set_permissions(folder.journal(), fs::Permissions::from_mode(0o640)).unwrap();
    fs::remove_file(process_file(&folder.journal())).unwrap();
    drop(FileJournal::open(folder.journal()).unwrap());
    assert_eq!((mode(&folder.journal()), mode(&process_file(&folder.journal()))), (0o640, 0o600));
}

#[test]
fn a_link_in_the_place_of_a_file_is_an_error_and_its_target_stays() {
    for has_journal in [false, true] {
        for is_process_file in [false, true] {
            for target_exists in [false, true] {
                let folder = Folder::new("link");
                if has_journal {
                    drop(FileJournal::open(folder.journal()).unwrap());
                }
                let link = if is_process_file { process_file(&folder.journal()) } else { folder.journal() };
                let target = folder.journal().with_file_name("target");
                let _ = fs::remove_file(&link);
                if target_exists {
                    fs::write(&target, "process 0000000007 commits 00000000000000000009\n").unwrap();
                }
                symlink(&target, &link).unwrap();
                let before = fs::read(&target).ok();
                let error = FileJournal::open(folder.journal()).unwrap_err();
                assert!(matches!(error, OpenError::Io { .. }), "{error}");
                let problem = format!("`{}` is a symbolic link: replace it by a file", link.display());
                assert!(error.to_string().ends_with(&problem), "{error}");
                assert_eq!(fs::read(&target).ok(), before);
                assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            }
        }
    }
}

#[test]
fn a_pipe_or_a_folder_in_the_place_of_a_file_is_an_error() {
    for is_process_file in [false, true] {
        for (command, kind) in [("mkfifo", "a pipe or a device"), ("mkdir", "a folder")] {
            let folder = Folder::new("pipe");
            let path = if is_process_file { process_file(&folder.journal()) } else { folder.journal() };
            assert!(Command::new(command).arg(&path).status().unwrap().success());
            let error = FileJournal::open(folder.journal()).unwrap_err();
            let problem = format!("`{}` is {kind}: replace it by a file", path.display());
            assert!(error.to_string().ends_with(&problem), "{error}");
        }
    }
}

#[tokio::test]
async fn a_link_that_appears_later_is_not_followed() {
    let folder = Folder::new("late-link");
    let journal = FileJournal::open(folder.journal()).unwrap();
    let target = folder.journal().with_file_name("target");
    fs::write(&target, "kept").unwrap();
    fs::remove_file(process_file(&folder.journal())).unwrap();
    symlink(&target, process_file(&folder.journal())).unwrap();
    begin(&journal, &call("run", 0, 0)).await;
    drop(journal);
    assert_eq!(fs::read_to_string(&target).unwrap(), "kept");
    assert!(FileJournal::open(folder.journal()).is_err());
}
