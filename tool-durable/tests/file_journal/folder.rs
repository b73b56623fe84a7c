//! A folder for the files of a test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

/// A new folder, which is removed when it is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{}", process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("the target folder can be written");
        Folder(path)
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.0.join("orders.journal")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
