//! The file next to a journal, which names the process that has the journal open, and counts the commits.

use super::private_file;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;

/// The content of a process file. Its text has always the same length, so that a write replaces it as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProcessRecord {
    /// The process that has the journal open; `None` if it is closed.
    pub(super) process: Option<u32>,
    /// A number of commits that the journal has at least. With fewer, it is damaged or an old copy.
    pub(super) commits: u64,
}

/// More than the length of each record.
const MAX_LENGTH: u64 = 100;

/// The process file of an open journal.
#[derive(Debug)]
pub(super) struct ProcessFile {
    file: Option<File>,
}

/// The path of the process file of a journal.
pub(super) fn path_of(journal: &Path) -> PathBuf {
    let mut path = OsString::from(journal);
    path.push(".process");
    path.into()
}

/// The process file of a journal; `None` if there is none, or if its content is unknown.
pub(super) fn read(journal: &Path) -> Option<ProcessRecord> {
    let file = private_file::open(&path_of(journal), OpenOptions::new().read(true)).ok()?;
    let mut text = String::new();
    // A longer text is no record.
    file.take(MAX_LENGTH).read_to_string(&mut text).ok()?;
    parse(&text)
}

/// Creates the process file of a journal that is about to be created.
pub(super) fn create(journal: &Path) -> io::Result<()> {
    match private_file::open(&path_of(journal), OpenOptions::new().write(true).create_new(true)) {
        Ok(mut file) => {
            file.write_all(format(ProcessRecord { process: Some(process::id()), commits: 0 }).as_bytes())?;
            file.sync_all()
        }
        // Another process creates the journal now, or a creation was interrupted.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

impl ProcessFile {
    /// Names this process in the process file of a journal that it has locked.
    pub(super) fn open(journal: &Path, commits: u64) -> Self {
        let mut options = OpenOptions::new();
        let file = private_file::open(&path_of(journal), options.write(true).create(true).truncate(false));
        let mut file = ProcessFile { file: file.ok() };
        file.write(Some(process::id()), commits);
        file
    }

    /// Records the number of commits, after the last of them. The write is not synced: a process that ends keeps it, and
    /// after a power failure an older number is as valid.
    pub(super) fn write_commits(&mut self, commits: u64) {
        self.write(Some(process::id()), commits);
    }

    /// Records that no process has the journal open.
    pub(super) fn close(&mut self, commits: u64) {
        self.write(None, commits);
    }

    /// An error is not reported: without its process file, a journal works as well, and errors only name no process.
    fn write(&mut self, process: Option<u32>, commits: u64) {
        if let Some(file) = &mut self.file {
            let text = format(ProcessRecord { process, commits });
            let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(text.as_bytes()));
        }
    }
}

fn format(record: ProcessRecord) -> String {
    format!("process {:010} commits {:020}\n", record.process.unwrap_or(0), record.commits)
}

fn parse(text: &str) -> Option<ProcessRecord> {
    let mut words = text.split_whitespace();
    let (Some("process"), Some(process), Some("commits"), Some(commits), None) =
        (words.next(), words.next(), words.next(), words.next(), words.next())
    else {
        return None;
    };
    let process = process.parse().ok().filter(|process| *process != 0);
    Some(ProcessRecord { process, commits: commits.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_written() {
        for record in [
            ProcessRecord { process: None, commits: 0 },
            ProcessRecord { process: Some(7), commits: 12 },
            ProcessRecord { process: Some(u32::MAX), commits: u64::MAX },
        ] {
            let text = format(record);
            assert_eq!(text.len(), format(ProcessRecord { process: None, commits: 0 }).len());
            assert_eq!(parse(&text), Some(record));
        }
    }

    #[test]
    fn other_text_is_no_record() {
        for text in ["", "process", "process 1 commits", "process 1 commits x", "process 1 commits 2 3"] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }
}
