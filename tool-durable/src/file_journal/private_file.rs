//! Files that only their owner can read, and that no link replaces.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file. A new one is readable and writable only by its owner, since records contain arguments and results.
///
/// # Errors
///
/// Those of the system, or the path is that of a symbolic link: another user of the folder could let it refer to any file.
pub(super) fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    check(path)?;
    restrict(options).open(path)
}

/// # Errors
///
/// The path is that of a symbolic link.
pub(super) fn check(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        let problem = format!("`{}` is a symbolic link: replace it by a file", path.display());
        return Err(io::Error::other(problem));
    }
    Ok(())
}

/// A link that appears after the check is an error of the system.
#[cfg(unix)]
fn restrict(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;

    options.mode(0o600).custom_flags(libc::O_NOFOLLOW)
}

/// Other systems have no such options. The permissions of the folder protect the file.
#[cfg(not(unix))]
fn restrict(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}
