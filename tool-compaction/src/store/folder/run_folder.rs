//! The names of the folders of runs.
//!
//! The name is the run id, in which every byte except for lower-case ASCII letters, digits and `-` is written as `_` and two
//! hexadecimal digits. So two ids have different names on file systems that ignore case or normalize Unicode too, and no name
//! leaves the folder. The prefix avoids empty and reserved names. A long name is divided: a folder `part-..` contains the folder
//! with the rest of the name.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

const WHOLE: &str = "run-";
const PART: &str = "part-";
/// File systems allow names of 255 bytes, and some of fewer.
const MAX_NAME: usize = 120;

/// The folder of a run.
pub(super) fn run_folder(folder: &Path, run_id: &str) -> PathBuf {
    let mut escaped = String::with_capacity(run_id.len());
    for byte in run_id.bytes() {
        if byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' {
            escaped.push(char::from(byte));
        } else {
            // Writing to a string never fails.
            let _ = write!(escaped, "_{byte:02x}");
        }
    }
    let mut path = folder.to_owned();
    let mut rest = &*escaped;
    while rest.len() > MAX_NAME {
        // The escaped text is ASCII.
        let (part, after) = rest.split_at(MAX_NAME);
        path.push([PART, part].concat());
        rest = after;
    }
    path.push([WHOLE, rest].concat());
    path
}

/// Removes the folders of these runs. After an error, it continues with the others, and returns the first error.
pub(super) fn remove(folder: &Path, is_removed: impl Fn(&str) -> bool) -> io::Result<()> {
    let mut open = vec![(folder.to_owned(), String::new())];
    let (mut parts, mut error) = (Vec::new(), None);
    while let Some((folder, before)) = open.pop() {
        for entry in value(fs::read_dir(&folder), &mut error).into_iter().flatten() {
            let Some(entry) = value(entry, &mut error) else { continue };
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if let Some(part) = name.strip_prefix(PART) {
                open.push((entry.path(), [&before, part].concat()));
                parts.push(entry.path());
            } else if let Some(rest) = name.strip_prefix(WHOLE) {
                if unescape(&[&before, rest].concat()).is_some_and(|id| is_removed(&id)) {
                    value(remove_all(&entry.path()), &mut error);
                }
            }
        }
    }
    // From the innermost; one that contains the folder of another run stays.
    for part in parts.iter().rev() {
        let _ = fs::remove_dir(part);
    }
    error.map_or(Ok(()), Err)
}

/// Removes a folder, to which a call may add a file at the same time.
fn remove_all(folder: &Path) -> io::Result<()> {
    const RETRIES: usize = 4;
    const PAUSE: Duration = Duration::from_millis(10);
    for _ in 0..RETRIES {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => std::thread::sleep(PAUSE),
            removed => return removed,
        }
    }
    fs::remove_dir_all(folder)
}

/// The value of a result, whose error is kept if it is the first one. Another call may have removed the folder already.
fn value<T>(result: io::Result<T>, first: &mut Option<io::Error>) -> Option<T> {
    match result {
        Ok(value) => return Some(value),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => {
            first.get_or_insert(error);
        }
    }
    None
}

/// The run id of a name; `None` for a folder that is not of this store.
fn unescape(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'_' {
            let digits = [rest.next()?, rest.next()?];
            u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
        } else {
            byte
        });
    }
    String::from_utf8(bytes).ok()
}
