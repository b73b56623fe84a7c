//! Files that only their owner can read, and that no link or pipe replaces.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file. A new one is readable and writable only by its owner, since records contain arguments and results.
///
/// # Errors
///
/// Those of the system, or the path is that of a symbolic link or a pipe: another user of the folder could let the link refer to
/// any file, and the pipe would block.
pub(super) fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    check(path)?;
    restrict(options).open(path)
}

/// # Errors
///
/// The path exists, and is not that of a file.
pub(super) fn check(path: &Path) -> io::Result<()> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
    let kind = match metadata.file_type() {
        file if file.is_file() => return Ok(()),
        link if link.is_symlink() => "a symbolic link",
        folder if folder.is_dir() => "a folder",
        _ => "a pipe or a device",
    };
    let problem = format!("`{}` is {kind}: replace it by a file", path.display());
    Err(io::Error::other(problem))
}

/// A link that appears after the check is an error of the system, and so is a pipe, which does not block.
#[cfg(unix)]
fn restrict(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;

    options.mode(0o600).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
}

/// Other systems have no such options. The permissions of the folder protect the file.
#[cfg(not(unix))]
fn restrict(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}
